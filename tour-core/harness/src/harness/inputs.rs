//! The inputs of a harness as values of Rust.

use super::lower::{InputSite, Lowered, Struct, Ty, show};
use tour_evidence::verdict::{InputOrigin, TakenInput, Violation};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Builtin, HavocOrigin, IntType, Op, Program};
use tour_protocol::result::{Bits, ClaimResult, InputValue, Note, Replay};
use tour_report::report::build::{Inputs, ShowInputs};
use tour_report::report::explain::Explanation;
use tour_report::report::places::Places;

/// Shows the inputs of a harness.
pub(super) struct AsRust<'a>(pub(super) &'a Lowered<Prepared>);

impl ShowInputs for AsRust<'_> {
    /// All scalars that a replay is given are in order. Inputs that no replay can give are not shown.
    fn show(&self, violation: &Violation, _: &Explanation, places: &mut Places) -> Inputs {
        let lowered = self.0;
        let program = &lowered.program;
        let mut taken: Vec<(&InputSite, &TakenInput, Vec<u128>)> = Vec::new();
        let mut foreign = false;
        let mut scalars = Vec::new();
        // An edge that takes many scalars asks for each.
        let mut left = 0;
        for input in &violation.inputs {
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
                taken.push((site, input, Vec::new()));
            }
            left = if left == 0 { site.count - 1 } else { left - 1 };
            if let Some((.., bits)) = taken.last_mut() {
                bits.push(input.bits);
            }
        }
        let values = taken.into_iter().map(|(site, input, bits)| InputValue {
            name: site.name.clone(),
            ty: show(&lowered.structs, &site.ty),
            value: literal(&lowered.structs, &site.ty, &mut bits.iter().copied()),
            origin: input.origin,
            relevant: true,
            bits: bits.into_iter().map(Bits).collect(),
            operation: input.edge.map(|edge| program.show_op(&program.cfa.edges[edge].op)),
            place: Some(places.place(site.span)),
        });
        let is_uninitialised =
            |input: &TakenInput| input.origin == InputOrigin::Indeterminate && input.bits != 0;
        let why = match violation.inputs.iter().any(is_uninitialised) {
            _ if foreign => "it depends on inputs that the C takes by itself",
            true => "it depends on the value of something uninitialised",
            false => "",
        };
        Inputs { values: values.collect(), scalars, replay: Replay::NotRun { why: why.into() } }
    }
}

