//! The parts of an operation, in the order in which they are evaluated, and what each can violate.

use super::access::{READ, WRITTEN};
use super::bools::Bools;
use super::build::Build;
use super::effective::Effective;
use super::initial::Shadows;
use super::objects::Objects;
use super::{Condition, Violation, library};
use tour_ir::program::{Callee, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program, Rule, VarId};
use tour_ir::source::Span;

/// What violations of rules become.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// These are checked: a violation is an error.
    pub checked: Vec<Rule>,
    /// These are not, and behind a violation nothing can be said: to get there is unsupported.
    pub guarded: Vec<Rule>,
}

impl Rules {
    /// Rules that no other mechanism looks at: formulas and the interpreter go on behind a violation, with some value.
    const GUARDED: [Rule; 6] = [
        Rule::ShiftOutOfRange,
        Rule::DivisionByZero,
        Rule::PointerOverflow,
        Rule::InvalidBool,
        Rule::OverlappingCopy,
        Rule::EffectiveType,
    ];

    /// What becomes of violations where these rules are checked.
    pub fn new(checked: &[Rule]) -> Rules {
        let guarded = Rules::GUARDED.into_iter().filter(|rule| !checked.contains(rule)).collect();
        Rules { checked: checked.to_vec(), guarded }
    }

    /// Only those of some rules.
    pub fn among(&self, some: &[Rule]) -> Rules {
        let only = |rules: &[Rule]| rules.iter().copied().filter(|rule| some.contains(rule)).collect();
        Rules { checked: only(&self.checked), guarded: only(&self.guarded) }
    }
}

/// What is known of a program beforehand.
pub(super) struct Known {
    pub shadows: Shadows,
    pub objects: Objects,
    pub effective: Effective,
    pub bools: Bools,
}

