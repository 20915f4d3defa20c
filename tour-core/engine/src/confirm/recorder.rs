//! Runs of the interpreter, written down: the inputs that were taken and the steps that were made.

use tour_evidence::verdict::{InputOrigin, Step, TakenInput, show_bits};
use tour_interp::interp::{Dest, Inputs, Request, Target, Trace, Why, Write};
use tour_ir::program::{HavocOrigin, Program};

/// Notes every value that is taken.
pub struct Recorder {
    inputs: Box<dyn Inputs>,
    /// The values so far.
    pub taken: Vec<TakenInput>,
}

impl Recorder {
    /// Takes from `inputs`.
    pub fn new(inputs: Box<dyn Inputs>) -> Recorder {
        Recorder { inputs, taken: Vec::new() }
    }
}

impl Inputs for Recorder {
    fn next(&mut self, request: &Request) -> Option<u128> {
        let bits = self.inputs.next(request)?;
        let mask = if request.bits >= 128 { u128::MAX } else { (1 << request.bits) - 1 };
        let origin = match request.why {
            Why::Havoc(HavocOrigin::Input) => InputOrigin::Nondet,
            Why::Havoc(HavocOrigin::Undefined(_)) => InputOrigin::Undefined,
            Why::Havoc(HavocOrigin::Order) => InputOrigin::Order,
            Why::Parameter(_) => InputOrigin::Parameter,
            Why::Havoc(HavocOrigin::Indeterminate | HavocOrigin::Uncomputed)
            | Why::Declared(_)
            | Why::Unwritten => InputOrigin::Indeterminate,
        };
        self.taken.push(TakenInput { edge: request.edge, ty: request.ty, bits: bits & mask, origin });
        Some(bits)
    }
}

/// A trace of the interpreter, with values as text.
pub fn steps(program: &Program, trace: &Trace) -> Vec<Step> {
    let step = |i: usize| {
        let values: Vec<String> = trace.writes(i).iter().map(|w| show_write(program, w)).collect();
        let value = (!values.is_empty()).then(|| values.join(", "));
        Step { edge: trace.steps[i].edge, thread: 0, depth: trace.steps[i].depth, value }
    };
    (0..trace.steps.len()).map(step).collect()
}

fn show_write(program: &Program, write: &Write) -> String {
    let ty = match write.dest {
        Dest::Place(place) => program.places[place].ty,
        Dest::Var(var) => program.vars[var].ty.ty,
    };
    let offset = |offset: i64| if offset == 0 { String::new() } else { format!(" + {offset} bytes") };
    match write.target {
        Some(Target::Var(var, at)) => format!("&{}{}", program.vars[var].name, offset(at)),
        Some(Target::Block(n, at)) => format!("block {n}{}", offset(at)),
        Some(Target::Function(f)) => program.functions[f].name.clone(),
        None => show_bits(program, Some(ty), write.bits),
    }
}
