use super::*;
use crate::analysis::BlockEncoding;
use crate::cfa::testing::sample;

/// The verdict in each domain; proofs are checked.
#[track_caller]
fn check(text: &str, expect: &str) {
    for domain in [DomainKind::Predicate, DomainKind::Value, DomainKind::Product] {
        check_in(domain, text, expect);
    }
}

#[track_caller]
fn check_in(domain: DomainKind, text: &str, expect: &str) -> Context {
    let program = sample(text).program;
    let context = Context::default();
    for block in [BlockEncoding::Sbe, BlockEncoding::Abe] {
        let options = Options { domain, block, ..Options::default() };
        let verdict = Bam(options).run(&program, &context);
        assert_eq!(verdict.to_string(), expect, "{domain:?} {block:?}");
        if let Verdict::Proved(Proof { certificate: Certificate::Summaries(summaries), .. }) = &verdict {
            evidence::check_summaries(&program, summaries, &context.interrupt).unwrap();
        }
    }
    context
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

#[test]
fn functions_that_call_each_other() {
    check(
        "fn main(): 1->2 n = nondet; 2->3 [n >= 0]; 3->exit even(n)
         fn even(n): 1->exit [n == 0]; 1->2 [!(n == 0)]; 2->exit odd(n - 1)
         fn odd(n): 1->error [n < 0]; 1->exit [n == 0]; 1->2 [n > 0]; 2->exit even(n - 1)",
        "SAFE",
    );
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
