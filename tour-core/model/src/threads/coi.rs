//! Statement reduction by abstract data flow [COI §3.1–3.4]: an assignment whose value no condition can observe any more,
//! by whatever interleaving, is replaced by `havoc` (its variable is tracked) or by nothing (it is not).
//!
//! A step β *observes* a step α with precision Π if it reads a variable of Π that α writes. *Direct* edges of the data-flow
//! graph stay in a thread, along its automaton; *indirect* ones go to other threads and are enabled only while the other
//! thread may still get there, which comparing two component numbers decides. *Real observers* are the steps that can
//! stop or divert a run. Within a block, values flow whether they are tracked or not: those edges need no precision.

use super::footprint::{Bits, Shared};
use super::graph::{Action, thread_at};
use super::interleaving::{Interleaving, Tuple};
use crate::block::{Blocks, Replaced, Step};
use crate::encode::{Cell, Encoder};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tour_ir::cfa::{LocId, LocKind, Loops};
use tour_ir::prepared::Prepared;
use tour_ir::program::{ExprId, ExprKind, Op, PlaceId, PlaceKind, Program, ThreadId};
use tour_logic::term::BaseId;

/// A step in the data-flow graph.
struct Node {
    action: Action,
    thread: ThreadId,
    /// It can stop or divert a run.
    real: bool,
    /// It may be replaced: what it writes.
    assigns: Option<u32>,
    /// It assigns a whole variable.
    whole: bool,
    reads: Bits,
    writes: Bits,
}

impl Node {
    /// Nothing is left of the variable's value. A step that writes a part of it counts as one that reads it, too.
    fn overwrites(&self, number: u32) -> bool {
        self.writes.contains(number) && (self.whole || !self.reads.contains(number))
    }
}

/// The abstract data-flow graph of a program.
pub struct Flows {
    max_walk: usize,
    nodes: Vec<Node>,
    by_step: FxHashMap<Step, Vec<u32>>,
    from: FxHashMap<LocId, Vec<u32>>,
    /// Steps that write and read each variable.
    writers: FxHashMap<u32, Vec<u32>>,
    readers: FxHashMap<u32, Vec<u32>>,
    /// Who is observed by a step of the same block, whatever is tracked.
    inner: Vec<Vec<u32>>,
    /// vars(Π).
    tracked: Bits,
    /// Who is observed by a step, by edges of all kinds.
    edges: Vec<Vec<u32>>,
    /// What is observed, by the components of the threads' locations.
    observed: FxHashMap<Box<[Option<u32>]>, Rc<Observed>>,
}

/// What real observers can observe from a tuple of locations, through whatever steps.
pub struct Observed {
    /// The steps.
    steps: Bits,
    /// What these read.
    pub reads: Bits,
}

impl Flows {
    /// The steps of a program, with the edges that need no precision. Where a value may get to is followed through so
    /// many locations.
    pub fn new(program: &Prepared, threads: &mut Interleaving, max_walk: usize) -> Flows {
        let loops = program.fact::<Loops>();
        let mut flows = Flows {
            max_walk,
            nodes: Vec::new(),
            by_step: FxHashMap::default(),
            from: FxHashMap::default(),
            writers: FxHashMap::default(),
            readers: FxHashMap::default(),
            inner: Vec::new(),
            tracked: Bits::default(),
            edges: Vec::new(),
            observed: FxHashMap::default(),
        };
        let actions: Vec<Action> = threads.graph.out.iter().flatten().copied().collect();
        for action in actions {
            let print = threads.prints.of(action.step);
            let index = flows.nodes.len() as u32;
            for number in print.writes.iter() {
                flows.writers.entry(number).or_default().push(index);
            }
            for number in print.reads.iter() {
                flows.readers.entry(number).or_default().push(index);
            }
            flows.from.entry(action.from).or_default().push(index);
            flows.by_step.entry(action.step).or_default().push(index);
            let assigns = replaceable(program, action.step).then(|| print.writes.iter().next()).flatten();
            // Only variables that are no memory are forgotten or left as they are.
            let assigns = assigns.filter(|n| matches!(threads.prints.all[*n as usize], Shared::Var(_)));
            flows.nodes.push(Node {
                action,
                thread: thread_at(program, action.from),
                real: is_real_observer(program, action.step),
                assigns,
                whole: assigns_whole(program, action.step),
                reads: print.reads.clone(),
                writes: print.writes.clone(),
            });
        }
        // A location where every block ends.
        let ends = |loc: LocId| {
            loops.is_head(loc)
                || threads.graph.visible.control.contains(&loc)
                || threads.graph.visible.steps.contains(&loc) && !threads.graph.atomic.contains(&loc)
        };
        flows.inner = vec![Vec::new(); flows.nodes.len()];
        for index in 0..flows.nodes.len() {
            let start = flows.nodes[index].action.to;
            let mut reached = Vec::new();
            let mut work = vec![start];
            let mut seen = FxHashSet::default();
            seen.insert(start);
            while let Some(loc) = work.pop() {
                if ends(loc) {
                    continue;
                }
                for &next in flows.from.get(&loc).into_iter().flatten() {
                    if flows.nodes[index].writes.intersects(&flows.nodes[next as usize].reads) {
                        reached.push(next);
                    }
                    let to = flows.nodes[next as usize].action.to;
                    if seen.insert(to) {
                        work.push(to);
                    }
                }
            }
            for observer in reached {
                flows.inner[observer as usize].push(index as u32);
            }
        }
        flows.edges.clone_from(&flows.inner);
        flows
    }

