//! k-induction, with invariants found on the way.
//!
//! Base: no run of at most k blocks violates a check. Step: no run of k + 1 blocks, from any state at any node that
//! satisfies the invariants there, goes well for k blocks and violates a check in the next. k grows until both hold.

use super::Analysis;
use super::bmc::bounded;
use super::options::Options;
use super::unroll::Unrolling;
use crate::confirm;
use crate::context::{Context, Engine};
use crate::invariant::{self, Effort};
use tour_evidence::evidence::Certificate;
use tour_evidence::verdict::{Proof, UnknownReason, Verdict};
use tour_ir::prepared::Prepared;
use tour_logic::smt::Purpose;
use tour_model::block::{Known, NodeId, Target};
use tour_model::encode::Path;

/// k-induction.
#[derive(Clone, Debug, Default)]
pub struct KInduction(pub Options);

impl Analysis for KInduction {
    fn name(&self) -> &'static str {
        "k-induction"
    }

    fn run(&self, program: &Prepared, context: &Context) -> Verdict {
        let mut engine = match Engine::new(program, context, self.0.block) {
            Ok(engine) => engine,
            Err(reason) => return Verdict::Unknown(reason),
        };
        let mut effort = Effort::Quick;
        let verdict = loop {
            match induction(&mut engine, self.name(), self.0.max_depth, effort, context) {
                Ok(Some(verdict)) => break Ok(verdict),
                Ok(None) => effort = Effort::Thorough,
                Err(reason) => break Err(reason),
            }
        };
        engine.smt.stats().publish(&context.stats);
        context.stats.set("solver-steps", engine.smt.spent());
        verdict.unwrap_or_else(Verdict::Unknown)
    }
}

/// Runs to an end. `None`: it takes long, and there is more effort to be made for invariants.
fn induction(
    engine: &mut Engine,
    name: &'static str,
    max_depth: usize,
    effort: Effort,
    context: &Context,
) -> Result<Option<Verdict>, UnknownReason> {
    let Some(start) = engine.blocks.unfolding.start() else { return Err(UnknownReason::NothingToVerify) };
    let Some(nodes) = engine.nodes(context.heuristics.induction.max_nodes)? else {
        return bounded(engine, name, max_depth, None, context).map(Some);
    };
    let invariants = invariant::discover(engine, &nodes, effort)?;
    engine.has_waited();
    context.stats.set("invariants", invariants);
    let beginning = engine.blocks.beginning(&mut engine.terms, start);
    let mut base = Unrolling::new(start, beginning, Purpose::Feasibility);
    let mut steps: Vec<Step> = nodes.iter().filter(|n| **n != start).map(|n| Step::new(*n)).collect();
    let mut stuck = None;
    for k in 0..max_depth {
        engine.check_interrupt()?;
        if effort == Effort::Quick && (k == context.heuristics.induction.max_quick_k || engine.has_waited()) {
            return Ok(None);
        }
        context.stats.set("k", k);
        for (end, path) in base.unroll(engine)? {
            let known = stuck.is_some() && !matches!(end, Target::Error(_));
            if known || !engine.blocks.counts(end) || !base.is_feasible(engine, &path)? {
                continue;
            }
            match end {
                Target::Error(check) => {
                    let walk = base.run(engine, &path)?;
                    match confirm::ends(engine.program(), context, name, check, &walk) {
                        None => engine.blocks.close(check),
                        ending => return Ok(ending),
                    }
                }
                Target::Unsupported(edge) => stuck = Some(engine.unsupported(edge)),
                Target::Node(_) => {}
            }
        }
        base.prune(engine)?;
        // Something that is not modelled is reached: what is left is to find violations.
        match stuck.take() {
            Some(reason) if base.frontier.is_empty() => return Err(reason),
            Some(reason) => {
                stuck = Some(reason);
                continue;
            }
            None => {}
        }
        // The same k for all nodes: a run that fails passes through several of them.
        let mut holds = true;
        for step in &mut steps {
            holds = holds && step.holds(engine, k)?;
        }
        if base.frontier.is_empty() || holds {
            let points = nodes.iter().map(|node| (Target::Node(*node), node));
            let claims: Vec<_> = nodes.iter().map(|n| engine.blocks.invariant(*n)).collect();
            let claim = |node: &NodeId| nodes.iter().position(|n| n == node).and_then(|i| claims[i]);
            let invariants =
                crate::cegar::certificate::invariants(engine, points, |t, n| claim(n).unwrap_or(t.yes()));
            let certificate = Certificate::KInduction { k: base.depth(), invariants: Box::new(invariants) };
            return Ok(Some(Verdict::Proved(Proof { analysis: name, certificate })));
        }
    }
    Err(stuck.unwrap_or(UnknownReason::Inconclusive))
}

