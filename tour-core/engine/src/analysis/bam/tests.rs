use super::*;
use crate::analysis::{DomainKind, Kind};
use crate::bam::Partition;
use crate::cegar::Order;
use crate::directed::{Metric, MetricChoice};
use tour_evidence::evidence::{Contract, Summaries, check_summaries};
use tour_ir::cfa::testing::prepared;
use tour_ir::limits::Interrupt;
use tour_ir::prepared::Prepared;

/// The verdict in each domain, undirected and directed, with loops as blocks and without; proofs are checked.
#[track_caller]
fn check(text: &str, expect: &str) {
    for domain in [DomainKind::Predicate, DomainKind::Value, DomainKind::Product] {
        check_in(domain, text, expect);
    }
}

#[track_caller]
fn check_in(domain: DomainKind, text: &str, expect: &str) {
    let program = prepared(text);
    for search in [Order::RPO, Order::TOUR] {
        for partition in [Partition::Loops, Partition::Functions] {
            let options = Options { analysis: Kind::bam(domain), search, partition, ..Options::default() };
            let (verdict, _) = run(&program, options);
            assert_eq!(verdict.to_string(), expect, "{domain:?} {search:?} {partition:?}");
            if expect == "SAFE" {
                check_summaries(&program, &summaries(&verdict), &Interrupt::default()).unwrap();
            }
        }
    }
}

fn run(program: &Prepared, options: Options) -> (Verdict, Context) {
    let context = Context::default();
    (Bam(options).run(program, &context), context)
}

/// The certificate of a proof.
fn summaries(verdict: &Verdict) -> Summaries {
    match verdict {
        Verdict::Proved(Proof { certificate: Certificate::Summaries(summaries), .. }) => {
            (**summaries).clone()
        }
        other => panic!("{other}"),
    }
}

fn count(context: &Context, name: &str) -> String {
    let rows = context.stats.rows();
    rows.iter().find(|row| row.0 == name).map_or(String::new(), |row| row.1.to_string())
}

#[test]
fn calls_pass_arguments_and_results() {
    check(
        "fn main(): 1->2 x = f(3); 2->3 y = f(x); 3->error [!(y == 5)]; 3->exit [y == 5]
         fn f(n): 1->exit return n + 1",
        "SAFE",
    );
}

#[test]
fn a_loop_in_a_function() {
    check(
        "fn main(): 1->2 x = f(); 2->error [!(x == 5)]; 2->exit [x == 5]
         fn f(): 1->2 i = 0; 2->3 [i < 5]; 3->2 i = i + 1; 2->4 [!(i < 5)]; 4->exit return i",
        "SAFE",
    );
}

#[test]
fn an_error_deep_in_calls() {
    check(
        "fn main(): 1->2 x = nondet; 2->exit f(x)
         fn f(n): 1->exit g(n + 1)
         fn g(n): 1->error [n == 7]; 1->exit [!(n == 7)]",
        "UNSAFE",
    );
}

#[test]
fn recursion_with_known_values() {
    for domain in [DomainKind::Value, DomainKind::Product] {
        check_in(
            domain,
            "fn main(): 1->2 x = fib(6); 2->error [!(x == 8)]; 2->exit [x == 8]
             fn fib(n): 1->2 [n < 2]; 2->exit return n; 1->3 [!(n < 2)];
                        3->4 a = fib(n - 1); 4->5 b = fib(n - 2); 5->exit return a + b",
            "SAFE",
        );
    }
}

/// The tree of calls is far larger than a path that can be looked at.
#[test]
fn recursion_with_more_calls_than_a_path_can_have() {
    check_in(
        DomainKind::Product,
        "fn main(): 1->2 n = 20; 2->3 x = fib(n); 3->error [!(x == 6765)]; 3->exit [x == 6765]
         fn fib(n): 1->2 [n < 2]; 2->exit return n; 1->3 [!(n < 2)];
                    3->4 a = fib(n - 1); 4->5 b = fib(n - 2); 5->exit return a + b",
        "SAFE",
    );
}

