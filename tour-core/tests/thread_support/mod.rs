//! What the tests of threads share: loading, a generator, an exhaustive search, and a view of simplifications.

#![allow(dead_code, reason = "not every test uses all of it")]

pub mod events;
pub mod search;
pub mod typed;

use tour_core::analysis::{self, Analysis, Interleavings, Kind, Options};
use tour_core::context::{Context, Engine};
use tour_core::directed::Metric;
use tour_core::evidence::Certificate;
use tour_core::explore::Distances;
use tour_core::front::Input;
use tour_core::prepared::Prepared;
use tour_core::program::{DataModel, Op, Program, Rule, ThreadId};
use tour_core::stats::Statistics;
use tour_core::threads::footprint::Footprints;
use tour_core::threads::graph::ThreadGraph;
use tour_core::threads::{Coi, Flows, Interleaving, Por};
use tour_core::verdict::{Proof, Verdict};

const DECLS: &str = "
    typedef unsigned long pthread_t; typedef struct { int a[10]; } pthread_mutex_t;
    typedef struct { int a[10]; } pthread_rwlock_t; typedef int pthread_spinlock_t; typedef struct { int a[8]; } sem_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
    int pthread_detach(pthread_t); pthread_t pthread_self(void);
    void pthread_exit(void *); int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
    int pthread_rwlock_wrlock(pthread_rwlock_t *); int pthread_rwlock_unlock(pthread_rwlock_t *);
    int pthread_spin_init(pthread_spinlock_t *, int); int pthread_spin_lock(pthread_spinlock_t *);
    int pthread_spin_unlock(pthread_spinlock_t *);
    int sem_init(sem_t *, int, unsigned); int sem_wait(sem_t *); int sem_post(sem_t *);
    void reach_error(void); void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
    void __VERIFIER_assume(int); void exit(int) __attribute__((noreturn)); void abort(void) __attribute__((noreturn));
    void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
    int __VERIFIER_nondet_int(void); void *memset(void *, int, unsigned long);
    typedef int pthread_mutexattr_t; typedef struct { int a[8]; } pthread_barrier_t; typedef int pthread_once_t;
    typedef struct { int a[12]; } pthread_cond_t;
    int pthread_mutexattr_init(pthread_mutexattr_t *); int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
    int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *); int pthread_mutex_trylock(pthread_mutex_t *);
    int pthread_rwlock_rdlock(pthread_rwlock_t *); int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
    int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned); int pthread_barrier_wait(pthread_barrier_t *);
    int pthread_once(pthread_once_t *, void (*)(void)); int pthread_cond_signal(pthread_cond_t *);
    int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *); ";

/// The program, with its threads made explicit.
pub fn load(text: &str, bound: u32) -> Prepared {
    load_with(text, bound, &Rule::STATED)
}

/// The same, for other rules.
pub fn load_with(text: &str, bound: u32, rules: &[Rule]) -> Prepared {
    let program = parse(text);

    analysis::prepare_with(program, rules, bound)
}

/// The same, with as many threads as are followed by default.
pub fn load_default(text: &str) -> Prepared {
    let program = parse(text);

    analysis::prepare(program, &[Rule::UnreachCall])
}

