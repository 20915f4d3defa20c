//! Block-abstraction memoization and lazy abstraction are asked about the same random programs, whose functions call each
//! other and themselves: where both answer, they agree, and no certificate is rejected.

use tour_core::LoadOptions;
use tour_core::analysis::DomainKind;
use tour_core::analysis::{Kind, Options, verify_with};
use tour_core::bam::Partition;
use tour_core::budget::Budget;
use tour_core::cegar::Order;
use tour_core::context::Context;
use tour_core::front::Input;
use tour_core::prepared::Prepared;
use tour_core::program::DataModel;
use tour_core::verdict::{UnknownReason, Verdict};

/// Steps of the solver for one analysis of one program.
const STEPS: u64 = 300_000;

fn run(program: &Prepared, options: &Options) -> Verdict {
    let context = Context { budget: Budget::fixed(STEPS), ..Context::default() };
    verify_with(program, &context, options)
}

/// How many of these programs are decided by memoization, and how many of those by lazy abstraction too.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut decided, mut compared) = (0, 0);
    for seed in seeds {
        let text = cgen::calls(seed);
        let input = Input::text("a.i", text.as_str());
        let program = tour_core::load(&[input], &LoadOptions::new(DataModel::Ilp32))
            .unwrap_or_else(|e| panic!("{seed}: {e}\n{text}"));
        let program = Prepared::new(program);
        let lazy = run(&program, &Options { analysis: Kind::PRODUCT, ..Options::default() });
        for (domain, search, partition, cache) in [
            (DomainKind::Product, Order::RPO, Partition::Functions, true),
            (DomainKind::Product, Order::RPO, Partition::Loops, true),
            (DomainKind::Predicate, Order::TOUR, Partition::Loops, true),
            (DomainKind::Value, Order::TOUR, Partition::Functions, false),
        ] {
            let options =
                Options { analysis: Kind::bam(domain), search, partition, cache, ..Options::default() };
            let memoised = run(&program, &options);
            if let Verdict::Unknown(UnknownReason::Internal(why)) = &memoised {
                panic!("{seed} {domain:?} {partition:?}: {why}\n{text}");
            }
            decided += usize::from(memoised.is_decided());
            if memoised.is_decided() && lazy.is_decided() {
                compared += 1;
                assert_eq!(memoised.to_string(), lazy.to_string(), "{seed} {domain:?} {partition:?}\n{text}");
            }
        }
    }
    (decided, compared)
}

#[test]
fn memoization_agrees_with_lazy_abstraction() {
    let (decided, compared) = compare(0..12);
    assert!(decided >= 18 && compared >= 12, "{decided} {compared}");
}

/// More of them: `cargo test --release -p tour-verify-core --test bam -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn many_programs_agree() {
    let (decided, compared) = compare(100..1100);
    assert!(compared > 1500, "{decided} {compared}");
}
