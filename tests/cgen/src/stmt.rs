//! Statements.

use crate::expr::{Expr, OPERAND};
use crate::place::Place;
use crate::types::{Kind, Model, Ty, Var};
use crate::{Gen, MAX_COST};

impl Gen {
    /// A block with its own variables.
    pub fn block(&mut self, depth: usize) {
        let scope = self.scope.len();
        self.indent += 1;
        for _ in 0..self.rng.below(2) {
            self.add_local();
        }
        for _ in 0..1 + self.rng.below(2) {
            self.statement(depth);
        }
        self.indent -= 1;
        self.scope.truncate(scope);
    }

    /// A block that runs `times` times.
    fn loop_body(&mut self, times: u64, depth: usize) {
        self.weight *= times;
        self.loops += 1;
        self.block(depth);
        if self.rng.chance(25) {
            let e = self.expr(2);
            let jump = *self.rng.pick(&["break", "continue"]);
            self.line(&format!("    if ({}) {jump};", e.text));
        }
        self.loops -= 1;
        self.weight /= times;
    }

    /// Any statement.
    pub fn statement(&mut self, depth: usize) {
        self.cost += self.weight;
        let nested = depth > 0 && self.cost < MAX_COST / 2;
        match self.rng.below(if nested { 34 } else { 20 }) {
            0..=8 => self.with_effect(Gen::assignment),
            9 | 10 => self.copy_aggregate(),
            11..=13 if !self.pure_ => self.with_effect(Gen::mix),
            // The small run-time system of 32-bit programs has no printf worth the name.
            14 if !self.pure_ && self.model == Model::Lp64 => self.print(),
            15 | 16 if !self.pure_ => self.with_effect(Gen::call),
            17 if !self.pure_ => self.retarget(),
            18 if !self.pure_ => self.bytes(),
            19 if self.loops > 0 => {
                let e = self.expr(2);
                let jump = *self.rng.pick(&["break", "continue"]);
                self.line(&format!("if ({}) {jump};", e.text));
            }
            20..=22 => self.if_statement(depth),
            23..=25 => self.for_loop(depth),
            26 | 27 => self.while_loop(depth),
            28 | 29 => self.switch(depth),
            30 | 31 => self.goto(depth),
            32 if !self.pure_ => self.pointer_loop(),
            33 if !self.pure_ => self.variable_array(),
            _ => self.with_effect(Gen::assignment),
        }
    }

    /// Makes a statement in which one expression has one side effect on a simple variable, which is not mentioned
    /// elsewhere in the statement.
    fn with_effect(&mut self, make: fn(&mut Gen)) {
        if self.rng.chance(25)
            && let Some((name, kind)) = self.simple_target()
        {
            self.forbidden = Some(name.clone());
            let small = !kind.signed() || kind.promoted() != kind;
            let range = kind.range(self.model);
            let effect = match self.rng.below(5) {
                0 if small => Expr::new(format!("{name}++"), kind, range, 15),
                1 if small => Expr::new(format!("--{name}"), kind, range, 14),
                2 => {
                    let e = self.expr(1);
                    let op = *self.rng.pick(&["&=", "|=", "^="]);
                    Expr::new(format!("({name} {op} {})", self.wrap(&e, OPERAND)), kind, range, 16)
                }
                _ => {
                    let e = self.expr(1);
                    let range = kind.convert(e.range, self.model);
                    Expr::new(format!("({name} = {})", self.wrap(&e, OPERAND)), kind, range, 16)
                }
            };
            self.effect = Some(effect);
        }
        make(self);
        self.effect = None;
        self.forbidden = None;
    }

    fn assignment(&mut self) {
        let Some(place) = self.target() else { return };
        let text = place.text.clone();
        match &place.ty {
            Ty::Int(kind) => self.int_assignment(place_kind(*kind, &place), &place),
            Ty::Enum(n) => {
                let constant = format!("{}E{n}_{}", self.prefix, self.rng.below(self.enums[*n].len()));
                self.line(&format!("{text} = {constant};"));
            }
            Ty::Float | Ty::Double => {
                let e = self.real(2);
                let op = *self.rng.pick(&["=", "=", "+=", "-=", "*="]);
                self.line(&format!("{text} {op} {};", e.text));
            }
            Ty::Pointer(_) | Ty::Array(..) | Ty::Record(_) | Ty::Function => {}
        }
    }

