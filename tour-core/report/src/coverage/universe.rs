//! What there is to cover: the divisors of the measures.
//!
//! *Statement lines* are lines of the user's files with an operation, those of functions that the entry can't reach
//! included (the front end does not parse them, but knows where they are). *Variables* are those that the user declares
//! in a declaration: no parameters, nothing from system headers. *Locations* are those of the automata of the user's
//! functions.
//!
//! In a program with threads, each thread has its own copy of the functions that it runs. Lines and variables are those
//! of the user's text, and count once; locations are those of the copies.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use tour_ir::cfa::{EdgeId, LocId, Order};
use tour_ir::prepared::Prepared;
use tour_ir::program::{Callee, FnId, Op, Program, Storage, VarId};
use tour_ir::source::Span;

index_vec::define_index_type! {
    /// A statement line.
    pub struct LineId = u32;
    DEBUG_FORMAT = "line{}";
}

/// A statement line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Line {
    /// Index into [`Universe::files`].
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
}

/// What there is to cover in a program.
#[derive(Clone, Debug)]
pub struct Universe {
    /// The user's files, in the order in which they occur.
    pub files: Vec<PathBuf>,
    /// Statement lines.
    pub lines: IndexVec<LineId, Line>,
    /// The line of an edge; `None` for edges that do nothing, and for those from elsewhere.
    pub line_of: IndexVec<EdgeId, Option<LineId>>,
    /// The variables that count.
    pub variables: IndexVec<VarId, bool>,
    /// The variable that counts in its place: its first copy, if threads have copies of it.
    pub first: IndexVec<VarId, VarId>,
    /// Variables with static storage among them: they are declared before anything runs.
    pub statics: Vec<VarId>,
    /// The variables that an edge speaks of.
    pub mentioned: IndexVec<EdgeId, Box<[VarId]>>,
    /// The edge is an assume, and has this condition's variables in `mentioned`.
    pub assumes: IndexVec<EdgeId, bool>,
    /// The locations that count.
    pub locations: IndexVec<LocId, bool>,
    /// Where an edge comes from.
    pub from: IndexVec<EdgeId, LocId>,
    /// The edges that lead to a location.
    pub into: IndexVec<LocId, Box<[EdgeId]>>,
    /// Where an edge leads to.
    pub to: IndexVec<EdgeId, LocId>,
    /// The exit of the function that an edge calls.
    pub callee_exit: IndexVec<EdgeId, Option<LocId>>,
    /// The edge leads back: its target comes no later in the order of its function.
    pub back: IndexVec<EdgeId, bool>,
    /// The function of a location.
    pub function_of: IndexVec<LocId, FnId>,
    /// Where the program begins.
    pub entry: Option<LocId>,
    /// Edges in an order in which predecessors come first, but for loops.
    pub ordered: Vec<EdgeId>,
}

