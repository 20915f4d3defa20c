//! Terms as text: C-like, for people.
//!
//! A DAG is written as a tree: shared parts of large terms are written out each time, so the text of a large formula is
//! cut off.

use super::arena::{TermId, Terms};
use super::op::Op;
use super::value::Value;

/// Longer C-like texts end in `…`.
const MAX_SHOWN: usize = 1 << 20;

/// What is still to be written.
enum Piece {
    Text(&'static str),
    Own(String),
    /// A term inside an operator of this binding strength.
    Term(TermId, u8),
}

// Binding strengths as in C.
const ITE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const BITOR: u8 = 4;
const BITXOR: u8 = 5;
const BITAND: u8 = 6;
const EQUAL: u8 = 7;
const ORDER: u8 = 8;
const SHIFT: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const PREFIX: u8 = 12;

impl Terms {
    /// C-like text. Constants are shown in decimal, signed next to signed variables; `x@3` is instance 3 of `x`, and
    /// `<u`, `/u`, `>>u`, … are the unsigned operators.
    pub fn show(&self, term: TermId) -> String {
        let mut out = String::new();
        let mut todo = vec![Piece::Term(term, 0)];
        while let Some(piece) = todo.pop() {
            if out.len() > MAX_SHOWN {
                out.push('…');
                break;
            }
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Own(text) => out.push_str(&text),
                Piece::Term(term, outer) => {
                    let at = todo.len();
                    self.show_node(term, outer, &mut todo);
                    todo[at..].reverse();
                }
            }
        }
        out
    }

