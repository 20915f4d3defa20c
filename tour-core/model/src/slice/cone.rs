//! The cone of influence: what the checks of a program depend on, over data and control `[SLICE]`, across functions without
//! regard to which call is which.
//!
//! Locations are kept: those of violated checks and of what is not modelled; those that may write a datum that matters; those
//! that decide where runs go on ([`control`]); calls of functions in which something is kept. What a kept location reads
//! matters.

use super::control;
use super::dependence::{Dependence, Number};
use super::{assumptions, dependence::Effect};
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{Cfa, EdgeId, LocId, LocKind};
use tour_ir::choice::Choice;
use tour_ir::program::{FnId, Op};

/// Which branches are kept with their conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Branches {
    /// Those about data that matter anyway, and those right before checks. Others that decide where runs go on are open: a
    /// run of the slice may take either way `[THIN]`.
    Thin,
    /// All that decide where runs go on.
    Full,
}

impl Choice for Branches {
    fn all() -> Vec<(Branches, &'static str, &'static str)> {
        vec![
            (Branches::Full, "full", "All conditions"),
            (Branches::Thin, "thin", "Those about the same data: what is analysed first"),
        ]
    }
}

/// What is kept.
pub(super) struct Cone {
    /// Locations.
    pub kept: IndexVec<LocId, bool>,
    /// Data that matter.
    pub matters: Vec<bool>,
    /// Where runs go on.
    pub next: IndexVec<LocId, Option<LocId>>,
    /// Branches that are kept without their conditions.
    pub open: IndexVec<LocId, bool>,
}

impl Cone {
    /// The cone of all checks.
    pub fn of(dependence: &Dependence, branches: Branches) -> Cone {
        let mut search = Search::new(dependence, branches);
        search.begin();
        loop {
            search.run();
            let guards = search.guard();
            if !search.assume() && !guards {
                return search.cone;
            }
        }
    }

    /// A run that is there violates a check, whatever the data are: it is an error location, or calls a function that
    /// gets to one at once.
    pub fn is_alarm(&self, of: &Dependence, mut loc: LocId) -> bool {
        let cfa = &of.program.cfa;
        let mut seen = Vec::new();
        while !seen.contains(&loc) {
            seen.push(loc);
            if let LocKind::Error(_) = cfa.locs[loc].kind {
                return true;
            }
            let [edge] = cfa.locs[loc].out[..] else { return false };
            let Some(&[target]) = of.effect_of(edge).call.as_ref().map(|call| &call.targets[..]) else {
                return false;
            };
            let entry = of.program.functions[target].body.map(|body| body.entry);
            match entry.and_then(|entry| self.next[entry]) {
                Some(next) => loc = next,
                None => return false,
            }
        }
        false
    }
}

/// A location that is to be kept, or a datum that matters: what follows from it has not been looked at.
enum Task {
    Keep(LocId),
    /// It decides where runs go on.
    Decides(LocId),
    Matters(Number),
}

struct Search<'a, 'p> {
    of: &'a Dependence<'p>,
    branches: Branches,
    cone: Cone,
    /// Open branches whose conditions read a datum.
    askers: FxHashMap<Number, Vec<LocId>>,
    /// Functions in which something is kept.
    loud: IndexVec<FnId, bool>,
    /// Locations with an edge that may write a datum.
    writers: FxHashMap<Number, Vec<LocId>>,
    /// Calls that pass a datum on: as a parameter, or as their destination.
    passes: FxHashMap<Number, Vec<EdgeId>>,
    tasks: Vec<Task>,
    /// Functions whose kept locations may not be closed.
    open: Vec<FnId>,
    is_open: IndexVec<FnId, bool>,
}