/// The step from one node.
struct Step(Unrolling);

impl Step {
    fn new(node: NodeId) -> Step {
        Step(Unrolling::new(node, Path::default(), Purpose::Induction))
    }

    /// No run from here goes well for k blocks and fails in the next.
    fn holds(&mut self, engine: &mut Engine, k: usize) -> Result<bool, UnknownReason> {
        let mut ends = Vec::new();
        while self.0.depth() <= k {
            ends = self.0.unroll(engine)?;
        }
        for (end, path) in ends {
            if engine.blocks.counts(end) && self.0.is_feasible(engine, &path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Engine<'_> {
    /// The nodes where blocks begin, by the graph alone; `None` if there are too many.
    pub fn nodes(&mut self, max: usize) -> Result<Option<Vec<NodeId>>, UnknownReason> {
        let mut nodes: Vec<NodeId> = self.blocks.unfolding.start().into_iter().collect();
        let mut next = 0;
        while let Some(&node) = nodes.get(next) {
            self.check_interrupt()?;
            next += 1;
            for exit in &self.block(node, &Known::default()).exits {
                if let Target::Node(to) = exit.to
                    && !nodes.contains(&to)
                {
                    nodes.push(to);
                }
            }
            if nodes.len() > max {
                return Ok(None);
            }
        }
        Ok(Some(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Bmc, certified};
    use tour_ir::cfa::testing::prepared;

    #[track_caller]
    fn check(analysis: &dyn Analysis, text: &str, expect: &str) {
        let program = prepared(text);
        let context = Context::default();
        let verdict = certified(&program, analysis.run(&program, &context), &context);
        assert_eq!(verdict.to_string(), expect, "{} of {text}", analysis.name());
    }

    #[test]
    fn a_counting_loop() {
        let text = "fn main(): 1->2 x = 0; 2->3 [x < 1000]; 3->2 x = x + 1; 2->4 [!(x < 1000)];
                               4->error [!(x == 1000)]; 4->exit [x == 1000]";
        check(&KInduction::default(), text, "SAFE");
    }

    #[test]
    fn a_relation_between_two_counters() {
        let text = "fn main(): 1->5 n = nondet; 5->6 x = 0; 6->2 y = 0; 2->3 [!(x == n)]; 3->7 x = x + 1; 7->2 y = y + 1;
                               2->4 [x == n]; 4->error [!(y == n)]; 4->exit [y == n]";
        check(&KInduction::default(), text, "SAFE");
    }

    #[test]
    fn runs_that_end_are_proved_by_unrolling() {
        let text = "fn main(): 1->2 x = nondet; 2->5 i = 0; 5->3 [i < 3]; 3->5 i = i + 1; 5->4 [!(i < 3)];
                               4->error [i + x == x]; 4->exit [!(i + x == x)]";
        check(&Bmc::default(), text, "SAFE");
    }

    #[test]
    fn one_k_for_all_loops() {
        // From 2 nothing fails at once; from 3 nothing fails after one step that went well. Together that is no proof.
        let text =
            "fn main(): 1->2 c = 0; 2->3 [c < 20]; 2->exit [!(c < 20)]; 3->error [c == 9]; 3->4 [!(c == 9)];
                               4->3 [c < 0]; 4->5 [!(c < 0)]; 5->2 c = c + 1";
        check(&KInduction::default(), text, "UNSAFE");
        check(&Bmc::default(), text, "UNSAFE");
    }
}
