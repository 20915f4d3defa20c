//! Truth values, equality and if-then-else.

use crate::term::{Op, Sort, TermId, Terms, Value};
use smallvec::SmallVec;

/// Nested conjunctions are flattened up to this many arguments; a longer one stays a tree, so that extending a path
/// formula edge by edge does not copy it each time.
/// Normal form: the engine and the checker of evidence must build the same terms.
const FLAT: usize = 16;

impl Terms {
    /// `!a`
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.op(a) {
            Op::Not => self.args(a)[0],
            Op::Const(_) => self.bool(a == self.no()),
            _ => self.node(Op::Not, &[a]),
        }
    }

    /// `a && b && …`; `true` for none.
    pub fn and(&mut self, args: &[TermId]) -> TermId {
        self.connective(Op::And, args)
    }

    /// `a || b || …`; `false` for none.
    pub fn or(&mut self, args: &[TermId]) -> TermId {
        self.connective(Op::Or, args)
    }

    /// `a && b`
    pub fn and2(&mut self, a: TermId, b: TermId) -> TermId {
        self.and(&[a, b])
    }

    /// `a || b`
    pub fn or2(&mut self, a: TermId, b: TermId) -> TermId {
        self.or(&[a, b])
    }

    /// `a => b`
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    fn connective(&mut self, op: Op, args: &[TermId]) -> TermId {
        let neutral = self.bool(op == Op::And);
        let absorbing = self.bool(op == Op::Or);
        let mut flat: SmallVec<[TermId; FLAT]> = SmallVec::new();
        let mut room = FLAT.saturating_sub(args.len());
        for &arg in args {
            debug_assert_eq!(self.sort(arg), Sort::Bool);
            if arg == absorbing {
                return absorbing;
            } else if arg == neutral {
                continue;
            } else if self.op(arg) == op && self.args(arg).len() <= room + 1 {
                room -= self.args(arg).len() - 1;
                flat.extend_from_slice(self.args(arg));
            } else {
                flat.push(arg);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        for &arg in &flat {
            if let Some(inner) = self.unary(Op::Not, arg)
                && flat.binary_search(&inner).is_ok()
            {
                return absorbing;
            }
        }
        match flat[..] {
            [] => neutral,
            [only] => only,
            _ => self.node(op, &flat),
        }
    }

    /// `a == b`, of any one sort; on truth values, if and only if.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "{} == {}", self.show(a), self.show(b));
        if a == b {
            return self.yes();
        }
        let (a, b) = self.ordered(a, b);
        if self.value(a).is_some() {
            // Two different constants: the later one of the order is a constant too.
            return self.no();
        }
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::BitVec(_) => self.bv_eq(a, b),
            Sort::Int => self.int_eq(a, b),
            Sort::Float(_) | Sort::Array { .. } => self.node(Op::Eq, &[a, b]),
        }
    }

    fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(Value::Bool(value)) = self.value(b) {
            return if *value { a } else { self.not(a) };
        }
        // One negation moves outwards, two cancel out.
        let (bare_a, bare_b) = (self.unary(Op::Not, a), self.unary(Op::Not, b));
        let (x, y) = self.ordered(bare_a.unwrap_or(a), bare_b.unwrap_or(b));
        let same = if x == y { self.yes() } else { self.node(Op::Eq, &[x, y]) };
        if bare_a.is_some() != bare_b.is_some() { self.not(same) } else { same }
    }

    /// `cond ? yes : no`
    pub fn ite(&mut self, cond: TermId, yes: TermId, no: TermId) -> TermId {
        debug_assert_eq!(self.sort(yes), self.sort(no));
        if yes == no || cond == self.yes() {
            return yes;
        }
        if cond == self.no() {
            return no;
        }
        if let Some(inner) = self.unary(Op::Not, cond) {
            return self.ite(inner, no, yes);
        }
        if self.sort(yes) == Sort::Bool {
            return self.bool_ite(cond, yes, no);
        }
        let same_cond =
            |terms: &Terms, branch: TermId| terms.op(branch) == Op::Ite && terms.args(branch)[0] == cond;
        if same_cond(self, yes) {
            let yes = self.args(yes)[1];
            return self.ite(cond, yes, no);
        }
        if same_cond(self, no) {
            let no = self.args(no)[2];
            return self.ite(cond, yes, no);
        }
        self.node(Op::Ite, &[cond, yes, no])
    }

    fn bool_ite(&mut self, cond: TermId, yes: TermId, no: TermId) -> TermId {
        let not_cond = self.not(cond);
        if yes == self.yes() || yes == cond {
            self.or(&[cond, no])
        } else if yes == self.no() || yes == not_cond {
            self.and(&[not_cond, no])
        } else if no == self.yes() || no == not_cond {
            self.or(&[not_cond, yes])
        } else if no == self.no() || no == cond {
            self.and(&[cond, yes])
        } else if self.unary(Op::Not, yes) == Some(no) || self.unary(Op::Not, no) == Some(yes) {
            self.eq(cond, yes)
        } else {
            self.node(Op::Ite, &[cond, yes, no])
        }
    }
}
