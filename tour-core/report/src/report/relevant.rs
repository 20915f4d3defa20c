//! Which steps of a run had a part in its end: the dynamic backward slice over data (Agrawal and Horgan, *Dynamic program
//! slicing*, PLDI 1990, without its control dependences), and the branches that looked at the same data.
//!
//! The run is executed again with everything that it reads and writes. From the end backwards, the set holds the cells
//! whose values matter: a step that writes one of them matters, and then what it read for that write matters instead. A
//! branch on a value that matters is told too, because it says why the run went on; what else it looked at is not followed.

use rustc_hash::FxHashSet;
use tour_evidence::verdict::Violation;
use tour_interp::interp::{Access, Cells, Image, Inputs, Observer, Options, Outcome, Request, Write};
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Op, Program};

/// A step that matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relevant {
    /// Its index in the trace.
    pub step: usize,
    /// Why it matters.
    pub role: Role,
}

/// Why a step matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is the end: the condition that does not hold.
    Fails,
    /// It stored what the end looked at.
    Stores,
    /// It stored something that another step needed.
    Needed,
    /// It branched on a value that matters.
    Branches,
}

/// The steps of a violation that matter, the last first; empty if the run can't be repeated.
pub fn relevant(program: &Prepared, violation: &Violation) -> Vec<Relevant> {
    let mut given = Given { bits: violation.inputs.iter().map(|input| input.bits) };
    let mut seen = Seen::default();
    let options =
        Options { max_steps: violation.trace.len() as u64 + 1, max_depth: u32::MAX, ..Options::default() };
    let run = Image::of(program).run(&mut given, &options, &mut seen);
    let same = seen.steps.iter().map(|(edge, _)| *edge).eq(violation.trace.iter().map(|step| step.edge));
    if run.outcome == Outcome::Error(violation.check) && same { slice(program, &seen) } else { Vec::new() }
}

/// All inputs of an earlier run, in their order.
struct Given<I> {
    bits: I,
}

impl<I: Iterator<Item = u128>> Inputs for Given<I> {
    fn next(&mut self, _: &Request) -> Option<u128> {
        self.bits.next()
    }
}

/// A run with all accesses.
#[derive(Default)]
struct Seen {
    /// Each edge, and where its accesses begin.
    steps: Vec<(EdgeId, usize)>,
    accesses: Vec<Access>,
}

impl Seen {
    fn accesses(&self, step: usize) -> &[Access] {
        let start = self.steps[step].1;
        let end = self.steps.get(step + 1).map_or(self.accesses.len(), |next| next.1);
        &self.accesses[start..end]
    }
}

impl Observer for Seen {
    const WRITES: bool = false;
    const ACCESSES: bool = true;

    fn edge(&mut self, edge: EdgeId, _: u32) {
        self.steps.push((edge, self.accesses.len()));
    }

    fn write(&mut self, _: Write) {}

    fn accesses(&mut self, accesses: &[Access]) {
        // What happens before the first edge gives static variables their values: no step.
        if !self.steps.is_empty() {
            self.accesses.extend_from_slice(accesses);
        }
    }
}

fn slice(program: &Program, seen: &Seen) -> Vec<Relevant> {
    let edge = |step: usize| &program.cfa.edges[seen.steps[step].0];
    let Some(last) = seen.steps.len().checked_sub(1) else { return Vec::new() };
    // A check may look at several things in turn: all of them are the end.
    let is_end =
        |step: usize| matches!(edge(step).op, Op::Assume { .. }) && edge(step).span == edge(last).span;
    let end = (0..last).rev().take_while(|step| is_end(*step)).last().unwrap_or(last);
    let mut slice = Vec::new();
    let (mut wanted, mut direct) = (Wanted::default(), Wanted::default());
    for step in (0..=last).rev() {
        let op = &edge(step).op;
        let accesses = seen.accesses(step);
        let role = if step >= end {
            wanted.read_all(accesses);
            direct.read_all(accesses);
            Some(Role::Fails)
        } else if let Op::Assume { .. } = op {
            let looks =
                accesses.iter().any(|access| matches!(access, Access::Read(cells) if wanted.any(*cells)));
            (looks && !is_check(program, seen.steps[step].0)).then_some(Role::Branches)
        } else {
            let is_temporary = |place| program.show_place(place).starts_with('$');
            let through = matches!(op, Op::Assign(place, _) if is_temporary(*place));
            let stored = direct.follow(accesses, through);
            let needed = wanted.follow(accesses, true);
            match (stored, needed) {
                (true, _) => Some(Role::Stores),
                (false, true) => Some(Role::Needed),
                (false, false) => None,
            }
        };
        slice.extend(role.map(|role| Relevant { step, role }));
    }
    slice
}

