//! Copies of functions for single calls: which there are, and that nothing but their precision shows.

use tour_core::LoadOptions;
use tour_core::analysis::{Options as Chosen, prepare, verify_with};
use tour_core::cfa::LocKind;
use tour_core::context::Context;
use tour_core::copies::add;
use tour_core::fault::originals::undone;
use tour_core::front::Input;
use tour_core::heuristics::PreparationLimits;
use tour_core::interp::{Image, Options, Random, Unobserved, Zeros};
use tour_core::program::{DataModel, Program, Rule};
use tour_core::regions::{Layout, Regions};
use tour_core::verdict::Verdict;

const PRELUDE: &str = "
    void *malloc(unsigned long); void free(void *); void abort(void);
    extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void);
";

/// One wrapper for a list, for texts, and for numbers.
const WRAPPER: &str = "
    struct node { struct node *next; char tag; };
    void *check(void *p) { if (!p) abort(); return p; }
    void *xmalloc(unsigned long n) { return check(malloc(n)); }
    int main(void) {
        struct node *list = xmalloc(sizeof *list);
        list->next = list; list->tag = 1;
        char *text = xmalloc(16);
        text[__VERIFIER_nondet_int() & 15] = 2; text[3] = 7;
        int *number = xmalloc(4);
        *number = 5;
        if (list->next != list || text[3] != 7 || *number != EXPECT) __VERIFIER_error();
        return 0;
    }
";

fn program(text: &str) -> Program {
    let input = Input::text("a.i", format!("{PRELUDE}{text}"));
    tour_core::load(&[input], &LoadOptions::new(DataModel::Lp64)).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn copied(text: &str) -> Program {
    let mut program = program(text);
    add(&mut program, &PreparationLimits::default());
    program
}

#[test]
fn what_is_copied() {
    /// How many versions there are of each function with a body.
    fn check(text: &str, expect: &str) {
        let program = copied(text);
        let mut counts: Vec<(String, usize)> = Vec::new();
        for f in program.functions.iter().filter(|f| f.body.is_some()) {
            match counts.iter_mut().find(|(name, _)| *name == f.name) {
                Some((_, count)) => *count += 1,
                None => counts.push((f.name.clone(), 1)),
            }
        }
        let counts: Vec<String> = counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        assert_eq!(counts.join(", "), expect, "{text}");
    }
    // One copy a call; what a copy calls is copied with it.
    check(
        "void *f(void) { return malloc(8); } void *g(void) { return f(); }
         int main(void) { f(); g(); g(); return 0; }",
        "f 3, g 2, main 1",
    );
    // Numbers do not mix objects up.
    check("int f(int x) { return x; } int main(void) { return f(1) + f(2); }", "f 1, main 1");
    // Recursion has no end.
    check(
        "int f(int *p) { return *p ? f(p) : 0; } int main(void) { int a = 0, b = 0; return f(&a) + f(&b); }",
        "f 1, main 1",
    );
    // Whom pointers call is left to them.
    check(
        "int f(int *p) { return *p; } int main(void) { int (*h)(int *) = f; int a = 0; return f(&a) + h(&a); }",
        "f 2, main 1",
    );
    let long = format!("int f(int *p) {{ {} return 0; }}", "*p = *p + 1;".repeat(100));
    check(&format!("{long} int main(void) {{ int a = 0, b = 0; return f(&a) + f(&b); }}"), "f 1, main 1");
}

#[test]
fn all_copies_together_are_bounded() {
    let calls = "f(&a); ".repeat(3_000);
    let text = format!("void f(int *p) {{ *p = 1; }} int main(void) {{ int a; {calls} return 0; }}");
    let plain = program(&text).cfa.edges.len();
    assert!(copied(&text).cfa.edges.len() <= 2 * plain.max(PreparationLimits::default().min_copy_budget));
}

#[test]
fn a_wrapper_serves_several_types() {
    let mixed = |program: &Program| {
        let regions = Regions::of(program);
        regions.regions.iter().flat_map(|region| &region.slots).any(|slot| slot.layout == Layout::Mixed)
    };
    assert!(mixed(&program(WRAPPER.replace("EXPECT", "5").as_str())));
    assert!(!mixed(&copied(WRAPPER.replace("EXPECT", "5").as_str())));
    for (expect, verdict) in [("5", "SAFE"), ("6", "UNSAFE")] {
        let program = program(&WRAPPER.replace("EXPECT", expect));
        let program = prepare(program, &[Rule::UnreachCall]);
        let found = verify_with(&program, &Context::default(), &Chosen::default());
        assert_eq!(found.to_string(), verdict);
    }
}

/// Programs whose functions are copied, with a variable-length array, a static variable, and loops.
const PROGRAMS: [&str; 3] = [
    "static int *sum(int *p, int n) {
         static int all; int a[n]; int i = 0;
         while (i < n) { a[i] = p[i & 1]; all += a[i]; i++; }
         return &all;
     }
     int main(void) {
         int x[2] = { __VERIFIER_nondet_int() & 15, 3 }, y[2] = { 5, 6 };
         int *s = sum(x, 3); int first = *s; int *t = sum(y, (x[0] & 3) + 1);
         if (s != t || *t - first < 5) __VERIFIER_error();
         return *t;
     }",
    "struct s { int v; struct s *n; };
     struct s *make(int v, struct s *n) { struct s *p = malloc(sizeof *p); p->v = v; p->n = n; return p; }
     int last(struct s *p) { while (p->n) p = p->n; return p->v; }
     int main(void) {
         struct s *a = make(1, make(__VERIFIER_nondet_int(), 0)), *b = make(3, a);
         if (last(a) != last(b)) __VERIFIER_error();
         return last(b) & 127;
     }",
    "void set(int *p, int v) { *p = v; if (v > 100) __VERIFIER_error(); }
     int main(void) { int a, b; set(&a, 1); set(&b, __VERIFIER_nondet_int()); return a + (b & 7); }",
];

#[test]
fn runs_stay_as_they_are() {
    for text in PROGRAMS {
        let (plain, copied) = (program(text), copied(text));
        assert!(!copied.copies.is_empty());
        let run = |program: &Program, seed: u64| {
            let options = Options { max_steps: 10_000, ..Options::default() };
            let image = Image::new(program);
            let done = match seed {
                0 => image.run(&mut Zeros, &options, &mut Unobserved),
                _ => image.run(&mut Random::new(seed), &options, &mut Unobserved),
            };
            format!("{:?}", done.outcome)
        };
        for seed in 0..20 {
            assert_eq!(run(&plain, seed), run(&copied, seed), "{text}");
        }
    }
}

#[test]
fn copies_of_a_check_are_one_check() {
    let mut program = prepare(program(PROGRAMS[2]), &[Rule::UnreachCall]);
    let errors = |program: &Program| {
        program.cfa.locs.iter().filter(|loc| matches!(loc.kind, LocKind::Error(_))).count()
    };
    assert_eq!((program.checks.len(), errors(&program)), (1, 2));
    let Verdict::Violated(violation) = verify_with(&program, &Context::default(), &Chosen::default()) else {
        panic!("the second call violates it")
    };
    // Whoever changes statements sees each once.
    let (plain, same) = undone(&program, &violation);
    assert!(same.trace.iter().all(|step| plain.copies.original(step.edge) == step.edge));
    assert_ne!(same.trace.last().map(|step| step.edge), violation.trace.last().map(|step| step.edge));
    let check = violation.check;
    program.change(|program| program.close(check));
    assert_eq!(errors(&program), 0);
}
