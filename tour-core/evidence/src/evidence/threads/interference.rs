//! Where threads interfere: what more than one of them accesses, where their actions end so that another may take over,
//! and what a thread may still do to others.

use super::access::{Object, Reader, Step};
use super::progress::may_end;
use fixedbitset::FixedBitSet;
use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tour_ir::cfa::{Graph, LocId, LocKind};
use tour_ir::program::{Builtin, Call, Callee, Op, Program, ThreadId};

/// What steps read and write of what more than one thread accesses, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Footprint {
    reads: FixedBitSet,
    writes: FixedBitSet,
}

impl Footprint {
    /// One writes what the other accesses.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        !self.writes.is_disjoint(&other.writes)
            || !self.writes.is_disjoint(&other.reads)
            || !self.reads.is_disjoint(&other.writes)
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Footprint) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
    }

    fn touch(&mut self, number: usize, write: bool) {
        let set = if write { &mut self.writes } else { &mut self.reads };
        set.grow_and_insert(number);
    }
}

/// A step of some thread, whoever called.
struct Move {
    step: Step,
    to: LocId,
}

/// What the threads of a program have to do with each other.
pub(super) struct Interference {
    /// Numbers of the objects that more than one thread accesses, and of the ends of threads.
    numbers: FxHashMap<Object, usize>,
    footprints: FxHashMap<Step, Footprint>,
    /// Objects that more than one thread accesses, and one writes.
    shared: FixedBitSet,
    /// The strongly connected component of each location.
    component: IndexVec<LocId, u32>,
    /// What can still happen from the locations of a component, by their thread and those that it starts.
    future: Vec<Footprint>,
    /// A step that leaves here is about the beginning or the end of a thread.
    control: FxHashSet<LocId>,
    /// A step that leaves here accesses what others access, begins an atomic section, or may end the run after what
    /// others could see.
    seen: FxHashSet<LocId>,
    /// Accesses in atomic sections are looked at one by one.
    inside: bool,
}

impl Interference {
    /// Looks at a program. An error says what can't be looked at.
    pub fn of(reader: &Reader) -> Result<Interference, String> {
        let program = reader.program;
        let (moves, spawns) = moves(reader)?;
        let mut touched: FxHashMap<Step, Vec<(Object, bool)>> = FxHashMap::default();
        let mut by: FxHashMap<Object, (FxHashSet<ThreadId>, bool)> = FxHashMap::default();
        for (loc, moves) in moves.iter_enumerated() {
            let thread = reader.thread(loc);
            for Move { step, .. } in moves {
                let effects = touched.entry(*step).or_insert_with(|| reader.effects(*step));
                for (object, write) in effects {
                    let (threads, written) = by.entry(*object).or_default();
                    threads.insert(thread);
                    *written |= *write;
                }
            }
        }
        // Whether a thread has begun or ended is asked by others, wherever that is done.
        by.retain(|object, (threads, _)| match object {
            Object::Begun(_) | Object::Ended(_) => true,
            Object::Var(_) | Object::Region(_) => threads.len() > 1,
        });
        let ended = program.threads.all.indices().map(Object::Ended);
        let mut objects: Vec<Object> = by.keys().copied().chain(ended).collect();
        objects.sort_unstable();
        objects.dedup();
        let numbers: FxHashMap<Object, usize> = objects.iter().copied().zip(0..).collect();
        let mut footprints: FxHashMap<Step, Footprint> = FxHashMap::default();
        for (step, effects) in &touched {
            let footprint = footprints.entry(*step).or_default();
            for (object, write) in effects {
                if let Some(number) = numbers.get(object) {
                    footprint.touch(*number, *write);
                }
            }
        }
        // What a thread is given is written before it begins, what it gives back is read after it has ended.
        let handed: FxHashSet<Object> =
            program.threads.all.iter().flat_map(|t| [t.param, t.ret]).flatten().map(Object::Var).collect();
        let mut shared = FixedBitSet::with_capacity(objects.len());
        for (object, (threads, written)) in &by {
            if threads.len() > 1 && *written && !handed.contains(object) {
                shared.insert(numbers[object]);
            }
        }
        let (component, future) = futures(reader, &moves, &spawns, &footprints, &numbers);
        let mut all = Interference {
            numbers,
            footprints,
            shared,
            component,
            future,
            control: FxHashSet::default(),
            seen: FxHashSet::default(),
            inside: program.threads.looks_at_accesses(),
        };
        all.find_ends(reader, &moves);
        Ok(all)
    }

