//! Declarations that a jump backwards in their block repeats.
//!
//! An object lives from the entry into its block to its end (C11 6.2.4p6): a jump backwards inside of the block neither
//! ends its life nor begins another one. Elsewhere a declaration begins a life, so that the second one is not modelled
//! if a pointer can tell. A flag of the function remembers the first.

use super::graph::{Arrow, ENTRY, Graph, Point};
use rustc_hash::FxHashSet;
use tour_ir::program::{BinOp, FnId, IntKind, Op, Program, Unsupported, VarId};
use tour_ir::source::Span;

impl Graph {
    /// Lets no execution declare a variable twice in one life.
    pub(super) fn guard_declarations(&mut self, function: FnId, program: &mut Program) {
        let mut outs: Vec<Vec<usize>> = vec![Vec::new(); self.len()];
        for (index, arrow) in self.arrows.iter().enumerate() {
            outs[arrow.from].push(index);
        }
        let mut repeated: Vec<VarId> = Vec::new();
        for arrow in &self.arrows {
            if let Op::Declare(var) = arrow.op
                && self.blocks.declares(var)
                && program.vars[var].address_taken
                && program.types.object_size(program.vars[var].ty.ty).is_some()
                && !repeated.contains(&var)
                && self.comes_back(&outs, arrow, var)
            {
                repeated.push(var);
            }
        }
        for var in repeated {
            self.guard(function, program, var);
        }
    }

    /// From a declaration an execution can get to it again, and the variable lives all the time.
    fn comes_back(&self, outs: &[Vec<usize>], declaration: &Arrow, var: VarId) -> bool {
        let mut seen: FxHashSet<Point> = FxHashSet::default();
        let mut todo = vec![declaration.to];
        while let Some(point) = todo.pop() {
            if point == declaration.from {
                return true;
            }
            if seen.insert(point) {
                let next = outs[point].iter().map(|arrow| &self.arrows[*arrow]);
                todo.extend(next.filter(|arrow| arrow.op != Op::Expire(var)).map(|arrow| arrow.to));
            }
        }
        false
    }

    fn guard(&mut self, function: FnId, program: &mut Program, var: VarId) {
        let (name, span) = (program.vars[var].name.clone(), program.vars[var].span);
        let int = program.types.int(IntKind::Int);
        let flag = program.add_temp(function, format!("{name}#declared"), int, span);
        let place = program.var_place(flag, span);
        let set = |program: &mut Program, value: i128, span: Span| {
            let value = program.int(value, int, span);
            Op::Assign(place, value)
        };
        let mut arrows = Vec::with_capacity(self.arrows.len() + 4);
        let begin = self.point();
        arrows.push(Arrow { from: ENTRY, to: begin, op: set(program, 0, span), span });
        for mut arrow in std::mem::take(&mut self.arrows) {
            if arrow.from == ENTRY {
                arrow.from = begin;
            }
            let Arrow { from, to, span, .. } = arrow;
            if arrow.op == Op::Declare(var) {
                let [again, first, marked] = [(); 3].map(|()| self.point());
                let value = program.load(place, span);
                let zero = program.int(0, int, span);
                let cond = program.binary(BinOp::Ne, value, zero, int, span);
                let message = format!(
                    "a jump backwards in a block repeats the declaration of `{name}`, whose address is taken"
                );
                let what = Unsupported { kind: "declaration", message };
                arrows.push(Arrow { from, to: again, op: Op::Assume { cond, truth: true }, span });
                arrows.push(Arrow { from: again, to, op: Op::Unsupported(Box::new(what)), span });
                arrows.push(Arrow { from, to: first, op: Op::Assume { cond, truth: false }, span });
                arrows.push(Arrow { from: first, to: marked, op: set(program, 1, span), span });
                arrow.from = marked;
            } else if arrow.op == Op::Expire(var) {
                let ended = self.point();
                arrow.to = ended;
                arrows.push(Arrow { from: ended, to, op: set(program, 0, span), span });
            }
            arrows.push(arrow);
        }
        self.arrows = arrows;
    }
}