impl<'a, 'p> Search<'a, 'p> {
    fn new(of: &'a Dependence<'p>, branches: Branches) -> Search<'a, 'p> {
        let program = of.program;
        let mut writers: FxHashMap<Number, Vec<LocId>> = FxHashMap::default();
        let mut passes: FxHashMap<Number, Vec<EdgeId>> = FxHashMap::default();
        for &f in &of.functions {
            for loc in of.locations(f) {
                for &edge in &program.cfa.locs[loc].out {
                    let effect = of.effect_of(edge);
                    for &datum in &effect.writes {
                        writers.entry(datum).or_default().push(loc);
                    }
                    let Some(call) = &effect.call else { continue };
                    let params = call.targets.iter().flat_map(|target| of.params[*target].iter().flatten());
                    let dest = call.dest.iter().flat_map(|(content, _)| content);
                    for &datum in params.chain(dest) {
                        passes.entry(datum).or_default().push(edge);
                    }
                }
            }
        }
        let cone = Cone {
            kept: program.cfa.locs.iter().map(|_| false).collect(),
            matters: vec![false; of.data],
            next: program.cfa.locs.iter().map(|_| None).collect(),
            open: program.cfa.locs.iter().map(|_| false).collect(),
        };
        let is_open = program.functions.iter().map(|_| false).collect();
        let loud = program.functions.iter().map(|_| false).collect();
        let askers = FxHashMap::default();
        let (tasks, open) = (Vec::new(), Vec::new());
        Search { of, branches, cone, askers, loud, writers, passes, tasks, open, is_open }
    }

    /// Checks, what is not modelled, and ends of functions.
    fn begin(&mut self) {
        for &f in &self.of.functions {
            for loc in self.of.locations(f) {
                let node = &self.of.program.cfa.locs[loc];
                match node.kind {
                    LocKind::Error(_) => self.tasks.push(Task::Keep(loc)),
                    // Where it returns to goes on, whatever is left of the function.
                    LocKind::Exit => self.cone.kept[loc] = true,
                    LocKind::Plain | LocKind::Entry | LocKind::End => {}
                }
                if node.out.iter().any(|edge| self.of.effect_of(*edge).anything) {
                    self.tasks.push(Task::Keep(loc));
                }
            }
            self.opened(f);
        }
    }

    /// Until nothing new follows.
    fn run(&mut self) {
        loop {
            while let Some(task) = self.tasks.pop() {
                match task {
                    Task::Keep(loc) => self.keep(loc),
                    Task::Decides(loc) => self.decides(loc),
                    Task::Matters(datum) => self.matters(datum),
                }
            }
            let Some(f) = self.open.pop() else { return };
            self.is_open[f] = false;
            self.close(f);
        }
    }

    fn opened(&mut self, f: FnId) {
        if !std::mem::replace(&mut self.is_open[f], true) {
            self.open.push(f);
        }
    }

    fn keep(&mut self, loc: LocId) {
        if self.cone.kept[loc] && !self.cone.open[loc] {
            return;
        }
        self.stay(loc);
        self.cone.open[loc] = false;
        let program = self.of.program;
        for &edge in &program.cfa.locs[loc].out {
            let effect = self.of.effect_of(edge);
            self.tasks.extend(effect.reads.iter().map(|datum| Task::Matters(*datum)));
            self.pass(effect);
        }
    }

    fn stay(&mut self, loc: LocId) {
        self.cone.kept[loc] = true;
        let program = self.of.program;
        let f = program.cfa.locs[loc].function;
        self.opened(f);
        if !std::mem::replace(&mut self.loud[f], true) {
            self.tasks.extend(self.of.sites[f].iter().map(|site| Task::Keep(program.cfa.edges[*site].from)));
        }
    }

    /// A branch between locations that are kept is kept, and perhaps open.
    fn decides(&mut self, loc: LocId) {
        if self.cone.kept[loc] {
            return;
        }
        let cfa = &self.of.program.cfa;
        let out = &cfa.locs[loc].out;
        let reads = || out.iter().flat_map(|edge| &self.of.effect_of(*edge).reads);
        let about = reads().any(|datum| self.cone.matters[*datum as usize]);
        if self.branches == Branches::Full || about || !is_choice(cfa, loc) {
            return self.keep(loc);
        }
        for &datum in reads() {
            self.askers.entry(datum).or_default().push(loc);
        }
        self.cone.open[loc] = true;
        self.stay(loc);
    }

    fn matters(&mut self, datum: Number) {
        if std::mem::replace(&mut self.cone.matters[datum as usize], true) {
            return;
        }
        for &loc in self.writers.get(&datum).into_iter().chain(self.askers.get(&datum)).flatten() {
            self.tasks.push(Task::Keep(loc));
        }
        let of = self.of;
        for &edge in self.passes.get(&datum).map(Vec::as_slice).unwrap_or_default() {
            if self.cone.kept[of.program.cfa.edges[edge].from] {
                let tasks = passed(of, &self.cone.matters, of.effect_of(edge));
                self.tasks.extend(tasks);
            }
        }
    }