    /// What a step does to what other threads access.
    pub fn footprint(&self, step: Step) -> Footprint {
        self.footprints.get(&step).cloned().unwrap_or_default()
    }

    /// Other threads may see that a step was taken.
    pub fn is_seen(&self, step: Step) -> bool {
        self.footprints.get(&step).is_some_and(|footprint| !footprint.writes.is_disjoint(&self.shared))
    }

    /// The end of a thread, which others may wait for.
    pub fn end_of(&self, thread: ThreadId) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.touch(self.numbers[&Object::Ended(thread)], true);
        footprint
    }

    /// What can still happen from a location, by its thread and those that it starts.
    pub fn future(&self, loc: LocId) -> &Footprint {
        &self.future[self.component[loc] as usize]
    }

    /// A step that leaves here is about the beginning or the end of a thread.
    pub fn is_control(&self, loc: LocId) -> bool {
        self.control.contains(&loc)
    }

    /// Another thread may take over before the steps that leave here.
    pub fn yields(&self, program: &Program, loc: LocId, in_section: bool) -> bool {
        self.control.contains(&loc)
            || program.threads.blocked_at.contains(&loc)
            || (self.inside || !in_section) && self.seen.contains(&loc)
    }

    /// Finds out where actions end.
    fn find_ends(&mut self, reader: &Reader, moves: &IndexVec<LocId, Vec<Move>>) {
        let program = reader.program;
        let mut after = Vec::new();
        for (loc, moves) in moves.iter_enumerated() {
            let stays = matches!(program.cfa.locs[loc].kind, LocKind::Error(_) | LocKind::End);
            for Move { step, to } in moves {
                let builtin = match step {
                    Step::Edge(edge) => reader.builtin(*edge),
                    Step::Enter(..) | Step::Leave(..) => None,
                };
                match builtin {
                    Some(Builtin::ThreadStart | Builtin::ThreadFinished) => {
                        self.control.insert(loc);
                        after.push(*to);
                        continue;
                    }
                    Some(Builtin::AtomicBegin) => _ = self.seen.insert(loc),
                    _ => {}
                }
                let Some(footprint) = self.footprints.get(step) else { continue };
                let writes = !footprint.writes.is_disjoint(&self.shared);
                if !stays && (writes || !footprint.reads.is_disjoint(&self.shared)) {
                    self.seen.insert(loc);
                }
                if writes {
                    after.push(*to);
                }
            }
        }
        // A step that may end the run is none of an action that others have seen something of.
        let sections = sections(reader, moves);
        let mut reached: FxHashSet<LocId> = after.iter().copied().collect();
        while let Some(loc) = after.pop() {
            if sections.contains(&loc) || !self.yields(program, loc, false) {
                after.extend(moves[loc].iter().map(|m| m.to).filter(|to| reached.insert(*to)));
            }
        }
        self.seen.extend(reached.into_iter().filter(|loc| may_end(program, *loc)));
    }
}

