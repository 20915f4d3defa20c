//! All runs of the unrolled program as one formula, with paths merged where they meet: half a million runs cost about
//! what one costs.

use super::case::{Case, Found};
use super::measure::Measure;
use super::run::Run;
use super::unrolled::{Followed, Hop, PointId};
use rustc_hash::FxHashMap;
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{Op, Program, VarId};
use tour_logic::smt::{Purpose, Solver};
use tour_logic::term::{Assignment, Float, Sort, Symbol, TermId, Terms, Value};
use tour_model::block::{Asked, Step, Walk};
use tour_model::encode::{At, Path};

/// What is asked about runs.
#[derive(Default)]
pub struct Question<'a> {
    /// Runs with these inputs only.
    pub given: Option<&'a Given>,
    /// The statement at this location may do anything.
    pub free: Option<LocId>,
    /// How far runs are from the failing one.
    pub measure: Option<&'a Measure>,
}

/// The inputs of an executed run, by the points that ask for them.
pub struct Given {
    params: Vec<u128>,
    at: FxHashMap<PointId, Vec<u128>>,
}

impl Given {
    /// The inputs of a run.
    pub fn of(program: &Program, run: &Run, followed: &Followed) -> Given {
        let mut left = run.inputs.iter().peekable();
        let mut params = Vec::new();
        while let Some(input) = left.next_if(|input| input.edge.is_none()) {
            params.push(input.bits);
        }
        let mut at: FxHashMap<PointId, Vec<u128>> = FxHashMap::default();
        for (step, &point) in run.steps.iter().zip(&followed.points) {
            // The same edge may ask again in the next round: a scalar is asked for once.
            let once = match program.cfa.edges[step.edge].op {
                Op::Havoc(place, _) => program.types.is_scalar(program.places[place].ty),
                _ => true,
            };
            while let Some(input) = left.next_if(|input| input.edge == Some(step.edge)) {
                at.entry(point).or_default().push(input.bits);
                if once {
                    break;
                }
            }
        }
        Given { params, at }
    }
}

/// A step of some run: what it says beyond the path to its beginning.
struct Taken {
    hop: Hop,
    facts: Vec<TermId>,
    /// Values that it asks for.
    asks: Vec<Symbol>,
}

/// Runs as formulas.
pub struct Runs {
    /// Those that pass the check, or end without coming to it.
    pub passed: Option<Path>,
    /// Those that violate it.
    pub failed: Option<Path>,
    taken: FxHashMap<PointId, Vec<Taken>>,
    start: PointId,
}

/// Encodes all runs.
pub fn encode(case: &mut Case, question: &Question) -> Found<Runs> {
    let graph = case.graph()?;
    let Some(&(start, _)) = graph.first() else { return Err("the program has no run".into()) };
    let mut runs = Runs { passed: None, failed: None, taken: FxHashMap::default(), start };
    let mut paths: FxHashMap<PointId, Path> = FxHashMap::default();
    paths.insert(start, beginning(case, question, start));
    for (point, hops) in graph.iter() {
        let Some(path) = paths.remove(point) else { continue };
        if path.is_false(&case.engine.terms) {
            continue;
        }
        case.encoded += hops.len();
        case.go_on()?;
        let kind = case.unrolled.kind(&case.engine.blocks.unfolding, *point);
        match kind {
            _ if case.passed.contains(point) => join(&mut case.engine.terms, &mut runs.passed, path),
            LocKind::Error(check) if check == case.check => {
                join(&mut case.engine.terms, &mut runs.failed, path);
            }
            // With a statement free to do anything, not to come to the check is no success.
            LocKind::Exit if hops.is_empty() && question.free.is_none() => {
                let mut path = path;
                if let Some(measure) = question.measure {
                    measure.end(&mut case.engine.terms, *point, &mut path);
                }
                join(&mut case.engine.terms, &mut runs.passed, path);
            }
            LocKind::Error(_) | LocKind::End => {}
            LocKind::Plain | LocKind::Entry | LocKind::Exit => {
                for &hop in hops {
                    let Some((after, asks)) = extend(case, question, *point, hop, &path) else { continue };
                    let facts = after.since(&path);
                    runs.taken.entry(*point).or_default().push(Taken { hop, facts, asks });
                    let merged = match paths.remove(&hop.to) {
                        Some(old) => Path::merge(&mut case.engine.terms, &old, &after),
                        None => after,
                    };
                    paths.insert(hop.to, merged);
                }
            }
        }
    }
    Ok(runs)
}