    /// `kind` is what the place has after promotion.
    fn int_assignment(&mut self, kind: Kind, place: &Place) {
        let text = &place.text;
        let depth = 1 + self.rng.below(3);
        let e = self.expr(depth);
        let Some((declared, range)) = place.range(self) else { return };
        let wide_field = place.bits.is_some() && kind != Kind::Int && kind != Kind::UInt;
        let choice = self.rng.below(10);
        if wide_field || choice < 4 {
            let e = self.wrap(&e, OPERAND);
            return self.line(&format!("{text} = {e};"));
        }
        match choice {
            4 | 5 => {
                // Arithmetic happens in the common type: keep it from overflowing there.
                let common = kind.common(e.kind, self.model);
                let e = if common.signed() { self.narrow(e, 15) } else { e };
                let common = kind.common(e.kind, self.model);
                let room = common.range(self.model);
                let a = common.convert(range, self.model);
                let safe = !common.signed() || a.0 - 65536 >= room.0 && a.1 + 65536 <= room.1;
                let op = if safe { *self.rng.pick(&["+=", "-="]) } else { *self.rng.pick(&["^=", "|="]) };
                let e = self.wrap(&e, OPERAND);
                self.line(&format!("{text} {op} {e};"));
            }
            6 => {
                let op = *self.rng.pick(&["&=", "|=", "^="]);
                let e = self.wrap(&e, OPERAND);
                self.line(&format!("{text} {op} {e};"));
            }
            7 => {
                let divisor = 1 + self.rng.below(20);
                let op = *self.rng.pick(&["/=", "%="]);
                let e = self.wrap(&e, OPERAND);
                // The quotient may be anything; the expression is evaluated for its effect alone.
                self.line(&format!("{text} {op} ({e}, {divisor});"));
            }
            8 => {
                let op = if kind.signed() { ">>=" } else { *self.rng.pick(&["<<=", ">>="]) };
                let mask = kind.bits(self.model) - 1;
                self.line(&format!("{text} {op} ({}) & {mask};", e.text));
            }
            _ => {
                let small =
                    !kind.signed() || declared.promoted() != declared || place.bits.is_some_and(|b| b < 32);
                if small {
                    let form = *self.rng.pick(&["{}++", "++{}", "{}--", "--{}"]);
                    self.line(&format!("{};", form.replace("{}", text)));
                } else {
                    let e = self.wrap(&e, OPERAND);
                    self.line(&format!("{text} = {e};"));
                }
            }
        }
    }