#[test]
fn recursion_with_a_relation_of_arguments_and_result() {
    for domain in [DomainKind::Predicate, DomainKind::Product] {
        check_in(
            domain,
            "fn main(): 1->2 a = nondet; 2->3 b = nondet; 3->4 x = sum(a, b);
                        4->error [!(x == a + b)]; 4->exit [x == a + b]
             fn sum(n, m): 1->2 [n <= 0]; 2->exit return m + n; 1->3 [!(n <= 0)];
                           3->4 r = sum(n - 1, m + 1); 4->exit return r",
            "SAFE",
        );
    }
}

const EVEN_AND_ODD: &str = "fn main(): 1->2 n = nondet; 2->3 [n >= 0]; 3->exit even(n)
fn even(n): 1->exit [n == 0]; 1->2 [!(n == 0)]; 2->exit odd(n - 1)
fn odd(n): 1->error [n < 0]; 1->exit [n == 0]; 1->2 [n > 0]; 2->exit even(n - 1)";

#[test]
fn functions_that_call_each_other() {
    for domain in [DomainKind::Predicate, DomainKind::Product] {
        check_in(domain, EVEN_AND_ODD, "SAFE");
    }
}

/// What is being analysed is used again all the same, in whichever order.
#[test]
fn recursion_without_the_cache() {
    let program = prepared(EVEN_AND_ODD);
    for search in [Order::RPO, Order::TOUR] {
        let (verdict, _) = run(&program, Options { cache: false, search, ..Options::default() });
        assert_eq!(verdict.to_string(), "SAFE", "{search:?}");
    }
}

#[test]
fn a_caller_keeps_its_variables_over_a_recursive_call() {
    check(
        "fn main(): 1->exit f(2)
         fn f(n): 1->exit [n <= 0]; 1->2 [!(n <= 0)]; 2->3 k = n; 3->4 f(n - 1); 4->error [!(k == n)]; 4->exit [k == n]",
        "SAFE",
    );
}

#[test]
fn a_violation_below_a_recursion() {
    check(
        "fn main(): 1->2 x = nondet; 2->exit f(x)
         fn f(n): 1->error [n == 3]; 1->exit [n < 3]; 1->2 [n > 3]; 2->exit f(n - 1)",
        "UNSAFE",
    );
}

#[test]
fn an_error_right_behind_a_call() {
    let text = "fn main(): 1->exit f(4)
                fn f(n): 1->exit [n < 3]; 1->2 [!(n < 3)]; 2->error f(n - 1)";
    check(text, "UNSAFE");
    check(&text.replace("f(4)", "f(2)"), "SAFE");
}

const TWICE: &str = "global g
fn main(): 1->2 g = 0; 2->3 inc(); 3->4 inc(); 4->error [!(g == 2)]; 4->exit [g == 2]
fn inc(): 1->exit g = g + 1";

#[test]
fn a_global_variable_changed_by_calls() {
    check(TWICE, "SAFE");
}

/// What a loop is not concerned with is taken out of its block, and put back behind it; a loop in a loop, one right
/// behind another, and a return out of a loop.
#[test]
fn loops_are_blocks() {
    check(
        "fn main(): 1->2 x = 5; 2->3 i = 0; 3->4 [i < 3]; 4->3 i = i + 1; 3->5 [!(i < 3)];
                    5->error [!(x == 5)]; 5->6 [x == 5]; 6->error [!(i == 3)]; 6->exit [i == 3]",
        "SAFE",
    );
    let nested = "fn main(): 1->2 x = f(2); 2->error [!(x == 7)]; 2->exit [x == 7]
         fn f(k): 1->2 i = 0; 2->3 [i < k]; 3->4 j = 0; 4->5 [j < 2]; 5->4 j = j + 1; 4->6 [!(j < 2)]; 6->2 i = i + 1;
                  2->7 [!(i < k)]; 7->8 [j > 0]; 8->7 j = j - 1; 7->9 [!(j > 0)]; 9->exit return k + 5";
    check(nested, "SAFE");
    check(&nested.replace("!(x == 7)", "x == 7"), "UNSAFE");
    let out = "fn main(): 1->2 x = f(); 2->error [!(x == 2)]; 2->exit [x == 2]
         fn f(): 1->2 i = 0; 2->3 [i < 9]; 3->exit [i == 2] return i; 3->4 [!(i == 2)]; 4->2 i = i + 1; 2->exit [!(i < 9)]";
    let out = out.replace("3->exit [i == 2] return i", "3->5 [i == 2]; 5->exit return i");
    check(&out, "SAFE");
}