fn join(terms: &mut Terms, all: &mut Option<Path>, path: Path) {
    *all = Some(match all.take() {
        Some(old) => Path::merge(terms, &old, &path),
        None => path,
    });
}

fn beginning(case: &mut Case, question: &Question, start: PointId) -> Path {
    let node = case.node(start);
    let engine = &mut case.engine;
    let mut path = engine.blocks.beginning(&mut engine.terms, node);
    if let Some(given) = question.given {
        let mut bits = given.params.iter().copied();
        for &param in &case.program.functions[case.program.entry].params {
            let Ok(leaves) = engine.blocks.encoder.leaves_of(&mut engine.terms, param, 0) else { continue };
            for leaf in leaves.into_iter().filter(|leaf| leaf.pointer.is_none()) {
                if let Some(bits) = bits.next() {
                    fix(&mut engine.terms, &mut path, Symbol { base: leaf.base, index: 1 }, bits);
                }
            }
        }
    }
    if let Some(measure) = question.measure {
        measure.begin(&mut engine.terms, &mut path);
    }
    path
}

/// A symbol has a value.
fn fix(terms: &mut Terms, path: &mut Path, symbol: Symbol, bits: u128) {
    let value = match terms.base(symbol.base).sort {
        Sort::BitVec(width) => terms.bv(width, bits),
        Sort::Float(sort) => terms.constant(Value::Float(Float::from_bits(sort, bits as u64))),
        Sort::Bool | Sort::Int | Sort::Array { .. } => return,
    };
    let symbol = terms.symbol(symbol);
    let fact = terms.eq(symbol, value);
    path.add(terms, fact);
}

/// Extends a path by a step; `None` if no run takes it, or it can't be encoded.
fn extend(
    case: &mut Case,
    question: &Question,
    point: PointId,
    hop: Hop,
    path: &Path,
) -> Option<(Path, Vec<Symbol>)> {
    let mut after = path.clone();
    if let Some(measure) = question.measure {
        measure.step(case, point, hop, &mut after);
    }
    step(case, question, point, hop.step, &mut after)?;
    let mut asks = Vec::new();
    if let Step::Edge(edge) = hop.step
        && declared(case, edge).is_some()
    {
        let encoder = &case.engine.blocks.encoder;
        asks = (after.ssa.written())
            .filter(|(base, index)| path.ssa.index(*base) != *index && encoder.is_value(*base))
            .filter(|(base, _)| question.measure.is_none_or(|m| !m.owns(*base)))
            .filter(|(base, _)| is_scalar(case.engine.terms.base(*base).sort))
            .map(|(base, index)| Symbol { base, index })
            .collect();
        if let Some(bits) = question.given.and_then(|given| given.at.get(&point))
            && bits.len() == asks.len()
        {
            for (&symbol, &bits) in asks.iter().zip(bits) {
                fix(&mut case.engine.terms, &mut after, symbol, bits);
            }
        }
    }
    (!after.is_false(&case.engine.terms)).then_some((after, asks))
}

/// A number, and not an array of them.
fn is_scalar(sort: Sort) -> bool {
    match sort {
        Sort::BitVec(_) | Sort::Float(_) => true,
        Sort::Bool | Sort::Int | Sort::Array { .. } => false,
    }
}

/// The edge asks for a value: `Some` with the variable of a declaration.
fn declared(case: &Case, edge: EdgeId) -> Option<Option<VarId>> {
    let program = case.program;
    match program.cfa.edges[edge].op {
        Op::Havoc(..) => Some(None),
        Op::Declare(var) if program.types.is_scalar(program.vars[var].ty.ty) => Some(Some(var)),
        _ => None,
    }
}