    /// Builds the edges for a precision, if it has changed; `None` for one that tracks everything.
    pub fn set_precision(
        &mut self,
        threads: &mut Interleaving,
        encoder: &Encoder,
        tracked: Option<&BTreeSet<BaseId>>,
    ) {
        let mut now = Bits::default();
        match tracked {
            None => (0..threads.prints.all.len() as u32).for_each(|number| now.insert(number)),
            Some(tracked) => {
                for what in tracked.iter().filter_map(|base| encoder.cell_of(*base).and_then(shared)) {
                    now.insert(threads.prints.number(what));
                }
            }
        }
        if now == self.tracked {
            return;
        }
        self.tracked = now;
        self.observed.clear();
        self.edges.clone_from(&self.inner);
        for number in self.tracked.iter() {
            for &writer in self.writers.get(&number).into_iter().flatten() {
                let a = &self.nodes[writer as usize];
                let reached = self.reached_by(threads, writer, number);
                for &reader in self.readers.get(&number).into_iter().flatten() {
                    let b = &self.nodes[reader as usize];
                    let observes = a.thread != b.thread
                        || match &reached {
                            Some(reached) => reached.contains(&b.action.from),
                            None => threads.graph.may_reach(a.action.to, b.action.from),
                        };
                    if observes {
                        self.edges[reader as usize].push(writer);
                    }
                }
            }
        }
    }

    /// Where its own thread may get to after a step without writing the variable again; `None` if that is not known.
    fn reached_by(&self, threads: &Interleaving, writer: u32, number: u32) -> Option<FxHashSet<LocId>> {
        let start = self.nodes[writer as usize].action.to;
        if !matches!(threads.prints.all[number as usize], Shared::Var(_)) {
            return None;
        }
        let mut seen = FxHashSet::default();
        seen.insert(start);
        let mut work = vec![start];
        while let Some(loc) = work.pop() {
            if seen.len() > self.max_walk {
                return None;
            }
            for &next in self.from.get(&loc).into_iter().flatten() {
                let next = &self.nodes[next as usize];
                if !next.overwrites(number) && seen.insert(next.action.to) {
                    work.push(next.action.to);
                }
            }
        }
        Some(seen)
    }

    /// What is observed from a tuple: the steps that threads can still get to and from which a path of edges leads to a
    /// real observer.
    pub fn observed(&mut self, threads: &Interleaving, blocks: &Blocks, tuple: &Tuple) -> Rc<Observed> {
        let position = |thread: usize| threads.position(blocks, tuple, ThreadId::new(thread));
        let key: Box<[Option<u32>]> =
            (0..tuple.len()).map(|t| position(t).map(|at| threads.graph.component(at))).collect();
        if let Some(known) = self.observed.get(&key) {
            return known.clone();
        }
        let enabled = |node: &Node| {
            key[node.thread.index()].is_some_and(|at| at >= threads.graph.component(node.action.from))
        };
        let (mut steps, mut reads) = (Bits::default(), Bits::default());
        let mut work: Vec<u32> =
            (0..).zip(&self.nodes).filter(|(_, n)| n.real && enabled(n)).map(|(i, _)| i).collect();
        work.iter().for_each(|index| steps.insert(*index));
        while let Some(index) = work.pop() {
            reads.union(&self.nodes[index as usize].reads);
            for &before in &self.edges[index as usize] {
                if !steps.contains(before) && enabled(&self.nodes[before as usize]) {
                    steps.insert(before);
                    work.push(before);
                }
            }
        }
        let found = Rc::new(Observed { steps, reads });
        self.observed.insert(key, found.clone());
        found
    }

