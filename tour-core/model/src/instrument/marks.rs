//! Undefined behaviour that the front end finds: it leaves an unsupported edge whose kind is the id of a rule.
//!
//! Where the rule is checked the edge is a violation; elsewhere to reach it stays unsupported, since what follows is
//! nothing that C says.

use super::weave::add_check;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{CheckId, Op, Program, Rule, Unsupported};

/// Makes violations of the marks of these rules.
pub(super) fn violate(program: &mut Program, rules: &[Rule]) {
    for index in 0..program.cfa.edges.len() {
        let edge = EdgeId::new(index);
        let Op::Unsupported(what) = &program.cfa.edges[edge].op else { continue };
        let Some(rule) = rules.iter().copied().find(|rule| rule.id() == what.kind) else { continue };
        let (message, span) = (what.message.clone(), program.cfa.edges[edge].span);
        let function = program.cfa.locs[program.cfa.edges[edge].from].function;
        let error = add_check(program, function, rule, message, span);
        program.cfa.edges[edge].op = Op::Nop;
        program.cfa.redirect(edge, error);
    }
}

/// What the front end makes a check of although C says nothing of what comes behind it: where its rule is not checked, to
/// get there is unsupported.
pub(super) fn unsupported(program: &mut Program, check: CheckId) {
    let rule = program.checks[check].rule;
    let undefined = [Rule::Unsequenced, Rule::Unreachable, Rule::BitCountOfZero, Rule::VlaLength];
    if !undefined.contains(&rule) {
        return;
    }
    let loc = program.checks[check].loc;
    for edge in program.cfa.locs[loc].into.clone() {
        let what = Unsupported { kind: rule.id(), message: program.checks[check].message.clone() };
        program.cfa.edges[edge].op = Op::Unsupported(Box::new(what));
    }
}
