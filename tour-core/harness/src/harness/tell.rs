//! What a verdict says to the user: inputs as Rust, the way there, the reason.

use super::lower::{InputSite, Lowered, Struct, Ty, show};
use super::places::Places;
use super::verify::not_replayed;
use tour_evidence::verdict::{self, InputOrigin};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Builtin, HavocOrigin, IntType, Op, Program};
use tour_report::protocol::{self, Bits, Input, TraceStep, Violation};
use tour_report::report::explain;

/// A violation with its inputs and trace.
pub(super) fn violation(
    lowered: &Lowered<Prepared>,
    found: &verdict::Violation,
    places: &mut Places,
) -> Violation {
    let program = &lowered.program;
    let check = &program.checks[found.check];
    let (inputs, scalars, foreign) = inputs(lowered, found, places);
    let uninitialised =
        found.inputs.iter().any(|input| input.origin == InputOrigin::Indeterminate && input.bits != 0);
    let replay = match (foreign, uninitialised) {
        (true, _) => {
            protocol::Replay::NotRun { why: "it depends on inputs that the C takes by itself".into() }
        }
        (false, true) => {
            protocol::Replay::NotRun { why: "it depends on the value of something uninitialised".into() }
        }
        (false, false) => not_replayed(),
    };
    let trace = found.trace.iter().map(|step| {
        let edge = &program.cfa.edges[step.edge];
        TraceStep {
            place: places.place(edge.span),
            function: program.functions[program.cfa.locs[edge.from].function].name.clone(),
            rust: edge.span.unit < lowered.first_c_unit,
            depth: step.depth,
            operation: program.show_op(&edge.op),
            value: step.value.clone(),
        }
    });
    let trace = trace.collect();
    Violation {
        property: check.rule.id().to_owned(),
        message: check.message.clone(),
        place: places.place(check.span),
        inputs,
        scalars,
        trace,
        replay,
        faults: None,
    }
}

/// The inputs as values of Rust, all scalars in order, and whether there are others that no replay can give.
fn inputs(
    lowered: &Lowered<Prepared>,
    found: &verdict::Violation,
    places: &mut Places,
) -> (Vec<Input>, Vec<Bits>, bool) {
    let program = &lowered.program;
    let mut taken: Vec<(&InputSite, Vec<u128>)> = Vec::new();
    let mut foreign = false;
    let mut scalars = Vec::new();
    // An edge that takes many scalars asks for each.
    let mut left = 0;
    for input in &found.inputs {
        let site = input.edge.and_then(|edge| match program.cfa.edges[edge].op {
            Op::Havoc(place, _) => lowered.sites.inputs.get(&place),
            _ => None,
        });
        let Some(site) = site else {
            let from_outside = matches!(input.origin, InputOrigin::Nondet | InputOrigin::Undefined);
            foreign |= from_outside && !allocates(program, input);
            continue;
        };
        scalars.push(Bits(input.bits));
        if left == 0 && site.first == 0 {
            taken.push((site, Vec::new()));
        }
        left = if left == 0 { site.count - 1 } else { left - 1 };
        if let Some((_, bits)) = taken.last_mut() {
            bits.push(input.bits);
        }
    }
    let shown = taken.into_iter().map(|(site, bits)| Input {
        name: site.name.clone(),
        ty: show(&lowered.structs, &site.ty),
        literal: literal(&lowered.structs, &site.ty, &mut bits.iter().copied()),
        bits: bits.into_iter().map(Bits).collect(),
        place: places.place(site.span),
    });
    (shown.collect(), scalars, foreign)
}

/// The input says that an allocation does not fail, as natively.
fn allocates(program: &Program, input: &verdict::Input) -> bool {
    let Some(Op::Havoc(_, HavocOrigin::Undefined(f))) = input.edge.map(|edge| &program.cfa.edges[edge].op)
    else {
        return false;
    };
    let allocator =
        matches!(program.functions[*f].builtin, Some(Builtin::Malloc | Builtin::Calloc | Builtin::Realloc));
    allocator && input.bits == 0
}