    /// What is taken in place of the steps of an action: those that no real observer observes from here.
    pub fn replaced(
        &mut self,
        threads: &Interleaving,
        blocks: &Blocks,
        tuple: &Tuple,
        steps: impl Iterator<Item = Step>,
    ) -> BTreeMap<Step, Replaced> {
        let observed = self.observed(threads, blocks, tuple);
        let mut out = BTreeMap::new();
        for step in steps {
            let Some(nodes) = self.by_step.get(&step) else { continue };
            let Some(number) = nodes.iter().find_map(|n| self.nodes[*n as usize].assigns) else { continue };
            if nodes.iter().any(|node| observed.steps.contains(*node)) {
                continue;
            }
            let tracked = self.tracked.contains(number);
            out.insert(step, if tracked { Replaced::Havoc } else { Replaced::Nop });
        }
        out
    }
}

/// What of the footprints a cell of the formulas is part of.
pub fn shared(cell: &Cell) -> Option<Shared> {
    Some(match cell {
        Cell::Var { var, .. } | Cell::Origin { var, .. } | Cell::Home { var, .. } => Shared::Var(*var),
        Cell::Slot { region, .. }
        | Cell::Counter(region)
        | Cell::Sizes(region)
        | Cell::Alive(region)
        | Cell::Heap(region)
        | Cell::Bases(region) => Shared::Region(*region),
        Cell::Old(cell) => return shared(cell),
    })
}

/// The step can stop or divert a run, or do what is not looked at here. All others only pass values on.
fn is_real_observer(program: &Program, step: Step) -> bool {
    match step {
        Step::Edge(edge) => {
            let leads_to = program.cfa.locs[program.cfa.edges[edge].to].kind;
            let diverts = match &program.cfa.edges[edge].op {
                Op::Nop | Op::Return(None) => false,
                // The end of a life is seen by every access.
                Op::Expire(_) => true,
                Op::Declare(_) => false,
                Op::Assign(place, value) => !is_plain_place(program, *place) || !is_plain(program, *value),
                Op::Havoc(place, _) => !is_plain_place(program, *place),
                Op::Return(Some(value)) => !is_plain(program, *value),
                Op::Assume { .. } | Op::Call(_) | Op::Unsupported(_) => true,
            };
            diverts || matches!(leads_to, LocKind::Error(_))
        }
        Step::Enter { call, guard, .. } => match &program.cfa.edges[call].op {
            Op::Call(call) => guard.is_some() || call.args.iter().any(|a| !is_plain(program, *a)),
            _ => true,
        },
        Step::Leave { call, .. } => match &program.cfa.edges[call].op {
            Op::Call(call) => call.dest.is_some_and(|dest| !is_plain_place(program, dest)),
            _ => true,
        },
        Step::BadCall(_) => true,
    }
}

/// An assignment of a scalar variable that can't fail.
fn replaceable(program: &Program, step: Step) -> bool {
    let Step::Edge(edge) = step else { return false };
    match &program.cfa.edges[edge].op {
        Op::Assign(place, value) => {
            program.types.is_scalar(program.places[*place].ty)
                && is_plain_place(program, *place)
                && is_plain(program, *value)
        }
        _ => false,
    }
}

/// An assignment of all of a variable.
fn assigns_whole(program: &Program, step: Step) -> bool {
    let Step::Edge(edge) = step else { return false };
    match &program.cfa.edges[edge].op {
        Op::Assign(place, _) => matches!(program.places[*place].kind, PlaceKind::Var(_)),
        _ => false,
    }
}

/// A place that needs no pointer and no index.
fn is_plain_place(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Var(_) => true,
        PlaceKind::Field(base, _) => is_plain_place(program, base),
        PlaceKind::Deref(_) | PlaceKind::Index(..) => false,
    }
}

/// An expression that reads no memory through pointers or indices.
fn is_plain(program: &Program, expr: ExprId) -> bool {
    match program.exprs[expr].kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zeroed | ExprKind::FnAddr(_) => true,
        ExprKind::Load(place) | ExprKind::AddrOf(place) => is_plain_place(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => is_plain(program, a),
        ExprKind::Fact(..) => false,
        ExprKind::Binary(_, a, b) => is_plain(program, a) && is_plain(program, b),
    }
}