/// The inner loop is entered with y = 0, 1 and 2, which it is not concerned with: it is analysed once.
#[test]
fn a_loop_is_found_in_the_cache() {
    let program = prepared(
        "fn main(): 1->2 x = nondet; 2->3 y = 0; 3->4 i = nondet; 4->5 [i > 0]; 5->4 i = i - 1; 4->6 [!(i > 0)];
                    6->error [i > 0]; 6->7 [!(i > 0)]; 7->8 y = y + 1; 8->3 [y < 3]; 8->9 [!(y < 3)];
                    9->error [!(y == 3)]; 9->exit [y == 3]",
    );
    let options = Options { partition: Partition::Loops, ..Options::default() };
    let (verdict, context) = run(&program, options);
    check_summaries(&program, &summaries(&verdict), &Interrupt::default()).unwrap();
    assert_ne!(count(&context, "cache-hits"), "0");
}

#[test]
fn blocks_may_be_small() {
    let program = prepared(TWICE);
    for block in ["sbe", "abe:threshold=2", "abe:functions"] {
        let (verdict, _) = run(&program, Options { block: block.parse().unwrap(), ..Options::default() });
        check_summaries(&program, &summaries(&verdict), &Interrupt::default()).unwrap();
    }
}

/// Five calls in the same state: one is analysed, four are found in the cache.
#[test]
fn the_cache_saves_work() {
    let program = prepared(
        "fn main(): 1->2 f(); 2->3 f(); 3->4 f(); 4->5 f(); 5->exit f()
         fn f(): 1->2 x = nondet; 2->3 [x > 0]; 3->error [x < 0]; 3->exit [!(x < 0)]; 2->exit [!(x > 0)]",
    );
    let (_, with) = run(&program, Options::default());
    let (_, without) = run(&program, Options { cache: false, ..Options::default() });
    let counts = |context| ["cache-hits", "cache-misses", "blocks-analysed"].map(|name| count(context, name));
    assert_eq!(counts(&with), ["4", "1", "2"]);
    assert_eq!(counts(&without), ["0", "5", "6"]);
}

/// A chain of calls that would need a deep stack.
#[test]
fn a_long_chain_of_calls() {
    let mut text = String::from("fn main(): 1->exit f0(3)\n");
    for i in 0..400 {
        text += &format!("fn f{i}(n): 1->exit f{}(n)\n", i + 1);
    }
    text += "fn f400(n): 1->error [n > 3]; 1->exit [!(n > 3)]";
    let program = prepared(&text);
    let (verdict, context) =
        run(&program, Options { analysis: Kind::bam(DomainKind::Value), ..Options::default() });
    assert_eq!(verdict.to_string(), "SAFE");
    assert!(count(&context, "max-depth").parse::<usize>().unwrap() >= 402);
}

