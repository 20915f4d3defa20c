//! Expressions with the range of their values, so that no operation overflows, divides by zero or shifts too far.

use crate::Gen;
use crate::types::{Kind, Model, Ty, Var};

/// An integer expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub text: String,
    pub kind: Kind,
    pub range: (i128, i128),
    /// How tightly its operator binds.
    pub strength: u8,
}

/// A floating expression; `double` or `float`.
#[derive(Clone, Debug)]
pub(crate) struct Real {
    pub text: String,
    pub double: bool,
}

const PRIMARY: u8 = 16;
const UNARY: u8 = 14;
const MUL: u8 = 13;
const ADD: u8 = 12;
const SHIFT: u8 = 11;
const RELATION: u8 = 10;
const EQUALITY: u8 = 9;
const BIT_AND: u8 = 8;
const BIT_XOR: u8 = 7;
const BIT_OR: u8 = 6;
const AND: u8 = 5;
const OR: u8 = 4;
const CONDITIONAL: u8 = 3;
/// Binds tighter than an assignment and a comma.
pub(crate) const OPERAND: u8 = 3;

impl Expr {
    pub fn new(text: impl Into<String>, kind: Kind, range: (i128, i128), strength: u8) -> Expr {
        Expr { text: text.into(), kind, range, strength }
    }
}

impl Gen {
    /// The expression with parentheses where they are needed, and sometimes where not.
    pub fn wrap(&mut self, e: &Expr, strength: u8) -> String {
        if e.strength < strength || self.rng.chance(10) { format!("({})", e.text) } else { e.text.clone() }
    }

