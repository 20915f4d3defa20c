//! Results of all kinds, for the tests of the outputs.

use tour_protocol::result::*;

fn place(file: &str, line: u32, column: u32, length: u32, text: &str) -> SourcePlace {
    SourcePlace { file: file.into(), line, column, length, text: text.into(), only_named: false }
}

fn result(name: &str, status: Status) -> ClaimResult {
    let harness = Harness {
        name: name.into(),
        module: "demo::proofs".into(),
        function: name.rsplit("::").next().unwrap_or(name).into(),
        package: "demo".into(),
        manifest_dir: "/demo".into(),
        file: "src/lib.rs".into(),
        line: 12,
        ..Harness::default()
    };
    ClaimResult {
        checks: vec![PropertyResult { property: "assert".into(), result: status, checks: 2 }],
        analysis: Some("predicate".into()),
        time: 0.25,
        ..ClaimResult::new(harness, status)
    }
}

pub(super) fn examples() -> Vec<ClaimResult> {
    let step = |place: &SourcePlace, function: &str, operation: &str| RunStep {
        place: place.clone(),
        function: function.into(),
        rust: function == "pop",
        thread: None,
        depth: 0,
        operation: operation.into(),
        value: None,
        relevant: true,
    };
    let fails = place("csrc/ring.c", 27, 12, 6, "    return buf[8];");
    let message = "read past the end of `buf`";
    let called = step(&place("src/lib.rs", 13, 5, 3, "    ring_pop(cap)"), "pop", "ring_pop(cap)");
    let returned = step(&fails, "ring_pop", "return buf[8]");
    let violated = ClaimResult {
        reason: message.into(),
        kind: Some("out-of-bounds".into()),
        diagnostics: vec![Message {
            code: "tour::out_of_bounds".into(),
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Note { message: "head = 8".into(), place: fails.clone() }],
            help: None,
        }],
        violations: vec![Counterexample {
            property: "out-of-bounds".into(),
            message: message.into(),
            place: fails,
            inputs: vec![InputValue {
                name: "cap".into(),
                ty: "usize".into(),
                value: "8".into(),
                origin: InputOrigin::Nondet,
                relevant: true,
                bits: vec![Bits(8)],
                operation: None,
                place: Some(place("src/lib.rs", 12, 8, 3, "fn pop(cap: usize) {")),
            }],
            scalars: vec![Bits(8)],
            trace: vec![called, RunStep { depth: 1, value: Some("8".into()), ..returned }],
            interleaving: Vec::new(),
            replay: Replay::Confirmed { how: "killed by signal 11".into() },
            faults: None,
        }],
        ..result("proofs::pop", Status::Violated)
    };
    let timeout = "timeout".to_owned();
    let unknown = ClaimResult {
        reason: timeout.clone(),
        kind: Some(timeout),
        ..result("proofs::crc", Status::Unknown)
    };
    let vacuity = Vacuity {
        kind: VacuityKind::Assumptions,
        message: "no input satisfies the assumptions".into(),
        place: place("src/lib.rs", 30, 5, 6, "    assume(false);"),
    };
    let vacuous = ClaimResult { vacuity: vec![vacuity], ..result("proofs::never", Status::Vacuous) };
    let crashed = ClaimResult {
        reason: "killed by signal 6".into(),
        time: 0.5,
        ..result("proofs::boom", Status::Crashed)
    };
    let not_run = ClaimResult { time: 0.0, ..result("proofs::late", Status::NotRun) };
    let proved = ClaimResult { cached: true, ..result("proofs::push", Status::Proved) };
    vec![proved, violated, unknown, vacuous, crashed, not_run]
}