/// The input says that an allocation does not fail, as natively.
fn allocates(program: &Program, input: &TakenInput) -> bool {
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

/// Adds the inputs to the messages about violations.
pub(super) fn label_inputs(result: &mut ClaimResult) {
    for (shown, violation) in result.diagnostics.iter_mut().zip(&result.violations) {
        for input in &violation.inputs {
            let Some(place) = &input.place else { continue };
            let message = format!("{} = {}", input.name, input.value);
            let known = shown.labels.iter().skip(1).position(|label| label.place == *place);
            match known {
                Some(i) => shown.labels[i + 1].message = message,
                None if shown.labels.len() < LABELS => {
                    shown.labels.push(Note { message, place: place.clone() });
                }
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::lower::tests::lower;
    use expect_test::expect;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use tour_c::front::Input as File;
    use tour_engine::analysis;
    use tour_engine::context::{Context, Findings};
    use tour_ir::program::{DataModel, Rule};
    use tour_protocol::result::{Claim, Harness};
    use tour_report::report::build::{self, AsC, Evidence};
    use tour_report::report::json::CheckDocument;

    fn result(
        program: &Prepared,
        findings: &Findings,
        claim: impl Into<Claim>,
        inputs: &dyn ShowInputs,
    ) -> ClaimResult {
        let rules = [Rule::Assert, Rule::UnreachCall];
        let evidence = Evidence { program, rules: &rules, findings, certified: true };
        build::result(claim, &evidence, inputs, &mut Places::new(&program.sources))
    }

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
        let lowered = lower(text, "").unwrap_or_else(|e| panic!("{e}")).prepared(&Rule::STATED);
        let findings = analysis::verify(&lowered.program, &Context::default()).into();
        let mut result = result(&lowered.program, &findings, Harness::default(), &AsRust(&lowered));
        label_inputs(&mut result);
        let found = &result.violations[0];
        let shown: String = found.inputs.iter().map(|input| format!("{input}\n")).collect();
        expect![[r#"
            x: i8 = -5
            a: [u8; 6] = [7; 6]
            p: P = P { a: 1, b: [2, 3] }
            on: bool = true
            n: u32 = 4000000000
        "#]]
        .assert_eq(&shown);
        assert_eq!(found.scalars.len(), 12);
        assert_eq!((found.place.line, found.place.column), (7, 17));
        assert_eq!(found.replay, Replay::NOT_ASKED);
        let labels: Vec<&str> =
            result.diagnostics[0].labels.iter().map(|label| label.message.as_str()).collect();
        assert_eq!(labels[0], "assertion `n == 0`, with n = 4000000000");
        assert!(labels.contains(&"n = 4000000000") && labels.contains(&"x = -5"), "{labels:?}");
    }

    /// The keys of objects, with the types of their values; an array has the shape of its elements.
    fn shape(value: &Value) -> BTreeSet<String> {
        let inner = |prefix: &str, value: &Value| -> Vec<String> {
            shape(value).into_iter().map(|path| format!("{prefix}{path}")).collect()
        };
        match value {
            Value::Object(fields) => fields.iter().flat_map(|(k, v)| inner(&format!(".{k}"), v)).collect(),
            Value::Array(items) => items.iter().flat_map(|item| inner("[]", item)).collect(),
            Value::String(_) => [": text".to_owned()].into(),
            Value::Number(_) => [": number".to_owned()].into(),
            Value::Bool(_) => [": bool".to_owned()].into(),
            Value::Null => [": null".to_owned()].into(),
        }
    }

    /// `x / 2 == 21` can be true: as a harness that calls C, and as a C program.
    #[test]
    fn the_same_claim_has_the_same_form_in_check_and_verify() {
        let half = "int half(int x) { int y = x / 2; return y; }";
        let harness = "extern \"C\" { fn half(x: i32) -> i32; }
            fn h() { let x: i32 = any(); let y = unsafe { half(x) }; assert!(y != 21); }";
        let lowered = lower(harness, half).unwrap_or_else(|e| panic!("{e}")).prepared(&Rule::STATED);
        let findings = analysis::verify(&lowered.program, &Context::default()).into();
        let verify = result(&lowered.program, &findings, Harness::default(), &AsRust(&lowered));
        let verify = serde_json::to_value(verify).expect("JSON");

        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); {half}
             int main(void) {{ int x = __VERIFIER_nondet_int(); int y = half(x); if (y == 21) reach_error(); }}"
        );
        let options = tour_c::LoadOptions::new(DataModel::Lp64);
        let program = tour_c::load(&[File::text("a.i", text)], &options).expect("a program");
        let program = analysis::prepare(program, &Rule::STATED);
        let findings = analysis::verify(&program, &Context::default()).into();
        let check = result(&program, &findings, Claim::default(), &AsC(&program));
        let check = serde_json::to_value(CheckDocument::from(&check)).expect("JSON");

        let (harness, program) = (&verify["violations"][0], &check["violation"]);
        for part in ["place", "inputs", "trace", "replay"] {
            assert_eq!(shape(&harness[part]), shape(&program[part]), "{part}");
        }
        assert_eq!(shape(harness), shape(program));
        assert_eq!(shape(&verify["diagnostics"]), shape(&check["diagnostics"]));
        assert_eq!(shape(&verify["checks"]), shape(&check["properties"]));
        assert!(shape(program).contains(".inputs[].place.line: number"), "{:?}", shape(program));
    }
}