/// The steps from each location, through calls and returns; and the threads that are started there.
#[expect(clippy::type_complexity, reason = "two tables by location")]
fn moves(reader: &Reader) -> Result<(IndexVec<LocId, Vec<Move>>, IndexVec<LocId, Vec<LocId>>), String> {
    let program = reader.program;
    let mut moves: IndexVec<LocId, Vec<Move>> = program.cfa.locs.iter().map(|_| Vec::new()).collect();
    let mut spawns: IndexVec<LocId, Vec<LocId>> = program.cfa.locs.iter().map(|_| Vec::new()).collect();
    let entry_of = |thread: ThreadId| program.functions[program.threads.all[thread].root].body;
    for (id, edge) in program.cfa.edges.iter_enumerated() {
        let called = match &edge.op {
            Op::Call(Call { callee: Callee::Direct(f), .. }) => {
                program.functions[*f].body.map(|body| (*f, body))
            }
            Op::Call(Call { callee: Callee::Indirect(_), .. }) => {
                return Err("a thread calls through a pointer".into());
            }
            _ => None,
        };
        if let Some((f, body)) = called {
            moves[edge.from].push(Move { step: Step::Enter(id, f), to: body.entry });
            moves[body.exit].push(Move { step: Step::Leave(id, f), to: edge.to });
            continue;
        }
        let builtin = reader.builtin(id);
        let to = match builtin {
            Some(Builtin::ThreadExit) => entry_of(reader.thread(edge.from)).map_or(edge.to, |body| body.exit),
            _ => edge.to,
        };
        moves[edge.from].push(Move { step: Step::Edge(id), to });
        if builtin == Some(Builtin::ThreadStart)
            && let Some(body) = reader.about(id, 0).and_then(entry_of)
        {
            spawns[edge.from].push(body.entry);
        }
    }
    Ok((moves, spawns))
}

/// What can still happen, by component; components are numbered such that those that one leads to come before it.
fn futures(
    reader: &Reader,
    moves: &IndexVec<LocId, Vec<Move>>,
    spawns: &IndexVec<LocId, Vec<LocId>>,
    footprints: &FxHashMap<Step, Footprint>,
    numbers: &FxHashMap<Object, usize>,
) -> (IndexVec<LocId, u32>, Vec<Footprint>) {
    let next = |loc: LocId| moves[loc].iter().map(|m| m.to).chain(spawns[loc].iter().copied());
    let edges: Vec<(u32, u32)> = (moves.indices())
        .flat_map(|loc| next(loc).map(move |to| (loc.index() as u32, to.index() as u32)))
        .collect();
    let components = Graph::new(moves.len(), &edges).components();
    let mut component: IndexVec<LocId, u32> = index_vec::index_vec![u32::MAX; moves.len()];
    let mut future: Vec<Footprint> = Vec::with_capacity(components.len());
    for (members, number) in components.iter().zip(0..) {
        let members = members.iter().map(|loc| LocId::new(*loc as usize));
        members.clone().for_each(|loc| component[loc] = number);
        let mut all = Footprint::default();
        for loc in members {
            moves[loc].iter().filter_map(|m| footprints.get(&m.step)).for_each(|step| all.add(step));
            for to in next(loc).map(|to| component[to]).filter(|to| *to != number) {
                all.add(&future[to as usize]);
            }
            // Whoever goes on may come to an end.
            all.touch(numbers[&Object::Ended(reader.thread(loc))], true);
        }
        future.push(all);
    }
    (component, future)
}

/// Locations that may lie in an atomic section.
fn sections(reader: &Reader, moves: &IndexVec<LocId, Vec<Move>>) -> FxHashSet<LocId> {
    /// Deeper sections are not told apart.
    const DEEP: u8 = 4;
    let program = reader.program;
    let entries = program.threads.all.iter().filter_map(|t| program.functions[t.root].body);
    let mut work: Vec<(LocId, u8)> = entries.map(|body| (body.entry, 0)).collect();
    let mut seen: FxHashSet<(LocId, u8)> = work.iter().copied().collect();
    while let Some((loc, depth)) = work.pop() {
        for Move { step, to } in &moves[loc] {
            let depth = match step {
                Step::Edge(edge) => match reader.builtin(*edge) {
                    Some(Builtin::AtomicBegin) => (depth + 1).min(DEEP),
                    Some(Builtin::AtomicEnd) => depth.saturating_sub(1),
                    _ => depth,
                },
                Step::Enter(..) | Step::Leave(..) => depth,
            };
            if seen.insert((*to, depth)) {
                work.push((*to, depth));
            }
        }
    }
    seen.into_iter().filter(|(_, depth)| *depth > 0).map(|(loc, _)| loc).collect()
}