/// A value as a Rust expression.
fn literal(structs: &[Struct], ty: &Ty, bits: &mut impl Iterator<Item = u128>) -> String {
    match ty {
        Ty::Int(int) => {
            let own = IntType { bits: int.bits, signed: int.signed };
            let value = bits.next().unwrap_or(0);
            if int.signed { own.to_i128(value).to_string() } else { own.wrap(value).to_string() }
        }
        Ty::Bool => (bits.next().unwrap_or(0) & 1 == 1).to_string(),
        Ty::Array(of, n) => {
            let items: Vec<String> = (0..*n).map(|_| literal(structs, of, bits)).collect();
            match &items[..] {
                [first, rest @ ..] if items.len() > 4 && rest.iter().all(|item| item == first) => {
                    format!("[{first}; {n}]")
                }
                _ => format!("[{}]", items.join(", ")),
            }
        }
        Ty::Tuple(of) => {
            let items: Vec<String> = of.iter().map(|ty| literal(structs, ty, bits)).collect();
            format!("({})", items.join(", "))
        }
        Ty::Struct(index) => match structs.get(*index) {
            Some(found) => {
                let fields: Vec<String> = found
                    .fields
                    .iter()
                    .map(|(name, ty)| format!("{name}: {}", literal(structs, ty, bits)))
                    .collect();
                format!("{} {{ {} }}", found.name, fields.join(", "))
            }
            None => "_".into(),
        },
        Ty::Uninit(of) => literal(structs, of, bits),
        _ => "()".into(),
    }
}

/// How many labels a diagnostic has at most.
const LABELS: usize = 8;

/// The failing spot, the steps and calls that lead there, and the inputs.
pub(super) fn explain(
    lowered: &Lowered<Prepared>,
    found: &verdict::Violation,
    told: &Violation,
    places: &mut Places,
) -> protocol::Diagnostic {
    let explained = explain::violation(&lowered.program, found);
    let mut shown = places.diagnostic(&explained.diagnostic);
    for input in &told.inputs {
        let message = format!("{} = {}", input.name, input.literal);
        let known = shown.labels.iter().skip(1).position(|label| label.place == input.place);
        match known {
            Some(i) => shown.labels[i + 1].message = message,
            None if shown.labels.len() < LABELS => {
                shown.labels.push(protocol::Note { message, place: input.place.clone() });
            }
            None => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::lower::tests::lower;
    use expect_test::expect;
    use tour_engine::analysis::{self};
    use tour_engine::context::Context;
    use tour_evidence::verdict::Verdict;

    #[test]
    fn inputs_are_shown_as_rust() {
        let text = "#[repr(C)] struct P { a: i8, b: [u16; 2] }
            fn h(x: i8, a: [u8; 6], p: P, on: bool) {
                assume(x == -5 && a[0] == 7 && p.a == 1 && p.b[0] == 2 && p.b[1] == 3 && on);
                for i in 1..6 { assume(a[i] == 7); }
                let n: u32 = any();
                assume(n == 4000000000);
                assert!(n == 0);
            }";
        let lowered =
            lower(text, "").unwrap_or_else(|e| panic!("{e}")).prepared(&tour_ir::program::Rule::STATED);
        let Verdict::Violated(found) = analysis::verify(&lowered.program, &Context::default()) else {
            panic!("it is violated")
        };
        let mut places = Places::new(&lowered.program.sources);
        let told = violation(&lowered, &found, &mut places);
        let shown: String =
            told.inputs.iter().map(|i| format!("{}: {} = {}\n", i.name, i.ty, i.literal)).collect();
        expect![[r#"
            x: i8 = -5
            a: [u8; 6] = [7; 6]
            p: P = P { a: 1, b: [2, 3] }
            on: bool = true
            n: u32 = 4000000000
        "#]]
        .assert_eq(&shown);
        assert_eq!(told.scalars.len(), 12);
        assert_eq!((told.place.line, told.place.column), (7, 17));
        assert_eq!(told.replay, not_replayed());
        let explained = explain(&lowered, &found, &told, &mut places);
        let labels: Vec<&str> = explained.labels.iter().map(|label| label.message.as_str()).collect();
        assert_eq!(labels[0], "assertion `n == 0`, with n = 4000000000");
        assert!(labels.contains(&"n = 4000000000") && labels.contains(&"x = -5"), "{labels:?}");
    }
}
