//! Explicit-state search and lazy abstraction are asked about the same random programs: where both answer, they agree, and no
//! certificate is rejected.

use tour_core::LoadOptions;
use tour_core::analysis::{Kind, Options, verify_with};
use tour_core::budget::Budget;
use tour_core::cegar::Order;
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;
use tour_core::verdict::{UnknownReason, Verdict};

/// Steps of the solver for one analysis of one program.
const STEPS: u64 = 100_000;

fn run(program: &Prepared, analysis: Kind, search: Order) -> Verdict {
    let context = Context { budget: Budget::fixed(STEPS), ..Context::default() };
    verify_with(program, &context, &Options { analysis, search, ..Options::default() })
}

/// How many of these programs explicit-state search decides, and how many of those lazy abstraction decides too.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut decided, mut compared) = (0, 0);
    for seed in seeds {
        let text = cgen::calls(seed);
        let input = Input::text("a.i", text.as_str());
        let program = tour_core::load(&[input], &LoadOptions::new(DataModel::Ilp32))
            .unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let program = Prepared::new(program);
        let lazy = run(&program, Kind::PRODUCT, Order::RPO);
        for search in [Order::RPO, Order::BFS] {
            let explicit = run(&program, Kind::EXPLICIT_STATE, search);
            if let Verdict::Unknown(UnknownReason::Internal(why)) = &explicit {
                panic!("{seed} {search:?}: {why}\n{text}");
            }
            decided += usize::from(explicit.is_decided());
            if explicit.is_decided() && lazy.is_decided() {
                compared += 1;
                assert_eq!(explicit.to_string(), lazy.to_string(), "{seed} {search:?}\n{text}");
            }
        }
    }
    (decided, compared)
}

#[test]
fn explicit_states_agree_with_lazy_abstraction() {
    let (decided, compared) = compare(0..9);
    assert!(decided >= 6 && compared >= 6, "{decided} {compared}");
}

/// More of them: `cargo test --release -p tour-verify-core --test explicit_state -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn many_programs_agree() {
    let (decided, compared) = compare(100..2100);
    assert!(decided > 500, "{decided} {compared}");
}