    fn show_node(&self, term: TermId, outer: u8, out: &mut Vec<Piece>) {
        let args = self.args(term);
        let infix = |symbol: &'static str, own: u8, out: &mut Vec<Piece>| {
            if own < outer {
                out.push(Piece::Text("("));
            }
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    out.push(Piece::Text(symbol));
                }
                out.push(Piece::Term(arg, own + u8::from(i > 0)));
            }
            if own < outer {
                out.push(Piece::Text(")"));
            }
        };
        let prefix = |symbol: &'static str, out: &mut Vec<Piece>| {
            out.push(Piece::Text(symbol));
            out.push(Piece::Term(args[0], PREFIX));
        };
        let call = |name: String, out: &mut Vec<Piece>| {
            out.push(Piece::Own(name));
            out.push(Piece::Text("("));
            for (i, &arg) in args.iter().enumerate() {
                if i > 0 {
                    out.push(Piece::Text(", "));
                }
                out.push(Piece::Term(arg, 0));
            }
            out.push(Piece::Text(")"));
        };
        match self.op(term) {
            Op::Var(symbol) => {
                let name = &self.base(symbol.base).name;
                out.push(Piece::Own(match symbol.index {
                    0 => name.to_string(),
                    index => format!("{name}@{index}"),
                }));
            }
            Op::Const(_) => out.push(Piece::Own(self.show_constant(term))),
            Op::Not => self.show_not(args[0], outer, out),
            Op::And => infix(" && ", AND, out),
            Op::Or => infix(" || ", OR, out),
            Op::Eq => infix(" == ", EQUAL, out),
            Op::Ite => {
                if ITE < outer {
                    out.push(Piece::Text("("));
                }
                out.push(Piece::Term(args[0], ITE + 1));
                out.push(Piece::Text(" ? "));
                out.push(Piece::Term(args[1], ITE + 1));
                out.push(Piece::Text(" : "));
                out.push(Piece::Term(args[2], ITE));
                if ITE < outer {
                    out.push(Piece::Text(")"));
                }
            }
            Op::BvNeg | Op::FpNeg => prefix("-", out),
            Op::BvNot => prefix("~", out),
            Op::BvAdd | Op::IntAdd => self.show_sum(args, outer, out),
            Op::FpAdd => infix(" + ", SUM, out),
            Op::FpSub => infix(" - ", SUM, out),
            Op::BvMul | Op::IntMul | Op::FpMul => infix(" * ", PRODUCT, out),
            Op::BvUdiv => infix(" /u ", PRODUCT, out),
            Op::BvUrem => infix(" %u ", PRODUCT, out),
            Op::BvSdiv | Op::FpDiv | Op::IntDiv => infix(" / ", PRODUCT, out),
            Op::BvSrem | Op::IntMod => infix(" % ", PRODUCT, out),
            Op::BvAnd => infix(" & ", BITAND, out),
            Op::BvOr => infix(" | ", BITOR, out),
            Op::BvXor => infix(" ^ ", BITXOR, out),
            Op::BvShl => infix(" << ", SHIFT, out),
            Op::BvLshr => infix(" >>u ", SHIFT, out),
            Op::BvAshr => infix(" >> ", SHIFT, out),
            Op::BvUle => infix(if self.looks_signed(args[0]) { " <=u " } else { " <= " }, ORDER, out),
            Op::BvSle => infix(if self.looks_signed(args[0]) { " <= " } else { " <=s " }, ORDER, out),
            Op::IntLe | Op::FpLe => infix(" <= ", ORDER, out),
            Op::FpLt => infix(" < ", ORDER, out),
            Op::FpEq => infix(" == ", EQUAL, out),
            Op::Concat => call("concat".into(), out),
            Op::Extract { hi, lo } => {
                out.push(Piece::Term(args[0], PREFIX));
                out.push(Piece::Own(format!("[{hi}:{lo}]")));
            }
            Op::ZeroExt(by) => call(format!("u{}", self.width(args[0]) + by), out),
            Op::SignExt(by) => call(format!("s{}", self.width(args[0]) + by), out),
            Op::Select => {
                out.push(Piece::Term(args[0], PREFIX));
                out.push(Piece::Text("["));
                out.push(Piece::Term(args[1], 0));
                out.push(Piece::Text("]"));
            }
            Op::Store => call("store".into(), out),
            Op::ConstArray(_) => call("all".into(), out),
            Op::Splice => call("splice".into(), out),
            Op::FpSqrt => call("sqrt".into(), out),
            Op::FpToFp(to) | Op::FpFromSigned(to) | Op::FpFromUnsigned(to) => {
                call(format!("{to:?}").to_lowercase(), out)
            }
            Op::FpFromBits(to) => call(format!("{to:?}_bits").to_lowercase(), out),
            Op::FpToSigned(bits) => call(format!("to_s{bits}"), out),
            Op::FpToUnsigned(bits) => call(format!("to_u{bits}"), out),
        }
    }

    /// A negation, as a comparison where it is one.
    fn show_not(&self, inner: TermId, outer: u8, out: &mut Vec<Piece>) {
        let signed = || self.looks_signed(self.args(inner)[0]);
        let (symbol, own) = match self.op(inner) {
            Op::Eq if !self.is_connective(inner) => (" != ", EQUAL),
            Op::BvUle if signed() => (" >u ", ORDER),
            Op::BvSle if !signed() => (" >s ", ORDER),
            Op::BvUle | Op::BvSle | Op::IntLe => (" > ", ORDER),
            _ => {
                out.push(Piece::Text("!"));
                out.push(Piece::Term(inner, PREFIX));
                return;
            }
        };
        let (a, b) = (self.args(inner)[0], self.args(inner)[1]);
        if own < outer {
            out.push(Piece::Text("("));
        }
        out.extend([Piece::Term(a, own), Piece::Text(symbol), Piece::Term(b, own + 1)]);
        if own < outer {
            out.push(Piece::Text(")"));
        }
    }

    /// A sum, with minus signs instead of negative constants and negations.
    fn show_sum(&self, args: &[TermId], outer: u8, out: &mut Vec<Piece>) {
        if SUM < outer {
            out.push(Piece::Text("("));
        }
        let (mut a, mut b) = (args[0], args[1]);
        if self.op(a) == Op::BvNeg && self.op(b) != Op::BvNeg {
            (a, b) = (b, a);
        }
        out.push(Piece::Term(a, SUM));
        let negative = match self.value(b) {
            Some(Value::Bv(bv)) if bv.signed() < 0 => Some(bv.signed().unsigned_abs().to_string()),
            Some(Value::Int(value)) if *value < 0 => Some(value.unsigned_abs().to_string()),
            _ => None,
        };
        match (negative, self.op(b)) {
            (Some(digits), _) => out.extend([Piece::Text(" - "), Piece::Own(digits)]),
            (None, Op::BvNeg) => {
                out.extend([Piece::Text(" - "), Piece::Term(self.args(b)[0], SUM + 1)]);
            }
            (None, _) => out.extend([Piece::Text(" + "), Piece::Term(b, SUM + 1)]),
        }
        if SUM < outer {
            out.push(Piece::Text(")"));
        }
    }

    fn show_constant(&self, term: TermId) -> String {
        match self.value(term) {
            Some(Value::Bool(value)) => value.to_string(),
            Some(Value::Int(value)) => value.to_string(),
            Some(Value::Float(value)) => format!("{:?}", value.to_f64()),
            // A small negative number is more likely than a huge one; bits that are neither are shown as they are.
            Some(Value::Bv(bv)) if bv.bits > 8 && bv.signed() < 0 && bv.signed() > -(1 << 15) => {
                bv.signed().to_string()
            }
            Some(Value::Bv(bv)) if bv.bits >= 32 && bv.value >= 1 << 31 => format!("{:#x}", bv.value),
            Some(Value::Bv(bv)) => bv.value.to_string(),
            Some(Value::Array(_)) | None => unreachable!("no constant term"),
        }
    }

    /// Signed, as far as the nearest variable says.
    fn looks_signed(&self, term: TermId) -> bool {
        let mut term = term;
        loop {
            match (self.op(term), self.args(term)) {
                (Op::Var(symbol), _) => return self.base(symbol.base).signed,
                (Op::ZeroExt(_) | Op::SignExt(_), _) => return true,
                (Op::Ite, args) => term = args[1],
                (_, [first, ..]) => term = *first,
                (_, []) => return true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn people_read_c() {
        let mut t = Terms::new();
        let (x, u) = (t.declare("x", Sort::BitVec(32), true), t.declare("u", Sort::BitVec(32), false));
        let (x, u, c) = (t.var(x, 0), t.var(u, 2), t.bv(32, 10));
        let check = |t: &Terms, term, want: &str| assert_eq!(t.show(term), want);
        let lt = t.bv_slt(x, c);
        check(&t, lt, "x <= 9");
        let ge = t.not(lt);
        check(&t, ge, "x > 9");
        let difference = t.bv_sub(x, u);
        let product = t.bv_mul(difference, c);
        check(&t, product, "(x - u@2) * 10");
        let minus = t.bv_sub(x, c);
        check(&t, minus, "x - 10");
        let unsigned = t.bv_ule(x, u);
        check(&t, unsigned, "x <=u u@2");
        let eq = t.eq(x, c);
        let neq = t.not(eq);
        let either = t.or(&[unsigned, neq]);
        let all = t.and(&[either, ge]);
        check(&t, all, "x > 9 && (x <=u u@2 || x != 10)");
        let four = t.bv(32, u128::MAX);
        let eq = t.eq(u, four);
        check(&t, eq, "u@2 == -1");
        let high = t.extract(x, 31, 31);
        check(&t, high, "x[31:31]");
    }
}