    fn pass(&mut self, effect: &Effect) {
        let tasks = passed(self.of, &self.cone.matters, effect);
        self.tasks.extend(tasks);
    }

    /// The locations of a function that decide where a run gets to next are kept.
    fn close(&mut self, f: FnId) {
        let cfa = &self.of.program.cfa;
        let locs = self.of.locations(f);
        let number = |loc: LocId| self.of.order.number(loc).unwrap_or(0);
        let edges: Vec<(u32, u32)> = (locs.iter())
            .flat_map(|&loc| cfa.successors(loc).map(move |(_, edge)| (number(loc), number(edge.to))))
            .collect();
        let members: Vec<bool> = locs.iter().map(|loc| self.cone.kept[*loc]).collect();
        let next = control::close(locs.len(), &edges, &members);
        for (i, &loc) in locs.iter().enumerate() {
            self.cone.next[loc] = next[i].map(|n| locs[n as usize]);
            if next[i] == Some(i as u32) && !members[i] {
                self.tasks.push(Task::Decides(loc));
            }
            // When a kept operation is undefined is asked before it.
            let asked =
                |edge: &EdgeId| self.of.effect_of(*edge).undefined && self.cone.kept[cfa.edges[*edge].to];
            if !members[i] && cfa.locs[loc].out.iter().any(asked) {
                self.tasks.push(Task::Keep(loc));
            }
        }
    }

    /// Keeps the conditions of open branches that guard checks; whether there were any. A branch guards what is right behind
    /// it; and so do branches that only jump over it, as `a` in `if (a || b) …`.
    fn guard(&mut self) -> bool {
        let (cone, cfa) = (&self.cone, &self.of.program.cfa);
        let ways = |loc: LocId| cfa.successors(loc).filter_map(|(_, edge)| cone.next[edge.to]);
        let branches: Vec<LocId> =
            cfa.locs.indices().filter(|loc| cone.kept[*loc] && cfa.locs[*loc].out.len() > 1).collect();
        let mut guards: FxHashSet<LocId> = FxHashSet::default();
        loop {
            let before = guards.len();
            for &loc in &branches {
                let jumps = |to: LocId| ways(loc).all(|way| way == to || ways(to).any(|other| other == way));
                if ways(loc).any(|to| cone.is_alarm(self.of, to) || guards.contains(&to) && jumps(to)) {
                    guards.insert(loc);
                }
            }
            if guards.len() == before {
                break;
            }
        }
        let found: Vec<LocId> =
            branches.into_iter().filter(|loc| cone.open[*loc] && guards.contains(loc)).collect();
        self.tasks.extend(found.iter().map(|loc| Task::Keep(*loc)));
        !found.is_empty()
    }

    /// Keeps assumptions about data that matter; whether there were any.
    fn assume(&mut self) -> bool {
        let found = assumptions::about(self.of, &self.cone);
        self.tasks.extend(found.iter().map(|loc| Task::Keep(*loc)));
        !found.is_empty()
    }
}

/// A condition holds on one edge, and does not on the other.
fn is_choice(cfa: &Cfa, loc: LocId) -> bool {
    let assumed = |edge: EdgeId| match cfa.edges[edge].op {
        Op::Assume { cond, truth } => Some((cond, truth)),
        _ => None,
    };
    match cfa.locs[loc].out[..] {
        [a, b] => matches!((assumed(a), assumed(b)), (Some((x, p)), Some((y, q))) if x == y && p != q),
        _ => false,
    }
}

/// Arguments of parameters that matter; the result of a call whose destination matters.
fn passed(of: &Dependence, matters: &[bool], effect: &Effect) -> Vec<Task> {
    let mut tasks = Vec::new();
    let Some(call) = &effect.call else { return tasks };
    let any = |data: &[Number]| data.iter().any(|datum| matters[*datum as usize]);
    for (i, arg) in call.args.iter().enumerate() {
        let passed =
            call.targets.iter().any(|target| of.params[*target].get(i).is_some_and(|param| any(param)));
        if passed || call.wholes[i] {
            tasks.extend(arg.iter().map(|datum| Task::Matters(*datum)));
        }
    }
    if let Some((content, address)) = &call.dest
        && any(content)
    {
        tasks.extend(address.iter().map(|datum| Task::Matters(*datum)));
        tasks.extend(call.targets.iter().flat_map(|t| &of.ret[*t]).map(|datum| Task::Matters(*datum)));
    }
    tasks
}