/// The program as the front end makes it.
pub fn parse(text: &str) -> Program {
    let text = format!("{}\n{text}", DECLS.replace('\n', " "));
    let options = tour_core::LoadOptions::new(DataModel::Lp64);
    tour_core::load(&[Input::text("a.i", text)], &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The verdict with the given reductions; the certificate of a proof must hold.
pub fn with(program: &Prepared, kind: Kind, por: Por, coi: Coi) -> (Verdict, Statistics) {
    let context = Context::default();
    let options = Options { analysis: kind, por, coi, ..Options::default() };
    let verdict = Interleavings(options).run(program, &context);
    if let Verdict::Proved(Proof { certificate: Certificate::Interleavings(invariants), .. }) = &verdict
        && let Err(why) = tour_core::evidence::check_threads(program, invariants, &context.interrupt)
    {
        panic!("{kind:?} {por:?} {coi:?}: the certificate does not hold: {why}");
    }
    (verdict, context.stats)
}

pub fn verdict(program: &Prepared) -> Verdict {
    with(program, Kind::VALUE, Por::Static, Coi::On).0
}

pub fn stats_of(stats: &Statistics, name: &str) -> u64 {
    let rows = stats.rows();
    let row = rows.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no statistic {name}"));
    row.1.to_string().parse().unwrap_or_else(|_| panic!("{name} is no number"))
}

/// Every domain and reduction gives the verdict.
#[track_caller]
pub fn check(text: &str, expected: &str) {
    check_program(&load(text, 8), text, expected);
}

/// The same, for one rule.
#[track_caller]
pub fn check_rule(rule: Rule, text: &str, expected: &str) {
    check_program(&load_with(text, 8, &[rule]), text, expected);
}

#[track_caller]
fn check_program(program: &Prepared, text: &str, expected: &str) {
    for kind in [Kind::VALUE, Kind::EXPLICIT, Kind::PREDICATE, Kind::PRODUCT] {
        for (por, coi) in [(Por::None, Coi::Off), (Por::Static, Coi::On), (Por::Static, Coi::PorCoi)] {
            let (verdict, _) = with(program, kind, por, coi);
            assert_eq!(verdict.to_string(), expected, "{kind:?} {por:?} {coi:?}\n{text}");
        }
    }
}

/// How far the beginning of the program is from an error.
pub fn first_distance(program: &Prepared, metric: Metric) -> usize {
    let mut prints = Footprints::prepared(program);
    let graph = ThreadGraph::of(program, &mut prints);
    let mut engine = Engine::for_threads(program, &Context::default(), graph.visible.clone());
    let distances = Distances::of(program, &graph, metric, &[]);
    let mut threads = Interleaving::new(&mut engine.blocks, prints, graph).expect("bodies");
    let first = threads.initial();
    distances.of_tuple(&threads, &engine.blocks, first).steps().expect("an error") as usize
}

/// What the reduction replaces at each pair of locations of the first two created threads, if these variables are
/// tracked. Both run alone from their beginning to the end.
pub fn simplifications(program: &Prepared, tracked: &[&str]) -> String {
    let context = Context::default();
    let mut prints = Footprints::prepared(program);
    let graph = ThreadGraph::of(program, &mut prints);
    let mut engine = Engine::for_threads(program, &context, graph.visible.clone());
    let mut threads = Interleaving::new(&mut engine.blocks, prints, graph).expect("bodies");
    let mut flows = Flows::new(program, &mut threads, 10_000);
    let named = |name: &&str| program.vars.iter_enumerated().find(|(_, v)| v.name == *name).map(|(id, _)| id);
    let mut bases = std::collections::BTreeSet::new();
    for var in tracked.iter().filter_map(named) {
        let leaves = engine.blocks.encoder.leaves_of(&mut engine.terms, var, 0).expect("a scalar");
        bases.extend(leaves.iter().map(|leaf| leaf.base));
    }
    flows.set_precision(&mut threads, &engine.blocks.encoder, Some(&bases));
    let [one, two] = [1, 2].map(ThreadId::new);
    let paths = [one, two].map(|thread| {
        let (begin, end) = engine.blocks.unfolding.ends_of(thread).expect("a body");
        let mut nodes = vec![begin];
        while let Some(&last) = nodes.last().filter(|n| **n != end) {
            let steps = engine.blocks.steps(last);
            let next = steps.iter().filter_map(|(_, t)| t.to).find(|to| engine.blocks.ends_at(*to));
            nodes.push(next.expect("it goes on"));
        }
        nodes
    });
    let name = |engine: &mut Engine, node| {
        let steps = engine.blocks.steps(node);
        let mut ops = steps.iter().map(|(_, t)| &program.cfa.edges[t.step.edge()].op);
        if ops.clone().any(|op| matches!(op, Op::Assume { .. })) {
            return "test".to_owned();
        }
        let assigns = |op: &&Op| match op {
            Op::Assign(place, _) => match program.places[*place].kind {
                tour_core::program::PlaceKind::Var(v) => program.vars[v].is_static(),
                _ => false,
            },
            _ => false,
        };
        let op = ops.find(assigns).filter(|_| !steps.is_empty());
        op.map_or("end".to_owned(), |op| program.show_op(op))
    };
    let mut out = String::new();
    for &a in &paths[0] {
        for &b in &paths[1] {
            let (at_a, at_b) = (name(&mut engine, a), name(&mut engine, b));
            if at_a == "end" && (at_b == "end" || a == paths[0][0]) {
                continue;
            }
            let start = threads.initial();
            // The first thread has ended.
            let (_, main_end) = engine.blocks.unfolding.ends_of(ThreadId::new(0)).expect("a body");
            let tuple = threads.moved(start, ThreadId::new(0), main_end);
            let tuple = threads.moved(tuple, one, a);
            let tuple = threads.moved(tuple, two, b);
            let tuple = threads.get(tuple);
            let shown = [a, b].map(|node| {
                let steps = engine.blocks.steps(node);
                let found =
                    flows.replaced(&threads, &engine.blocks, &tuple, steps.iter().map(|(_, t)| t.step));
                let own = |step: &tour_core::block::Step| match &program.cfa.edges[step.edge()].op {
                    Op::Assign(place, _) => match program.places[*place].kind {
                        tour_core::program::PlaceKind::Var(v) => {
                            ["x", "y"].contains(&program.vars[v].name.as_str())
                        }
                        _ => false,
                    },
                    _ => false,
                };
                match found.iter().find(|(step, _)| own(step)).map(|(_, what)| *what) {
                    Some(tour_core::block::Replaced::Nop) => "NOP",
                    Some(tour_core::block::Replaced::Havoc) => "havoc",
                    None => "-",
                }
            });
            out += &format!("p1 at {at_a}, p2 at {at_b}: p1 {}, p2 {}\n", shown[0], shown[1]);
        }
    }
    out
}

/// A small concurrent program: two or three threads over three shared variables, a lock, atomic sections, a loop
/// perhaps, and an assertion in one of them or after the joins.
pub fn generate(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let threads = 2 + random.below(2);
    let mut text = "int x, y, z; pthread_mutex_t m;\n".to_owned();
    for t in 0..threads {
        let mut body = String::new();
        let count = if threads == 3 { 2 } else { 3 };
        for _ in 0..1 + random.below(count) {
            body += &random.statement();
        }
        if random.below(3) == 0 {
            body += &format!("if ({}) reach_error(); ", random.condition());
        }
        text += &format!("void *f{t}(void *a) {{ int l = {}; {body} return 0; }}\n", random.below(3));
    }
    text += "int main(void) { pthread_t t[3];";
    let join = random.below(2) == 0;
    for t in 0..threads {
        text += &format!(" pthread_t t{t}; pthread_create(&t{t}, 0, f{t}, 0);");
    }
    if random.below(3) == 0 {
        text += &format!(
            " {}",
            random
                .statement()
                .replace("l = ", "z = ")
                .replace("l++", "z++")
                .replace("(l ", "(z ")
                .replace(" l;", " z;")
        );
    }
    if join {
        for t in 0..threads {
            text += &format!(" pthread_join(t{t}, 0);");
        }
        text += &format!(" if ({}) reach_error();", random.condition());
    }
    text + " return 0; }\n"
}

/// Two or three threads that take and give locks and a semaphore, in whatever order; main waits for some of them.
pub fn generate_locking(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let threads = 2 + random.below(2);
    let mut text = "int x; pthread_mutex_t m, n; pthread_rwlock_t l; sem_t s;\n".to_owned();
    for t in 0..threads {
        let mut body = String::new();
        for _ in 0..1 + random.below(2) {
            body += &random.section();
        }
        text += &format!("void *f{t}(void *a) {{ {body} return 0; }}\n");
    }
    text += &format!("int main(void) {{ sem_init(&s, 0, {});", random.below(2));
    for t in 0..threads {
        text += &format!(" pthread_t t{t}; pthread_create(&t{t}, 0, f{t}, 0);");
    }
    if random.below(3) == 0 {
        text += &format!(" {}", random.section());
    }
    for t in 0..threads {
        if random.below(3) > 0 {
            text += &format!(" pthread_join(t{t}, 0);");
        }
    }
    text + if random.below(3) == 0 { " pthread_exit(0); }\n" } else { " return 0; }\n" }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn var(&mut self) -> &'static str {
        ["x", "y", "z"][self.below(3) as usize]
    }

    fn condition(&mut self) -> String {
        let op = ["==", "!=", "<", ">"][self.below(4) as usize];
        match self.below(3) {
            0 => format!("{} {op} {}", self.var(), self.var()),
            _ => format!("{} {op} {}", self.var(), self.below(3)),
        }
    }

    fn simple(&mut self) -> String {
        match self.below(7) {
            0 => format!("{} = {}; ", self.var(), self.below(3)),
            1 => format!("{} = {}; ", self.var(), self.var()),
            2 => format!("{} = {} + 1; ", self.var(), self.var()),
            3 => format!("l = {}; ", self.var()),
            4 => format!("{} = l; ", self.var()),
            5 => format!("if ({}) {} = {}; ", self.condition(), self.var(), self.below(3)),
            _ => "l++; ".into(),
        }
    }

    /// Locks that are taken and given, perhaps in another order, perhaps not at all.
    fn section(&mut self) -> String {
        let lock = |random: &mut Self| ["m", "n"][random.below(2) as usize];
        match self.below(7) {
            0 => "sem_wait(&s); ".into(),
            1 => "sem_post(&s); ".into(),
            2 => format!("pthread_mutex_lock(&{}); ", lock(self)),
            3 => "pthread_rwlock_wrlock(&l); x = 1; pthread_rwlock_unlock(&l); ".into(),
            _ => {
                let (a, b) = (lock(self), lock(self));
                let b = if a == b { "l" } else { b };
                let (take, give) = match b {
                    "l" => ("pthread_rwlock_wrlock(&l)".to_owned(), "pthread_rwlock_unlock(&l)".to_owned()),
                    b => (format!("pthread_mutex_lock(&{b})"), format!("pthread_mutex_unlock(&{b})")),
                };
                format!("pthread_mutex_lock(&{a}); {take}; x = x + 1; {give}; pthread_mutex_unlock(&{a}); ")
            }
        }
    }

    fn statement(&mut self) -> String {
        match self.below(8) {
            0 => {
                let (a, b) = (self.simple(), self.simple());
                format!("pthread_mutex_lock(&m); {a}{b}pthread_mutex_unlock(&m); ")
            }
            1 => {
                let (a, b) = (self.simple(), self.simple());
                format!("__VERIFIER_atomic_begin(); {a}{b}__VERIFIER_atomic_end(); ")
            }
            2 => format!("__VERIFIER_assume({}); ", self.condition()),
            3 if self.below(4) == 0 => match self.below(2) {
                0 => "exit(0); ".into(),
                _ => "pthread_mutex_lock(&m); ".into(),
            },
            3 => format!("while ({} < 1) {{ {} = 1; }} ", self.var(), self.var()),
            _ => self.simple(),
        }
    }
}