/// One branch calls a function with an error, the other begins a chain of functions with loops, which ends with another
/// one. A directed search goes to the near one, whichever branch stands first.
#[test]
fn calls_wait_for_their_turn() {
    let mut chain = String::new();
    for i in 0..40 {
        chain += &format!(
            "fn far{i}(n): 1->2 k = nondet; 2->3 [k > n]; 3->2 k = k - 1; 2->4 [!(k > n)]; 4->exit far{}(k)\n",
            i + 1
        );
    }
    let expanded = |first: &str, second: &str, metric: Metric| {
        let text = format!(
            "fn main(): 1->2 x = nondet; 2->3 [x > 0]; 3->exit {first}(x); 2->4 [!(x > 0)]; 4->exit {second}(x)
             fn near(n): 1->error [n != 7]; 1->exit [!(n != 7)]
             {chain}fn far40(n): 1->error [n != 5]; 1->exit [!(n != 5)]"
        );
        let metric = MetricChoice::Only(metric);
        let options = Options { search: Order::TOUR, metric, ..Options::default() };
        let (verdict, context) = run(&prepared(&text), options);
        (verdict.to_string(), count(&context, "states-expanded"))
    };
    for metric in Metric::ALL {
        // The entry, the call, and the callee.
        let expect = ("UNSAFE".to_owned(), "3".to_owned());
        assert_eq!(expanded("near", "far0", metric), expect, "{metric}");
        assert_eq!(expanded("far0", "near", metric), expect, "{metric}");
    }
}

/// A callee is left when what is left of it is farther from an error than what waits in its caller.
#[test]
fn the_nearest_state_of_all_levels_is_next() {
    let program = prepared(
        "fn main(): 1->2 x = nondet; 2->3 [x > 0]; 3->exit f(x); 2->4 [!(x > 0)]; 4->5 y = nondet; 5->6 y = y + 1;
                    6->7 [y > 0]; 7->6 y = y - 1; 6->8 [!(y > 0)]; 8->9 y = y - x; 9->error [y < 3]; 9->exit [!(y < 3)]
         fn f(n): 1->error [n < 0]; 1->2 [!(n < 0)]; 2->3 k = nondet; 3->4 [k > n]; 4->3 k = k - 1; 3->5 [!(k > n)];
                  5->6 [k > 9]; 6->5 k = k - 1; 5->exit [!(k > 9)]",
    );
    let metric = MetricChoice::Only(Metric::St);
    let (verdict, context) = run(&program, Options { search: Order::TOUR, metric, ..Options::default() });
    assert_eq!(verdict.to_string(), "UNSAFE");
    // Nothing of the loops of `f`, from where no error is reached.
    assert_eq!(count(&context, "states-expanded"), "8");
}

/// The checker believes no summaries of another program, and none that lack a part.
#[test]
fn wrong_summaries_are_found_out() {
    let text = "fn main(): 1->2 x = f(3); 2->error [!(x == 4)]; 2->exit [x == 4]
                fn f(n): 1->2 [n > 0]; 2->exit return n + 1; 1->exit [!(n > 0)]";
    let program = prepared(text);
    let good = summaries(&run(&program, Options::default()).0);
    let holds = |program: &Prepared, summaries: &Summaries| {
        check_summaries(program, summaries, &Interrupt::default()).is_ok()
    };
    assert!(holds(&program, &good));
    for other in
        [text.replace("n + 1", "n + 2"), text.replace("f(3)", "f(2)"), text.replace("!(x == 4)", "x == 4")]
    {
        assert!(!holds(&prepared(&other), &good), "{other}");
    }
    let without = |keep: &dyn Fn(&Contract) -> bool| {
        let contracts = good.contracts.iter().filter(|c| keep(c)).cloned().collect();
        Summaries { contracts, ..good.clone() }
    };
    assert!(!holds(&program, &without(&|c| c.main)));
    assert!(!holds(&program, &without(&|c| !c.main)));
    let f = program.function("f").unwrap();
    let exit = program.functions[f].body.unwrap().exit;
    let never_returns = good.contracts.iter().cloned().map(|mut contract| {
        contract.at.remove(&exit);
        contract
    });
    assert!(!holds(&program, &Summaries { contracts: never_returns.collect(), ..good.clone() }));
}
