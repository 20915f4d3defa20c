//! Mutation coverage [COVERAGE §2.2.1, completeness of properties]: a program with a small fault in it should violate its
//! properties. If it does not, they say nothing about the place of the fault.
//!
//! Faults are put into the typed program, not into its text: each is one that a C programmer could have written, and all
//! compile. What stands in checks themselves is left alone.

use super::universe::is_users;
use rustc_hash::FxHashSet;
use tour_ir::cfa::{EdgeId, LocKind};
use tour_ir::program::{BinOp, ExprId, ExprKind, Op, PlaceKind, Program};
use tour_ir::source::Span;

/// A small fault.
#[derive(Clone, PartialEq, Debug)]
pub struct Mutant {
    /// Where.
    pub span: Span,
    /// `i < n` becomes `i <= n`
    pub describe: String,
    change: Change,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    /// Another operator.
    Operator(ExprId, BinOp),
    /// Another constant.
    Constant(ExprId, u128),
    /// The assignment is left out.
    Delete(EdgeId),
}

impl Mutant {
    /// The program with the fault.
    pub fn apply(&self, program: &Program) -> Program {
        let mut mutated = program.clone();
        match self.change {
            Change::Operator(expr, op) => {
                if let ExprKind::Binary(old, _, _) = &mut mutated.exprs[expr].kind {
                    *old = op;
                }
            }
            Change::Constant(expr, bits) => mutated.exprs[expr].kind = ExprKind::Int(bits),
            Change::Delete(edge) => mutated.cfa.edges[edge].op = Op::Nop,
        }
        mutated
    }
}

/// The faults that can be put into a program, in the order of its edges.
pub fn mutants(program: &Program) -> Vec<Mutant> {
    let mut found = Mutants { program, seen: FxHashSet::default(), mutants: Vec::new() };
    let cfa = &program.cfa;
    // A condition that decides whether a check fails belongs to the property.
    let is_check = |edge: EdgeId| {
        let out = cfa.successors(cfa.edges[edge].from);
        let mut targets = out.map(|(_, edge)| cfa.locs[edge.to].kind);
        targets.any(|kind| matches!(kind, LocKind::Error(_)))
    };
    for (id, edge) in cfa.edges.iter_enumerated() {
        if !is_users(program, edge.span) || is_check(id) {
            continue;
        }
        match &edge.op {
            Op::Assign(place, value) => {
                found.expr(*value);
                // Temporaries of the front end are no assignments of the user's.
                let is_temp = match program.places[*place].kind {
                    PlaceKind::Var(var) => {
                        matches!(program.vars[var].storage, tour_ir::program::Storage::Temp(_))
                    }
                    _ => false,
                };
                if !is_temp {
                    let describe = format!("`{}` is left out", program.show_op(&edge.op));
                    found.mutants.push(Mutant { span: edge.span, describe, change: Change::Delete(id) });
                }
            }
            Op::Assume { cond, .. } => found.expr(*cond),
            Op::Return(Some(value)) => found.expr(*value),
            Op::Call(call) => call.args.iter().for_each(|arg| found.expr(*arg)),
            Op::Nop
            | Op::Return(None)
            | Op::Havoc(..)
            | Op::Declare(_)
            | Op::Expire(_)
            | Op::Unsupported(_) => {}
        }
    }
    found.mutants
}

/// How many of them at most, spread over the program.
pub fn spread(all: &[Mutant], max: usize) -> Vec<Mutant> {
    let step = all.len().div_ceil(max.max(1)).max(1);
    all.iter().step_by(step).cloned().collect()
}

struct Mutants<'p> {
    program: &'p Program,
    /// Both edges of a branch have the same condition.
    seen: FxHashSet<ExprId>,
    mutants: Vec<Mutant>,
}

impl Mutants<'_> {
    fn expr(&mut self, expr: ExprId) {
        // Expressions are of bounded depth.
        if !self.seen.insert(expr) {
            return;
        }
        let node = &self.program.exprs[expr];
        match node.kind {
            ExprKind::Binary(op, a, b) => {
                if let Some(other) = another(op).filter(|_| self.program.int_type_of(a).is_some()) {
                    let describe = format!(
                        "`{0} {1} {3}` becomes `{0} {2} {3}`",
                        self.program.show_expr(a),
                        op.symbol(),
                        other.symbol(),
                        self.program.show_expr(b)
                    );
                    self.mutants.push(Mutant {
                        span: node.span,
                        describe,
                        change: Change::Operator(expr, other),
                    });
                }
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(a),
            ExprKind::Int(bits) => {
                if let Some(int) = self.program.int_type_of(expr) {
                    let other = int.wrap(bits.wrapping_add(1));
                    let describe = format!("`{}` becomes `{}`", int.to_i128(bits), int.to_i128(other));
                    self.mutants.push(Mutant {
                        span: node.span,
                        describe,
                        change: Change::Constant(expr, other),
                    });
                }
            }
            ExprKind::Float(_)
            | ExprKind::Load(_)
            | ExprKind::Zeroed
            | ExprKind::AddrOf(_)
            | ExprKind::FnAddr(_)
            | ExprKind::Fact(..) => {}
        }
    }
}

/// The operator that is mistaken for another one.
fn another(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Le,
        BinOp::Le => BinOp::Lt,
        BinOp::Gt => BinOp::Ge,
        BinOp::Ge => BinOp::Gt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Add => BinOp::Sub,
        BinOp::Sub => BinOp::Add,
        BinOp::Mul => BinOp::Add,
        BinOp::And => BinOp::Or,
        BinOp::Or => BinOp::And,
        BinOp::Div | BinOp::Rem | BinOp::Xor | BinOp::Shl | BinOp::Shr | BinOp::PtrAdd | BinOp::PtrDiff => {
            return None;
        }
    })
}