    /// Assigns one record to another.
    fn copy_aggregate(&mut self) {
        let records: Vec<_> = self
            .scope
            .iter()
            .filter_map(|v| match &v.ty {
                Ty::Record(n) => Some((v.name.clone(), *n, v.writable && !(self.pure_ && v.global))),
                Ty::Pointer(to) if !self.pure_ => match **to {
                    Ty::Record(n) => Some((format!("*{}", v.name), n, v.writable)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let targets: Vec<_> = records.iter().filter(|r| r.2).cloned().collect();
        if targets.is_empty() {
            return self.with_effect(Gen::assignment);
        }
        let (to, n, _) = self.rng.pick(&targets).clone();
        let from: Vec<_> = records.iter().filter(|r| r.1 == n).cloned().collect();
        if self.rng.chance(30) {
            let ty = self.declare(&Ty::Record(n), "");
            let value = self.initialiser(&Ty::Record(n), false);
            self.line(&format!("{to} = ({}){value};", ty.trim()));
        } else {
            let from = self.rng.pick(&from).0.clone();
            self.line(&format!("{to} = {from};"));
        }
    }

    fn mix(&mut self) {
        if self.rng.chance(12) {
            let e = self.real(2);
            self.line(&format!("mixd({});", e.text));
        } else if self.rng.chance(8) {
            self.mix_many();
        } else {
            let depth = 1 + self.rng.below(4);
            let e = self.expr(depth);
            let e = self.wrap(&e, OPERAND);
            self.line(&format!("mix({e});"));
        }
    }

    /// Variable arguments, which `va_arg` reads.
    fn mix_many(&mut self) {
        let types = [
            ('i', "short"),
            ('i', "int"),
            ('u', "unsigned"),
            ('l', "long"),
            ('m', "unsigned long"),
            ('I', "long long"),
            ('U', "unsigned long long"),
        ];
        let (mut kinds, mut args) = (String::new(), String::new());
        for _ in 0..self.rng.below(5) {
            if self.rng.chance(20) {
                kinds.push('d');
                args += &format!(", {}", self.real(1).text);
            } else {
                let (kind, ty) = *self.rng.pick(&types);
                kinds.push(kind);
                args += &format!(", ({ty})({})", self.expr(2).text);
            }
        }
        self.line(&format!("mixv(\"{kinds}\"{args});"));
    }

    fn print(&mut self) {
        let formats = [
            ("%d", Kind::Int),
            ("%u", Kind::UInt),
            ("%ld", Kind::Long),
            ("%lu", Kind::ULong),
            ("%lld", Kind::LongLong),
            ("%llu", Kind::ULongLong),
            ("%x", Kind::UInt),
            ("%#llX", Kind::ULongLong),
            ("%o", Kind::UInt),
            ("%hhd", Kind::SChar),
            ("%hu", Kind::UShort),
            ("%7d|", Kind::Int),
            ("%-7d|", Kind::Short),
            ("%07d", Kind::Int),
            ("%+d", Kind::Int),
            ("%.4d", Kind::Int),
            ("%d", Kind::Bool),
            ("%i", Kind::Char),
        ];
        let mut format = String::new();
        let mut args = String::new();
        for _ in 0..1 + self.rng.below(3) {
            if self.rng.chance(20) {
                let e = self.real(1);
                format += *self.rng.pick(&["%f ", "%g ", "%e ", "%.2f ", "%10.3g "]);
                args += &format!(", no_nan({})", e.text);
            } else if self.rng.chance(10) {
                format += *self.rng.pick(&["%s ", "%5s ", "%-5s|", "%.2s "]);
                args += *self.rng.pick(&[", \"abc\"", ", \"\"", ", \"%d\" \"x\""]);
            } else {
                let (spec, kind) = *self.rng.pick(&formats);
                let e = self.expr(2);
                let e = self.cast_to(&e, kind);
                format += spec;
                format.push(' ');
                args += &format!(", {}", self.wrap(&e, OPERAND));
            }
        }
        self.line(&format!("printf(\"{format}\\n\"{args});"));
    }

    fn if_statement(&mut self, depth: usize) {
        let e = self.expr(2);
        self.line(&format!("if ({}) {{", e.text));
        self.block(depth - 1);
        if self.rng.chance(50) {
            if self.rng.chance(30) {
                let e = self.expr(2);
                self.line(&format!("}} else if ({}) {{", e.text));
                self.block(depth - 1);
            }
            self.line("} else {");
            self.block(depth - 1);
        }
        self.line("}");
    }

    fn for_loop(&mut self, depth: usize) {
        let i = self.fresh("i");
        let times = 1 + self.rng.below(5) as u64;
        let kind = *self.rng.pick(&[Kind::Int, Kind::UInt, Kind::SChar, Kind::LongLong]);
        match self.rng.below(3) {
            0 => self.line(&format!("for ({0} {i} = {times}; {i} > 0; --{i}) {{", kind.name())),
            1 => {
                let j = self.fresh("j");
                let ty = kind.name();
                self.line(&format!("for ({ty} {i} = 0, {j} = {times}; {i} < {j}; {i} += 1) {{"));
            }
            _ => self.line(&format!("for ({0} {i} = 0; {i} < {times}; {i}++) {{", kind.name())),
        }
        let scope = self.scope.len();
        self.scope.push(Var { name: i, ty: Ty::Int(kind), global: false, writable: false, simple: true });
        self.loop_body(times, depth - 1);
        self.scope.truncate(scope);
        self.line("}");
    }

    fn while_loop(&mut self, depth: usize) {
        let c = self.fresh("c");
        let times = 1 + self.rng.below(4) as u64;
        self.line("{");
        self.indent += 1;
        self.line(&format!("unsigned {c} = {times};"));
        let scope = self.scope.len();
        let var =
            Var { name: c.clone(), ty: Ty::Int(Kind::UInt), global: false, writable: false, simple: true };
        self.scope.push(var);
        if self.rng.chance(50) {
            let e = self.expr(1);
            self.line(&format!("while ({c}-- > 0 && {}) {{", self.operand(&e)));
            self.loop_body(times, depth - 1);
            self.line("}");
        } else {
            self.line("do {");
            self.loop_body(times, depth - 1);
            self.line(&format!("}} while (--{c});"));
        }
        self.scope.truncate(scope);
        self.indent -= 1;
        self.line("}");
    }

    fn operand(&self, e: &Expr) -> String {
        format!("({})", e.text)
    }

    fn switch(&mut self, depth: usize) {
        let e = self.expr(2);
        let text = match self.rng.below(3) {
            0 => e.text,
            1 => format!("({}) & 7", e.text),
            _ => format!("(signed char)({}) % 5", e.text),
        };
        self.line(&format!("switch ({text}) {{"));
        let mut values: Vec<i64> = (-4..8).collect();
        let default = self.rng.below(5);
        for i in 0..2 + self.rng.below(4) {
            if i == default {
                self.line("default:");
            }
            for _ in 0..1 + self.rng.below(2) {
                let value = values.remove(self.rng.below(values.len()));
                let label = match (value, self.rng.below(6)) {
                    (_, 0) => {
                        format!("'\\{}'", value.rem_euclid(8)).replace("'\\", "0 * '\\")
                            + &format!(" + {value}")
                    }
                    _ => value.to_string(),
                };
                self.line(&format!("case {label}:"));
            }
            self.line("{");
            self.block(depth - 1);
            self.line("}");
            if self.rng.chance(70) {
                self.line("break;");
            }
        }
        self.line("}");
    }

    fn goto(&mut self, depth: usize) {
        let label = self.fresh("label");
        match self.rng.below(3) {
            0 => {
                let e = self.expr(2);
                self.line(&format!("if ({}) goto {label};", e.text));
                self.line("{");
                self.block(depth - 1);
                self.line("}");
                self.line(&format!("{label}: ;"));
            }
            1 => {
                let c = self.fresh("n");
                self.line("{");
                self.indent += 1;
                self.line(&format!("int {c} = 0;"));
                self.line(&format!("{label}:"));
                self.line("{");
                self.weight *= 3;
                let loops = std::mem::replace(&mut self.loops, 0);
                self.block(depth - 1);
                self.loops = loops;
                self.weight /= 3;
                self.line("}");
                self.line(&format!("if (++{c} < 3) goto {label};"));
                self.indent -= 1;
                self.line("}");
            }
            _ => {
                // Into a block.
                let (e, f) = (self.expr(2), self.expr(2));
                self.line(&format!("if ({}) goto {label};", e.text));
                self.line(&format!("if ({}) {{", f.text));
                self.block(depth - 1);
                self.line(&format!("{label}:"));
                self.line("{");
                self.block(depth - 1);
                self.line("}");
                self.line("}");
            }
        }
    }

    /// A call with effects.
    fn call(&mut self) {
        let callable: Vec<_> =
            self.procedures.iter().filter(|p| p.cost * self.weight + self.cost < MAX_COST).cloned().collect();
        if callable.is_empty() {
            return self.mix();
        }
        let f = self.rng.pick(&callable).clone();
        self.cost += f.cost * self.weight;
        let args: Vec<_> = f.params.iter().map(|ty| self.argument(ty)).collect();
        let call = format!("{}({})", f.name, args.join(", "));
        match &f.ret {
            None => self.line(&format!("{call};")),
            Some(Ty::Record(n)) => {
                let same: Vec<_> = self
                    .scope
                    .iter()
                    .filter(|v| v.ty == Ty::Record(*n) && v.writable)
                    .map(|v| v.name.clone())
                    .collect();
                if same.is_empty() {
                    let field = self.records[*n].fields[0].clone();
                    match field.ty {
                        Ty::Int(_) => self.line(&format!("mix({call}.{});", field.name)),
                        _ => self.line(&format!("(void){call};")),
                    }
                } else {
                    let to = self.rng.pick(&same).clone();
                    self.line(&format!("{to} = {call};"));
                }
            }
            Some(_) => {
                // The variable must be none that the arguments change.
                match self.simple_target().filter(|(name, _)| self.forbidden.as_ref() != Some(name)) {
                    Some((name, _)) => self.line(&format!("{name} = {call};")),
                    None => self.line(&format!("mix({call});")),
                }
            }
        }
    }

    fn argument(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Pointer(to) => {
                let before = self.scope.len();
                self.address_of(to, before, false).unwrap_or_else(|| "0".into())
            }
            Ty::Record(n) => {
                let same: Vec<_> =
                    self.scope.iter().filter(|v| v.ty == *ty).map(|v| v.name.clone()).collect();
                if same.is_empty() || self.rng.chance(20) {
                    let effect = self.effect.take();
                    let text = self.declare(&Ty::Record(*n), "");
                    let value = self.initialiser(ty, false);
                    self.effect = effect;
                    format!("({}){value}", text.trim())
                } else {
                    self.rng.pick(&same).clone()
                }
            }
            Ty::Float | Ty::Double => self.real(1).text,
            Ty::Function => self.signature_function(),
            _ => {
                let e = self.expr(2);
                self.wrap(&e, OPERAND)
            }
        }
    }

    /// Lets a pointer point to something else that lives at least as long.
    fn retarget(&mut self) {
        let pointers: Vec<_> = (0..self.scope.len())
            .filter(|&i| {
                let v = &self.scope[i];
                v.writable && matches!(v.ty, Ty::Pointer(_) | Ty::Function)
            })
            .collect();
        if pointers.is_empty() {
            return self.with_effect(Gen::mix);
        }
        let i = *self.rng.pick(&pointers);
        let var = self.scope[i].clone();
        let address = match &var.ty {
            Ty::Pointer(to) => {
                let to = (**to).clone();
                self.address_of(&to, i, var.global)
            }
            _ => Some(self.signature_function()),
        };
        if let Some(address) = address {
            let condition = self.expr(1);
            let name = &var.name;
            if self.rng.chance(50) {
                self.line(&format!("{name} = {address};"));
            } else {
                self.line(&format!("{name} = ({}) ? {name} : {address};", condition.text));
            }
        }
    }

    /// Looks at the bytes of variables, copies and sets them.
    fn bytes(&mut self) {
        let vars: Vec<_> =
            self.scope.iter().filter(|v| !v.simple && v.writable && self.is_plain(&v.ty)).cloned().collect();
        if vars.is_empty() {
            return self.with_effect(Gen::mix);
        }
        let a = self.rng.pick(&vars).clone();
        match self.rng.below(4) {
            0 => {
                let e = self.expr(1);
                self.line(&format!("memset(&{}, {}, sizeof {0});", a.name, self.operand(&e)));
            }
            1 => {
                let same: Vec<_> = vars
                    .iter()
                    .filter(|b| b.ty == a.ty && b.name != a.name)
                    .map(|b| b.name.clone())
                    .collect();
                if !same.is_empty() {
                    let b = self.rng.pick(&same).clone();
                    self.line(&format!("memcpy(&{}, &{b}, sizeof {0});", a.name));
                }
            }
            2 => {
                let i = self.fresh("i");
                let name = &a.name;
                self.line(&format!("for (unsigned {i} = 0; {i} < sizeof {name}; {i}++)"));
                self.line(&format!("    mix(((unsigned char *)&{name})[{i}]);"));
            }
            _ => {
                let ty = self.declare(&Ty::Pointer(std::rc::Rc::new(a.ty.clone())), "");
                let p = self.fresh("q");
                let decl = self.declare(&Ty::Pointer(std::rc::Rc::new(a.ty.clone())), &p);
                self.line(&format!("{{ {decl} = ({})(unsigned long)(void *)&{};", ty.trim(), a.name));
                self.line(&format!("  mix({p} == &{}); mix(sizeof *{p}); }}", a.name));
            }
        }
    }

    /// Whether any bytes are a value: only integers, no padding that matters.
    fn is_plain(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int(kind) => *kind != Kind::Bool,
            Ty::Array(of, _) => self.is_plain(of),
            Ty::Enum(_) | Ty::Float | Ty::Double | Ty::Pointer(_) | Ty::Record(_) | Ty::Function => false,
        }
    }

    /// Walks over an array by pointer.
    fn pointer_loop(&mut self) {
        let arrays: Vec<_> = self
            .scope
            .iter()
            .filter_map(|v| match &v.ty {
                Ty::Array(of, n) if v.writable && !v.simple => match **of {
                    Ty::Int(kind) => Some((v.name.clone(), kind, *n)),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        if arrays.is_empty() {
            return self.with_effect(Gen::assignment);
        }
        let (a, kind, n) = self.rng.pick(&arrays).clone();
        self.cost += self.weight * n as u64;
        let (p, end, ty) = (self.fresh("p"), self.fresh("end"), kind.name());
        let e = self.expr(2);
        let e = self.wrap(&e, OPERAND);
        self.line("{");
        self.indent += 1;
        match self.rng.below(3) {
            0 => {
                self.line(&format!("{ty} *{p} = {a}, *const {end} = {a} + {n};"));
                self.line(&format!("while ({p} < {end}) *{p}++ = {e};"));
                self.line(&format!("mix({end} - {a}); mix({p}[-1]);"));
            }
            1 => {
                self.line(&format!("{ty} *{p} = &{a}[{n}];"));
                self.line(&format!("while ({p} != {a}) {{ --{p}; mix(*{p}); }}"));
                self.line(&format!("mix({p} - {a});"));
            }
            _ => {
                self.line(&format!("{ty} (*{p})[{n}] = &{a};"));
                self.line(&format!("{ty} **{end} = &({ty} *){{ *{p} }};"));
                self.line(&format!(
                    "mix((*{p})[{}]); mix(**{end}); mix(sizeof *{p});",
                    self.rng.clone().below(n)
                ));
                self.line(&format!("(*{end})[{}] = {e};", n - 1));
                self.line(&format!("*{end} += {}; mix(**{end}); mix(*{end} - {a});", n - 1));
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    fn variable_array(&mut self) {
        let (n, a, i) = (self.fresh("n"), self.fresh("a"), self.fresh("i"));
        let (size, e) = (self.expr(1), self.expr(2));
        let kind = self.kind();
        self.cost += self.weight * 8;
        self.line("{");
        self.indent += 1;
        self.line(&format!("int {n} = (({}) & 7) + 1;", size.text));
        self.line(&format!("{} {a}[{n}];", kind.name()));
        self.line(&format!("for (int {i} = 0; {i} < {n}; {i}++) {a}[{i}] = {};", self.operand(&e)));
        self.line(&format!("mix(sizeof {a}); mix({a}[{n} - 1]); mix({a}[{n} / 2]);"));
        self.indent -= 1;
        self.line("}");
    }
}

/// The type that an assignment operator computes with on this side.
fn place_kind(kind: Kind, place: &Place) -> Kind {
    match place.bits {
        Some(bits) if bits < 32 && kind.promoted().name() != "long" && !is_wide(kind) => Kind::Int,
        _ => kind.promoted(),
    }
}

fn is_wide(kind: Kind) -> bool {
    matches!(kind, Kind::Long | Kind::ULong | Kind::LongLong | Kind::ULongLong)
}