/// Is an edge a part of a check: does a way of conditions at the same place lead to an error?
fn is_check(program: &Program, edge: EdgeId) -> bool {
    let cfa = &program.cfa;
    let span = cfa.edges[edge].span;
    let (mut waiting, mut known) = (vec![cfa.edges[edge].from], FxHashSet::default());
    while let Some(at) = waiting.pop() {
        if let LocKind::Error(_) = cfa.locs[at].kind {
            return true;
        }
        let out = cfa.locs[at].out.iter().map(|edge| &cfa.edges[*edge]);
        let conditions = out.filter(|e| e.span == span && matches!(e.op, Op::Assume { .. }));
        waiting.extend(conditions.map(|e| e.to).filter(|to| known.insert(*to)));
    }
    false
}

/// Cells whose values matter.
#[derive(Default)]
struct Wanted(FxHashSet<u64>);

impl Wanted {
    fn any(&self, cells: Cells) -> bool {
        !self.of(cells).is_empty()
    }

    /// Those of the cells that matter.
    fn of(&self, cells: Cells) -> Vec<u64> {
        if cells.count <= self.0.len() as u64 {
            (cells.start..cells.start + cells.count).filter(|cell| self.0.contains(cell)).collect()
        } else {
            self.0.iter().copied().filter(|cell| cells.contains(*cell)).collect()
        }
    }

    /// Those of the cells that matter; they do not any more.
    fn take(&mut self, cells: Cells) -> Vec<u64> {
        let found = self.of(cells);
        for cell in &found {
            self.0.remove(cell);
        }
        found
    }

    fn read(&mut self, cells: Cells) {
        self.0.extend(cells.start..cells.start + cells.count);
    }

    fn read_all(&mut self, accesses: &[Access]) {
        for access in accesses {
            if let Access::Read(cells) = access {
                self.read(*cells);
            }
        }
    }

    /// Goes back over the accesses of one step. Did it write a cell that matters? What it read for it matters then, if
    /// `on` is set.
    fn follow(&mut self, accesses: &[Access], on: bool) -> bool {
        let (mut matters, mut reading) = (false, false);
        for access in accesses.iter().rev() {
            match *access {
                Access::Read(cells) if reading && on => self.read(cells),
                Access::Read(_) => {}
                Access::Write(cells) => {
                    reading = !self.take(cells).is_empty();
                }
                Access::Copy { to, from } => {
                    let written = self.take(to);
                    reading = !written.is_empty();
                    if on {
                        self.0.extend(written.iter().map(|cell| cell - to.start + from));
                    }
                }
            }
            matters |= reading;
        }
        matters
    }
}

#[cfg(test)]
mod tests {
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_c::load;
    use tour_engine::analysis::{self};
    use tour_engine::context::Context;
    use tour_evidence::verdict::Verdict;
    use tour_ir::program::{DataModel, Rule};

    /// The steps that matter, the first first: `s` for what the end looked at, `n` for what was needed, `b` for branches.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let declarations = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assert(int); \
                            extern void *malloc(unsigned long); extern void free(void *); ";
        let file = Input::text("a.i", format!("{declarations}\n{text}"));
        let program = load(&[file], &LoadOptions::new(DataModel::Lp64)).expect("a program");
        let rules: Vec<Rule> =
            Rule::named("memory-safety").into_iter().flatten().chain(Rule::STATED).collect();
        let program = analysis::prepare(program, &rules);
        let Verdict::Violated(found) = analysis::verify(&program, &Context::default()) else {
            panic!("it is violated")
        };
        let steps = super::relevant(&program, &found);
        let shown = steps.iter().rev().map(|relevant| {
            let role = match relevant.role {
                super::Role::Fails => "!",
                super::Role::Stores => "s",
                super::Role::Needed => "n",
                super::Role::Branches => "b",
            };
            format!("{role} {}", program.show_op(&program.cfa.edges[found.trace[relevant.step].edge].op))
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_what_the_end_depends_on() {
        check(
            "int main(void) { int a = __VERIFIER_nondet_int(); int b = 7; int c = a + 1; b = b * 2;
             if (c != 5) return 0; if (b > 100) return 1; __VERIFIER_assert(c < 5); }",
            &["n a = <input>", "s c = a + 1", "b [!(c != 5)]", "! [!(c < 5)]"],
        );
    }

    #[test]
    fn through_calls_and_memory() {
        check(
            "struct s { int other, head; }; static int twice(int x) { return x * 2; }
             static void set(struct s *s, int x) { s->other = 9; s->head = twice(x); }
             int main(void) { struct s a, b; int buf[4] = {0}; set(&b, 1); set(&a, 2); set(&b, 3); b = a;
             return buf[b.head]; }",
            &[
                "n set(&a, 2)",
                "n $2 = s",
                "n $1 = twice(x)",
                "n return x * 2",
                "n $2->head = $1",
                "s b = a",
                "! [!((long)b.head < 0)]",
                "! [(long)b.head >= 4]",
            ],
        );
    }

    #[test]
    fn the_end_of_a_life_matters() {
        check(
            "int main(void) { int *p = malloc(4); int *q = p; if (!p) return 0; *p = 1; free(p); return *q; }",
            &[
                "n $1 = malloc(4u)",
                "n p = (int *)$1",
                "s q = p",
                "b [p]",
                "s free((void *)p)",
                "! [!(q == NULL)]",
                "! [alive(q) == 0]",
                "! [size(q) != 0u]",
            ],
        );
    }
}