/// Collects what an operation can violate.
pub(super) struct Walk<'a> {
    program: &'a mut Program,
    rules: &'a Rules,
    known: &'a Known,
    found: Vec<Violation>,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a mut Program, rules: &'a Rules, known: &'a Known) -> Walk<'a> {
        Walk { program, rules, known, found: Vec::new() }
    }

    /// What pointers may point to.
    pub fn objects(&self) -> &'a Objects {
        &self.known.objects
    }

    /// Where a `_Bool` may be none.
    pub fn bools(&self) -> &'a Bools {
        &self.known.bools
    }

    /// Which accesses take objects for what they are not.
    pub fn effective(&self) -> &'a Effective {
        &self.known.effective
    }

    /// What was found, in the order of evaluation.
    pub fn finish(self) -> Vec<Violation> {
        self.found
    }

    pub fn program(&self) -> &Program {
        self.program
    }

    pub fn program_mut(&mut self) -> &mut Program {
        self.program
    }

    /// The rule is checked, or what violates it must not be passed.
    pub fn wants(&self, rule: Rule) -> bool {
        self.checks(rule) || self.rules.guarded.contains(&rule)
    }

    /// The rule is checked.
    pub fn checks(&self, rule: Rule) -> bool {
        self.rules.checked.contains(&rule)
    }

    /// Makes expressions at the place of `expr`.
    pub fn build(&mut self, expr: ExprId) -> Build<'_> {
        let span = self.program.exprs[expr].span;
        self.build_at(span)
    }

    pub fn build_at(&mut self, span: Span) -> Build<'_> {
        Build { program: self.program, span }
    }

    pub fn quoted(&mut self, expr: ExprId) -> String {
        self.build(expr).quote_expr(expr)
    }

    /// Notes that `expr` violates a rule where a condition holds.
    pub fn violates(&mut self, rule: Rule, condition: Condition, message: String, expr: ExprId) {
        let span = self.program.exprs[expr].span;
        self.violates_at(rule, condition, message, span);
    }

    pub fn violates_at(&mut self, rule: Rule, condition: Condition, message: String, span: Span) {
        if self.wants(rule) {
            let rule = Some(rule).filter(|rule| self.checks(*rule));
            self.find(rule, condition, message, span);
        }
    }

    /// Notes that `expr` has undefined behaviour where a condition holds, whatever is checked.
    pub fn undefined(&mut self, condition: Condition, message: String, expr: ExprId) {
        let span = self.program.exprs[expr].span;
        self.find(None, condition, message, span);
    }

    fn find(&mut self, rule: Option<Rule>, condition: Condition, message: String, span: Span) {
        let never = matches!(&condition, Condition::Any(parts) if parts.is_empty());
        if !never {
            self.found.push(Violation { rule, condition, message, span });
        }
    }

    /// How much was found so far.
    pub fn found_len(&self) -> usize {
        self.found.len()
    }

    /// What was found since then is a violation only if `first` holds too.
    pub fn only_if(&mut self, since: usize, first: &Condition) {
        for violation in &mut self.found[since..] {
            let condition = std::mem::replace(&mut violation.condition, Condition::Any(Vec::new()));
            violation.condition = Condition::All(vec![first.clone(), condition]);
        }
    }

    /// An operation, but for storing the result of a call: that happens later.
    pub fn op(&mut self, op: &Op, span: Span) {
        match op {
            Op::Nop | Op::Declare(_) | Op::Expire(_) | Op::Return(None) | Op::Unsupported(_) => {}
            Op::Assign(place, value) => {
                match self.program.copied_byte(*place, *value) {
                    Some(from) => {
                        self.place(from);
                        self.access(from, READ);
                    }
                    None => self.expr(*value),
                }
                self.written(*place);
                self.assigned(*place, *value);
            }
            Op::Assume { cond, .. } => self.expr(*cond),
            Op::Return(Some(value)) => self.expr(*value),
            Op::Havoc(place, _) => self.written(*place),
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    self.expr(pointer);
                    self.not_null(pointer, span, "is called");
                }
                for &arg in &call.args {
                    self.expr(arg);
                }
                if let Callee::Direct(f) = call.callee
                    && library::is_ours(self.program, f)
                {
                    let name = self.program.functions[f].name.clone();
                    self.text_copied(&name, &call.args, span);
                }
                if let Callee::Direct(f) = call.callee
                    && let Some(builtin) = self.program.functions[f].builtin
                    && self.program.functions[f].body.is_none()
                {
                    self.library(builtin, &call.args, span);
                }
            }
        }
    }

    /// A place that is written.
    pub fn written(&mut self, place: PlaceId) {
        self.place(place);
        self.access(place, WRITTEN);
    }

    /// An expression that is evaluated.
    fn expr(&mut self, expr: ExprId) {
        match self.program.exprs[expr].kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zeroed
            | ExprKind::FnAddr(_)
            | ExprKind::Fact(..) => {}
            ExprKind::Load(place) => {
                self.place(place);
                self.access(place, READ);
                self.initialised(expr, place);
                self.representation(expr, place);
            }
            ExprKind::AddrOf(place) => {
                self.place(place);
                self.address(expr, place);
            }
            ExprKind::Unary(op, a) => {
                self.expr(a);
                self.unary(expr, op, a);
            }
            ExprKind::Binary(op, a, b) => {
                self.expr(a);
                self.expr(b);
                self.binary(expr, op, a, b);
            }
            ExprKind::Cast(a) => {
                self.expr(a);
                self.cast(expr, a);
            }
        }
    }

    /// The pointers and indices of a place.
    fn place(&mut self, place: PlaceId) {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.expr_dereferenced(pointer),
            PlaceKind::Field(base, _) => self.place(base),
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.expr(index);
            }
        }
    }

    /// A pointer whose target is accessed: where that is checked against its object, the sum that makes the pointer need
    /// not be.
    fn expr_dereferenced(&mut self, pointer: ExprId) {
        match self.program.exprs[pointer].kind {
            ExprKind::Binary(tour_ir::program::BinOp::PtrAdd, base, index)
                if self.wants(Rule::OutOfBounds) =>
            {
                self.expr_dereferenced(base);
                self.expr(index);
            }
            _ => self.expr(pointer),
        }
    }

    /// Something is read that may never have been written.
    fn initialised(&mut self, load: ExprId, place: PlaceId) {
        if self.checks(Rule::UninitialisedRead) && self.known.shadows.must_ask(self.program, place) {
            let span = self.program.places[place].span;
            let set = Shadows::ask(self.program, load);
            let condition = self.build_at(span).test_int(tour_ir::program::BinOp::Eq, set, 0);
            let message = format!("{} is read before it is set", self.build_at(span).quote_place(place));
            self.violates_at(Rule::UninitialisedRead, condition, message, span);
            return;
        }
        let PlaceKind::Var(var) = self.program.places[place].kind else { return };
        let Some(shadow) = self.known.shadows.of(var) else { return };
        let span = self.program.places[place].span;
        let condition = self.unset(shadow, span);
        let message = format!("`{}` is read before it is set", self.program.vars[var].name);
        let rule = Some(Rule::UninitialisedRead).filter(|rule| self.checks(*rule));
        self.find(rule, condition, message, span);
    }

    fn unset(&mut self, shadow: VarId, span: Span) -> Condition {
        let set = self.program.load_var(shadow, span);
        self.build_at(span).test_int(tour_ir::program::BinOp::Eq, set, 0)
    }
}