/// One step, as it is or free. Accesses stay inside of their objects.
fn step(case: &mut Case, question: &Question, point: PointId, step: Step, path: &mut Path) -> Option<()> {
    let (program, node) = (case.program, case.node(point));
    let blocks = &mut case.engine.blocks;
    let terms = &mut case.engine.terms;
    let frame = blocks.unfolding.frame(node);
    let at = At { function: frame.function, instance: frame.instance };
    let is_free = Some(program.cfa.edges[step.edge()].from) == question.free;
    let encoded = match step {
        Step::Edge(edge) if is_free => blocks.encoder.free(terms, path, &program.cfa.edges[edge].op, at),
        Step::Enter { call, callee, .. } if is_free => {
            let inner = blocks.unfolding.instance_of_callee(node, call, callee);
            blocks
                .step(terms, path, node, step)
                .and_then(|()| blocks.encoder.free_arguments(terms, path, callee, inner))
        }
        Step::Leave { call, .. } if is_free => {
            let caller = frame.caller.map(|(stack, _)| blocks.unfolding.frame_of(stack));
            blocks.step(terms, path, node, step).and_then(|()| match (&program.cfa.edges[call].op, caller) {
                (Op::Call(op), Some(caller)) => {
                    let at = At { function: caller.function, instance: caller.instance };
                    blocks.encoder.free_result(terms, path, op, at)
                }
                _ => Ok(()),
            })
        }
        _ => blocks.step(terms, path, node, step),
    };
    let obligations = blocks.encoder.take_obligations();
    encoded.ok()?;
    for obligation in obligations {
        path.add(terms, obligation.claim);
    }
    Some(())
}

impl Runs {
    /// A solver that knows only of the runs that pass, or only of those that fail; `None` if there are none.
    pub fn solver(&self, case: &mut Case, passed: bool) -> Option<Box<dyn Solver>> {
        let path = if passed { self.passed.as_ref() } else { self.failed.as_ref() }?;
        if path.is_false(&case.engine.terms) {
            return None;
        }
        let mut solver = case.engine.smt.solver(Purpose::Feasibility);
        for conjunct in path.conjuncts() {
            solver.assert(&case.engine.terms, conjunct);
        }
        Some(solver)
    }

    /// The run that a model describes.
    pub fn walk(&self, case: &mut Case, model: &Assignment) -> Option<Walk> {
        let engine = &mut case.engine;
        let mut walk = Walk::from_entry(&mut engine.blocks, &mut engine.terms, model);
        let mut at = self.start;
        loop {
            let Some(taken) = self.taken.get(&at) else { return Some(walk) };
            let terms = &case.engine.terms;
            let holds = |t: &&Taken| t.facts.iter().all(|&fact| terms.holds(fact, model) != Some(false));
            let next = taken.iter().find(holds)?;
            if let Step::Edge(edge) = next.hop.step
                && let Some(declared) = declared(case, edge)
            {
                for &symbol in &next.asks {
                    if let Some(bits) = tour_model::block::bits_of(terms, symbol, model) {
                        walk.asked.push(Asked { edge: Some(edge), declared, bits });
                    }
                }
            }
            walk.steps.push(next.hop.step);
            at = next.hop.to;
        }
    }
}

/// The failing run alone, with its inputs: the path before each of its steps. `None` if it can't be encoded.
pub fn along(case: &mut Case, given: &Given) -> Option<Vec<Path>> {
    let question = Question { given: Some(given), ..Question::default() };
    let hops = case.path.hops.clone();
    let &(start, _) = hops.first()?;
    let mut path = beginning(case, &question, start);
    let mut before = Vec::new();
    for (point, step) in hops {
        if !matches!(step, Step::Leave { .. }) {
            before.push(path.clone());
        }
        let hop = Hop { step, to: point };
        path = extend(case, &question, point, hop, &path)?.0;
    }
    Some(before)
}

/// The failing run as facts, in which values are instances and not constants.
pub struct Alone {
    /// What holds at the beginning.
    pub beginning: Vec<TermId>,
    /// What each step says; `None` in place of its index for returns from functions.
    pub steps: Vec<(Option<usize>, Vec<TermId>)>,
}

/// The failing run with its inputs, step by step; `None` if it can't be encoded.
pub fn steps_alone(case: &mut Case, given: &Given) -> Option<Alone> {
    let question = Question { given: Some(given), ..Question::default() };
    let hops = case.path.hops.clone();
    let &(start, _) = hops.first()?;
    let mut path = beginning(case, &question, start);
    let mut alone = Alone { beginning: path.conjuncts(), steps: Vec::new() };
    let mut index = 0;
    for (point, step) in hops {
        path.ssa.forget_known();
        let after = extend(case, &question, point, Hop { step, to: point }, &path)?.0;
        let own = if let Step::Leave { .. } = step {
            None
        } else {
            index += 1;
            Some(index - 1)
        };
        alone.steps.push((own, after.since(&path)));
        path = after;
    }
    Some(alone)
}