impl Universe {
    /// Of a program.
    pub fn of(program: &Prepared) -> Universe {
        let cfa = &program.cfa;
        let mut lines = Lines::default();
        let line_of: IndexVec<EdgeId, Option<LineId>> = cfa
            .edges
            .iter()
            .map(|edge| match edge.op {
                // A life ends at a bracket, which is no statement.
                Op::Nop | Op::Expire(_) => None,
                _ => lines.at(program, edge.span),
            })
            .collect();
        for skipped in program.sources.skipped() {
            for &offset in &skipped.statements {
                lines.at(program, Span::new(skipped.span.unit, offset as usize, offset as usize));
            }
        }
        let first = first_copies(program);
        let own: FxHashSet<VarId> = program
            .threads
            .all
            .iter()
            .flat_map(|thread| thread.param.into_iter().chain(thread.ret))
            .collect();
        let counts = |var: VarId| match program.vars[var].storage {
            _ if first[var] != var || own.contains(&var) => false,
            Storage::Global { defined } => defined && is_users(program, program.vars[var].span),
            Storage::Static | Storage::StaticLocal(_) | Storage::Local(_) => {
                is_users(program, program.vars[var].span)
            }
            Storage::Literal | Storage::Param(_) | Storage::Temp(_) | Storage::Return(_) => false,
        };
        let variables: IndexVec<VarId, bool> = program.vars.indices().map(counts).collect();
        let own: IndexVec<FnId, bool> =
            program.functions.iter().map(|f| f.body.is_some() && is_users(program, f.span)).collect();
        let is_location =
            |loc: &tour_ir::cfa::Loc| own[loc.function] && !(loc.out.is_empty() && loc.into.is_empty());
        let order = program.fact::<Order>();
        let number = |loc: LocId| order.number(loc).unwrap_or(u32::MAX);
        let mut ordered: Vec<EdgeId> = cfa.edges.indices().collect();
        ordered.sort_by_key(|e| (cfa.locs[cfa.edges[*e].from].function, number(cfa.edges[*e].from)));
        Universe {
            files: lines.files,
            lines: lines.lines,
            line_of,
            statics: variables
                .iter_enumerated()
                .filter(|(var, counts)| **counts && program.vars[*var].is_static())
                .map(|(var, _)| var)
                .collect(),
            mentioned: cfa.edges.iter().map(|e| mentioned(program, &first, &e.op)).collect(),
            first,
            assumes: cfa.edges.iter().map(|e| matches!(e.op, Op::Assume { .. })).collect(),
            locations: cfa.locs.iter().map(is_location).collect(),
            from: cfa.edges.iter().map(|e| e.from).collect(),
            into: cfa.locs.iter().map(|loc| loc.into.iter().copied().collect()).collect(),
            to: cfa.edges.iter().map(|e| e.to).collect(),
            callee_exit: cfa.edges.iter().map(|e| callee_exit(program, &e.op)).collect(),
            back: cfa.edges.iter().map(|e| number(e.to) <= number(e.from)).collect(),
            function_of: cfa.locs.iter().map(|loc| loc.function).collect(),
            entry: program.functions.get(program.entry).and_then(|f| f.body).map(|body| body.entry),
            ordered,
            variables,
        }
    }

    /// How many variables count.
    pub fn total_variables(&self) -> usize {
        self.variables.iter().filter(|counts| **counts).count()
    }

    /// How many locations count.
    pub fn total_locations(&self) -> usize {
        self.locations.iter().filter(|counts| **counts).count()
    }
}

/// For each variable its first copy: the one that is declared at the same place by the same name.
fn first_copies(program: &Program) -> IndexVec<VarId, VarId> {
    let mut first: IndexVec<VarId, VarId> = program.vars.indices().collect();
    if !program.threads.is_empty() || !program.copies.is_empty() {
        let mut known: FxHashMap<(Span, &str), VarId> = FxHashMap::default();
        for (id, var) in program.vars.iter_enumerated() {
            first[id] = *known.entry((var.span, &var.name)).or_insert(id);
        }
    }
    first
}

fn mentioned(program: &Program, first: &IndexVec<VarId, VarId>, op: &Op) -> Box<[VarId]> {
    tour_ir::cfa::mentioned(program, op).into_iter().map(|var| first[var]).collect()
}

/// The exit of the function that is called, if it is known and has a body.
fn callee_exit(program: &Program, op: &Op) -> Option<LocId> {
    match op {
        Op::Call(call) => match call.callee {
            Callee::Direct(f) => program.functions[f].body.map(|body| body.exit),
            Callee::Indirect(_) => None,
        },
        _ => None,
    }
}

/// It stands in a file of the user's.
pub(super) fn is_users(program: &Program, span: Span) -> bool {
    !program.sources.place(span).system && !tour_ir::source::is_library(&program.sources.unit(span.unit).path)
}

#[derive(Default)]
struct Lines {
    files: Vec<PathBuf>,
    file_ids: FxHashMap<PathBuf, u32>,
    lines: IndexVec<LineId, Line>,
    ids: FxHashMap<Line, LineId>,
}

impl Lines {
    fn at(&mut self, program: &Program, span: Span) -> Option<LineId> {
        if !is_users(program, span) {
            return None;
        }
        let place = program.sources.place(span);
        let file = match self.file_ids.get(place.file) {
            Some(&file) => file,
            None => {
                let file = self.files.len() as u32;
                self.files.push(place.file.to_owned());
                self.file_ids.insert(place.file.to_owned(), file);
                file
            }
        };
        let line = Line { file, line: place.line };
        let lines = &mut self.lines;
        Some(*self.ids.entry(line).or_insert_with(|| lines.push(line)))
    }
}