    /// Any integer expression.
    pub fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        match self.rng.below(if self.constant { 22 } else { 34 }) {
            0 | 1 => self.leaf(),
            2 | 3 => self.unary(depth),
            4..=8 => self.arithmetic(depth),
            9 | 10 => self.division(depth),
            11 | 12 => self.bitwise(depth),
            13 | 14 => self.shift(depth),
            15 | 16 => self.comparison(depth),
            17 => self.logic(depth),
            18 | 19 => self.conditional(depth),
            20 => self.cast(depth),
            21 => self.size(),
            22 => {
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                let text = format!("({}, {})", self.wrap(&a, OPERAND), self.wrap(&b, OPERAND));
                Expr::new(text, b.kind, b.range, PRIMARY)
            }
            23..=25 => self.pure_call(depth),
            26 | 27 => self.real_to_int(depth),
            28 => self.pointer_test(),
            29 => self.text_element(depth),
            30 => self.statement_expression(depth),
            _ => self.leaf(),
        }
    }

    /// A variable, a part of one, or a constant.
    pub fn leaf(&mut self) -> Expr {
        if let Some(effect) = self.effect.take_if(|_| !self.constant) {
            return effect;
        }
        if self.constant || self.rng.chance(30) {
            return self.literal();
        }
        match self.readable() {
            Some(e) => e,
            None => self.literal(),
        }
    }

    /// A constant as the text writes it.
    pub fn literal(&mut self) -> Expr {
        if self.rng.chance(10) && !self.enum_constants.is_empty() {
            let (name, value) = self.rng.pick(&self.enum_constants).clone();
            return Expr::new(name, Kind::Int, (value.into(), value.into()), PRIMARY);
        }
        if self.rng.chance(8) {
            let (text, value) =
                *self.rng.pick(&[("'a'", 97), ("'\\n'", 10), ("'\\x41'", 65), ("'\\377'", -1), ("'0'", 48)]);
            return Expr::new(text, Kind::Int, (value, value), PRIMARY);
        }
        let kinds = [
            Kind::Int,
            Kind::Int,
            Kind::Int,
            Kind::UInt,
            Kind::Long,
            Kind::ULong,
            Kind::LongLong,
            Kind::ULongLong,
        ];
        let kind = *self.rng.pick(&kinds);
        let (_, max) = kind.range(self.model);
        let value = match self.rng.below(6) {
            0..=2 => self.rng.below(10) as i128,
            3 => self.rng.below(1000) as i128,
            4 => max - self.rng.below(3) as i128,
            _ => i128::from(self.rng.word()) & max,
        };
        let suffix = match kind {
            Kind::UInt => *self.rng.pick(&["u", "U"]),
            Kind::Long => *self.rng.pick(&["l", "L"]),
            Kind::ULong => *self.rng.pick(&["ul", "UL", "lu"]),
            Kind::LongLong => *self.rng.pick(&["ll", "LL"]),
            Kind::ULongLong => *self.rng.pick(&["ull", "ULL", "llu"]),
            _ => "",
        };
        let text = match self.rng.below(4) {
            0 => format!("{value:#x}{suffix}"),
            1 => format!("0{value:o}{suffix}"),
            _ => format!("{value}{suffix}"),
        };
        let positive = Expr::new(text, kind, (value, value), PRIMARY);
        if kind.signed() && self.rng.chance(25) {
            Expr::new(format!("-{}", positive.text), kind, (-value, -value), UNARY)
        } else {
            positive
        }
    }

    fn unary(&mut self, depth: usize) -> Expr {
        let mut a = self.expr(depth - 1);
        let kind = a.kind.promoted();
        let (low, high) = a.range;
        let (min, max) = kind.range(self.model);
        let text = |gen_: &mut Gen, a: &Expr, op: &str| {
            let operand = gen_.wrap(a, UNARY);
            // `- -a` must not become `--a`.
            if operand.starts_with(op) { format!("{op}({operand})") } else { format!("{op}{operand}") }
        };
        match self.rng.below(4) {
            0 => {
                if kind.signed() && low == min {
                    a = self.narrow(a, 15);
                }
                // A narrower operand may have a narrower type.
                let kind = a.kind.promoted();
                let (low, high) = a.range;
                let range = if kind.signed() { (-high, -low) } else { (min, max) };
                Expr::new(text(self, &a, "-"), kind, range, UNARY)
            }
            1 => {
                let range = if kind.signed() { (-high - 1, -low - 1) } else { (max - high, max - low) };
                Expr::new(text(self, &a, "~"), kind, range, UNARY)
            }
            2 => Expr::new(text(self, &a, "!"), Kind::Int, (0, 1), UNARY),
            _ => Expr::new(text(self, &a, "+"), kind, a.range, UNARY),
        }
    }

    /// An expression made from `e` whose absolute value is below `1 << bits`.
    pub fn narrow(&mut self, e: Expr, bits: u32) -> Expr {
        let bound = 1i128 << bits;
        if e.range.0 > -bound && e.range.1 < bound {
            return e;
        }
        match self.rng.below(4) {
            0 => {
                let modulus = 2 + self.rng.below((bound - 2).min(1 << 20) as usize) as i128;
                let kind = e.kind.promoted();
                let low = if e.range.0 < 0 { 1 - modulus } else { 0 };
                let high = if e.range.1 > 0 { modulus - 1 } else { 0 };
                Expr::new(format!("{} % {modulus}", self.wrap(&e, MUL)), kind, (low, high), MUL)
            }
            1 if bits >= 15 => {
                let kind = *self.rng.pick(&[Kind::SChar, Kind::Char, Kind::UChar]);
                self.cast_to(&e, kind)
            }
            2 if bits >= 16 => {
                let kind = *self.rng.pick(&[Kind::Short, Kind::UShort]);
                self.cast_to(&e, kind)
            }
            _ => {
                let mask = bound.min(1 << 31) - 1;
                let kind = e.kind.promoted();
                Expr::new(format!("{} & {mask}", self.wrap(&e, EQUALITY)), kind, (0, mask), BIT_AND)
            }
        }
    }

    pub fn cast_to(&mut self, e: &Expr, kind: Kind) -> Expr {
        let name = match self.rng.below(4) {
            // The typedefs of the prelude.
            0 if kind == Kind::UChar => "byte_t",
            0 if kind == Kind::Short => "half_t",
            0 if kind == Kind::UInt => "word_t",
            0 if kind == Kind::LongLong => "wide_t",
            _ => kind.name(),
        };
        let text = format!("({name}){}", self.wrap(e, UNARY));
        Expr::new(text, kind, kind.convert(e.range, self.model), UNARY)
    }

    /// The operands of an arithmetic operator in their common type, unsigned or small enough not to overflow.
    fn arithmetic(&mut self, depth: usize) -> Expr {
        let (mut a, mut b) = (self.expr(depth - 1), self.expr(depth - 1));
        let op = *self.rng.pick(&["+", "-", "*"]);
        let strength = if op == "*" { MUL } else { ADD };
        let exact = |a: (i128, i128), b: (i128, i128)| match op {
            "+" => Some((a.0 + b.0, a.1 + b.1)),
            "-" => Some((a.0 - b.1, a.1 - b.0)),
            _ => {
                let products = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
                let products: Option<Vec<_>> = products.into_iter().map(|(x, y)| x.checked_mul(y)).collect();
                products.map(|p| (*p.iter().min().unwrap_or(&0), *p.iter().max().unwrap_or(&0)))
            }
        };
        let mut tried = 0;
        loop {
            let kind = a.kind.common(b.kind, self.model);
            let (ra, rb) = (kind.convert(a.range, self.model), kind.convert(b.range, self.model));
            let (min, max) = kind.range(self.model);
            let range = exact(ra, rb).filter(|r| r.0 >= min && r.1 <= max);
            let range = if kind.signed() { range } else { Some(range.unwrap_or((min, max))) };
            if let Some(range) = range {
                let text = format!("{} {op} {}", self.wrap(&a, strength), self.wrap(&b, strength + 1));
                return Expr::new(text, kind, range, strength);
            }
            tried += 1;
            if tried == 1 && self.rng.chance(50) {
                let kind = kind.unsigned();
                a = self.cast_to(&a, kind);
                continue;
            }
            let bits = kind.bits(self.model) / 2 - 1;
            a = self.narrow(a, bits);
            b = self.narrow(b, bits);
        }
    }

    fn division(&mut self, depth: usize) -> Expr {
        let mut a = self.expr(depth - 1);
        let b = self.expr(depth - 1);
        let mut b = match self.rng.below(3) {
            0 if b.range.0 > 0 || b.range.1 < 0 => b,
            1 => {
                // An odd number is not zero.
                let kind = b.kind.promoted();
                let range = if b.range.0 >= 0 { (1, b.range.1 | 1) } else { kind.range(self.model) };
                Expr::new(format!("{} | 1", self.wrap(&b, BIT_OR)), kind, range, BIT_OR)
            }
            _ => {
                let b = self.narrow(b, 14);
                let b = self.cast_to(&b, Kind::Int);
                let mask = *self.rng.pick(&[3, 15, 255]);
                let text = format!("({} & {mask}) + 1", self.wrap(&b, EQUALITY));
                Expr::new(text, Kind::Int, (1, mask + 1), ADD)
            }
        };
        let kind = a.kind.common(b.kind, self.model);
        let (min, _) = kind.range(self.model);
        if kind.signed() && b.range.0 < 0 && a.range.0 == min {
            a = self.narrow(a, 15);
        }
        if !kind.signed() && b.range.0 < 0 {
            // A negative odd number stays odd when it becomes unsigned.
            b.range = (1, kind.range(self.model).1);
        }
        let kind = a.kind.common(b.kind, self.model);
        let dividend = kind.convert(a.range, self.model);
        let largest = dividend.0.abs().max(dividend.1.abs());
        let range = (if dividend.0 < 0 || b.range.0 < 0 { -largest } else { 0 }, largest);
        let (min, max) = kind.range(self.model);
        let op = *self.rng.pick(&["/", "%"]);
        let text = format!("{} {op} {}", self.wrap(&a, MUL), self.wrap(&b, UNARY));
        Expr::new(text, kind, (range.0.max(min), range.1.min(max)), MUL)
    }

    fn bitwise(&mut self, depth: usize) -> Expr {
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let kind = a.kind.common(b.kind, self.model);
        let (ra, rb) = (kind.convert(a.range, self.model), kind.convert(b.range, self.model));
        let full = kind.range(self.model);
        let (op, strength) = *self.rng.pick(&[("&", BIT_AND), ("|", BIT_OR), ("^", BIT_XOR)]);
        let range = match op {
            "&" if ra.0 >= 0 && rb.0 >= 0 => (0, ra.1.min(rb.1)),
            "&" if ra.0 >= 0 => (0, ra.1),
            "&" if rb.0 >= 0 => (0, rb.1),
            "|" | "^" if ra.0 >= 0 && rb.0 >= 0 => {
                (0, ((ra.1.max(rb.1) + 1) as u128).next_power_of_two() as i128 - 1)
            }
            _ => full,
        };
        let text = format!("{} {op} {}", self.wrap(&a, strength), self.wrap(&b, strength + 1));
        Expr::new(text, kind, range, strength)
    }

    fn shift(&mut self, depth: usize) -> Expr {
        let mut a = self.expr(depth - 1);
        let count = self.expr(depth - 1);
        let bits = a.kind.promoted().bits(self.model);
        let left = self.rng.chance(50);
        let small = self.rng.chance(50);
        let mask = if small { 7 } else { i128::from(bits) - 1 };
        let count = if count.range.0 >= 0 && count.range.1 <= mask {
            count
        } else {
            let kind = count.kind.promoted();
            Expr::new(format!("({} & {mask})", self.wrap(&count, EQUALITY)), kind, (0, mask), PRIMARY)
        };
        let mut kind = a.kind.promoted();
        if left && kind.signed() {
            let fits = a.range.0 >= 0
                && count.range.1 <= 62
                && (a.range.1 << count.range.1) <= kind.range(self.model).1;
            if !fits {
                kind = kind.unsigned();
                a = self.cast_to(&a, kind);
            }
        }
        let full = kind.range(self.model);
        let (low, high) = kind.convert(a.range, self.model);
        let range = match left {
            true if kind.signed() => (0, high << count.range.1),
            true => full,
            false => (low.min(0), high.max(0)),
        };
        let op = if left { "<<" } else { ">>" };
        let text = format!("{} {op} {}", self.wrap(&a, SHIFT), self.wrap(&count, ADD));
        Expr::new(text, kind, range, SHIFT)
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let (op, strength) = *self.rng.pick(&[
            ("<", RELATION),
            ("<=", RELATION),
            (">", RELATION),
            (">=", RELATION),
            ("==", EQUALITY),
            ("!=", EQUALITY),
        ]);
        let text = format!("{} {op} {}", self.wrap(&a, strength), self.wrap(&b, strength + 1));
        Expr::new(text, Kind::Int, (0, 1), strength)
    }

    fn logic(&mut self, depth: usize) -> Expr {
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        let (op, strength) = *self.rng.pick(&[("&&", AND), ("||", OR)]);
        let text = format!("{} {op} {}", self.wrap(&a, strength), self.wrap(&b, strength + 1));
        Expr::new(text, Kind::Int, (0, 1), strength)
    }

    fn conditional(&mut self, depth: usize) -> Expr {
        let (c, a, b) = (self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1));
        let kind = a.kind.common(b.kind, self.model);
        if self.rng.chance(8) && !self.constant {
            // GNU: the condition is the result if it is not zero.
            let kind = c.kind.common(b.kind, self.model);
            let (rc, rb) = (kind.convert(c.range, self.model), kind.convert(b.range, self.model));
            let text = format!("{} ?: {}", self.wrap(&c, OR), self.wrap(&b, CONDITIONAL));
            return Expr::new(text, kind, (rc.0.min(rb.0), rc.1.max(rb.1)), CONDITIONAL);
        }
        let (ra, rb) = (kind.convert(a.range, self.model), kind.convert(b.range, self.model));
        let text =
            format!("{} ? {} : {}", self.wrap(&c, OR), self.wrap(&a, OPERAND), self.wrap(&b, CONDITIONAL));
        Expr::new(text, kind, (ra.0.min(rb.0), ra.1.max(rb.1)), CONDITIONAL)
    }

    fn cast(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth - 1);
        let kind = *self.rng.pick(&Kind::ALL);
        self.cast_to(&e, kind)
    }

    fn size(&mut self) -> Expr {
        let text = match self.rng.below(4) {
            0 if !self.records.is_empty() => {
                let record = self.rng.below(self.records.len());
                let ty = self.declare(&Ty::Record(record), "");
                format!("{}({})", *self.rng.pick(&["sizeof", "sizeof", "_Alignof"]), ty.trim())
            }
            1 if !self.constant => match self.any_var() {
                Some(var) => format!("sizeof {}", var.name),
                None => "sizeof 0".into(),
            },
            _ => format!("sizeof({})", self.rng.pick(&Kind::ALL).name()),
        };
        Expr::new(text, if self.model == Model::Lp64 { Kind::ULong } else { Kind::UInt }, (0, 1 << 20), UNARY)
    }

    fn any_var(&mut self) -> Option<Var> {
        let usable: Vec<_> =
            self.scope.iter().filter(|v| self.forbidden.as_deref() != Some(&v.name)).cloned().collect();
        if usable.is_empty() { None } else { Some(self.rng.pick(&usable).clone()) }
    }

    fn pure_call(&mut self, depth: usize) -> Expr {
        let callable: Vec<_> = (0..self.functions.len())
            .filter(|&f| {
                let f = &self.functions[f];
                f.pure_ && f.cost * self.weight + self.cost < crate::MAX_COST / 2
            })
            .collect();
        if callable.is_empty() {
            return self.leaf();
        }
        let f = self.functions[*self.rng.pick(&callable)].clone();
        self.cost += self.weight * f.cost;
        let args = self.arguments(&f.params, depth.min(2) - 1);
        Expr::new(format!("{}({args})", f.name), f.ret, f.ret.range(self.model), 15)
    }

    /// Arguments for integer parameters.
    pub fn arguments(&mut self, params: &[Kind], depth: usize) -> String {
        let args: Vec<_> = params
            .iter()
            .map(|_| {
                let e = self.expr(depth);
                self.wrap(&e, OPERAND)
            })
            .collect();
        args.join(", ")
    }

    fn real_to_int(&mut self, depth: usize) -> Expr {
        let a = self.real(depth - 1);
        match self.rng.below(4) {
            0 => Expr::new(format!("to_int({})", a.text), Kind::Int, Kind::Int.range(self.model), 15),
            1 => {
                let kind = Kind::ULongLong;
                Expr::new(format!("to_u64({})", a.text), kind, kind.range(self.model), 15)
            }
            2 => Expr::new(format!("(_Bool)({})", a.text), Kind::Bool, (0, 1), UNARY),
            _ => {
                let b = self.real(depth - 1);
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                Expr::new(format!("(({}) {op} ({}))", a.text, b.text), Kind::Int, (0, 1), PRIMARY)
            }
        }
    }

    /// A floating expression.
    pub fn real(&mut self, depth: usize) -> Real {
        if depth == 0 {
            return match (self.rng.below(4), self.constant) {
                (0 | 1, false) => match self.readable_real() {
                    Some(real) => real,
                    None => self.real_literal(),
                },
                _ => self.real_literal(),
            };
        }
        match self.rng.below(8) {
            0 | 1 => {
                let e = self.expr(depth - 1);
                let double = self.rng.chance(50);
                let ty = if double { "double" } else { "float" };
                Real { text: format!("({ty}){}", self.wrap(&e, UNARY)), double }
            }
            2 => {
                let a = self.real(depth - 1);
                Real { text: format!("(-({}))", a.text), double: a.double }
            }
            3 => {
                let a = self.real(depth - 1);
                let double = self.rng.chance(50);
                Real { text: format!("({})({})", if double { "double" } else { "float" }, a.text), double }
            }
            4 => {
                // An integer operand is converted to the float's type.
                let (a, e) = (self.real(depth - 1), self.expr(depth - 1));
                let op = *self.rng.pick(&["+", "-", "*"]);
                Real { text: format!("(({}) {op} {})", a.text, self.wrap(&e, UNARY)), double: a.double }
            }
            5 => {
                let (c, a, b) = (self.expr(depth - 1), self.real(depth - 1), self.real(depth - 1));
                let text = format!("({} ? ({}) : ({}))", self.wrap(&c, OR), a.text, b.text);
                Real { text, double: a.double || b.double }
            }
            _ => {
                let (a, b) = (self.real(depth - 1), self.real(depth - 1));
                // A constant division by zero is a warning only, but an infinity is dull.
                let ops: &[&str] = if self.constant { &["+", "-", "*"] } else { &["+", "-", "*", "/"] };
                let op = *self.rng.pick(ops);
                Real { text: format!("(({}) {op} ({}))", a.text, b.text), double: a.double || b.double }
            }
        }
    }

    fn real_literal(&mut self) -> Real {
        let texts =
            ["0.5", "1.25", "3.0", "100.", ".1", "1e3", "2.5e-3", "0.0", "123456.789", "1e10", "0x1.8p3"];
        let text = *self.rng.pick(&texts);
        if self.rng.chance(40) {
            Real { text: format!("{text}f"), double: false }
        } else {
            Real { text: text.into(), double: true }
        }
    }

    fn pointer_test(&mut self) -> Expr {
        let pointers: Vec<_> =
            self.scope.iter().filter(|v| matches!(v.ty, Ty::Pointer(_))).cloned().collect();
        if pointers.is_empty() || self.pure_ {
            return self.leaf();
        }
        let p = self.rng.pick(&pointers).clone();
        let (text, kind) = match self.rng.below(4) {
            0 => (format!("!{}", p.name), Kind::Int),
            1 => (format!("({} != 0)", p.name), Kind::Int),
            2 => {
                let same: Vec<_> = pointers.iter().filter(|q| q.ty == p.ty).cloned().collect();
                let q = self.rng.pick(&same);
                (format!("({} == {})", p.name, q.name), Kind::Int)
            }
            _ => {
                let kind = if self.model == Model::Lp64 { Kind::Long } else { Kind::Int };
                (format!("(({0} + 1) - {0})", p.name), kind)
            }
        };
        Expr::new(text, kind, (0, 1), UNARY)
    }

    fn text_element(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth - 1);
        let index = self.index(&e, 6);
        let text = *self.rng.pick(&["\"hello\"", "\"a\\tb\\0c\"", "\"\\x80\" \"1234\"", "\"\\\\\\\"'?!\""]);
        Expr::new(format!("{text}[{index}]"), Kind::Char, Kind::Char.range(self.model), 15)
    }

    fn statement_expression(&mut self, depth: usize) -> Expr {
        let e = self.expr(depth - 1);
        let name = self.fresh("t");
        // A type of its own, and one taken from the expression.
        let (ty, kind) = match self.rng.below(2) {
            0 => {
                let kind = *self.rng.pick(&Kind::ALL);
                (kind.name().to_owned(), kind)
            }
            _ => {
                let kind = e.kind.promoted();
                (kind.name().to_owned(), kind)
            }
        };
        let text = format!("({{ {ty} {name} = {}; {name}; }})", self.wrap(&e, OPERAND));
        Expr::new(text, kind, kind.convert(e.range, self.model), PRIMARY)
    }

    /// An index below `n`.
    pub fn index(&mut self, e: &Expr, n: usize) -> String {
        if e.range.0 >= 0 && e.range.1 < n as i128 {
            return e.text.clone();
        }
        match self.rng.below(3) {
            0 => self.rng.below(n).to_string(),
            1 if n.is_power_of_two() => format!("{} & {}", self.wrap(e, EQUALITY), n - 1),
            _ => format!("(unsigned){} % {n}", self.wrap(e, UNARY)),
        }
    }
}
