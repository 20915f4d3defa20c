//! Types, variables and their initialisers.

use crate::Gen;
use crate::expr::OPERAND;
use crate::types::{Field, Kind, Record, Ty, Var, declarator};
use std::rc::Rc;

impl Gen {
    /// The text of `ty name`.
    pub fn declare(&self, ty: &Ty, name: &str) -> String {
        declarator(ty, name, &self.records, &self.enums, &self.prefix)
    }

    pub fn kind(&mut self) -> Kind {
        *self.rng.pick(&Kind::ALL)
    }

    /// A type for a variable or member, without pointers to what may not live long enough.
    pub fn ty(&mut self, depth: usize) -> Ty {
        match self.rng.below(20) {
            0 if !self.enums.is_empty() => Ty::Enum(self.rng.below(self.enums.len())),
            1 => Ty::Float,
            2 => Ty::Double,
            3..=5 if depth > 0 => {
                let n = 1 + self.rng.below(5);
                Ty::Array(Rc::new(self.ty(depth - 1)), n)
            }
            6..=8 if depth > 0 && !self.records.is_empty() => Ty::Record(self.rng.below(self.records.len())),
            9 if depth > 0 => Ty::Pointer(Rc::new(Ty::Int(*self.rng.pick(&POOL)))),
            _ => Ty::Int(self.kind()),
        }
    }

    /// Whether a value of the type must be given: it holds a pointer, which must not be null.
    fn needs_value(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Pointer(_) | Ty::Function => true,
            Ty::Array(of, _) => self.needs_value(of),
            Ty::Record(n) => self.records[*n].fields.iter().any(|f| self.needs_value(&f.ty)),
            Ty::Int(_) | Ty::Enum(_) | Ty::Float | Ty::Double => false,
        }
    }

    pub fn add_enum(&mut self) {
        let n = self.enums.len();
        let mut value = -1i64;
        let mut values = Vec::new();
        let mut text = Vec::new();
        for i in 0..2 + self.rng.below(4) {
            let name = format!("{}E{n}_{i}", self.prefix);
            if self.rng.chance(50) {
                value = self.rng.below(200) as i64 - 100;
                text.push(format!("{name} = {value}"));
            } else {
                value += 1;
                text.push(name.clone());
            }
            values.push(value);
            self.enum_constants.push((name, value));
        }
        self.line(&format!("enum {}e{n} {{ {} }};", self.prefix, text.join(", ")));
        self.enums.push(values);
    }

    pub fn add_record(&mut self) {
        let n = self.records.len();
        let name = format!("{}s{n}", self.prefix);
        let is_union = self.rng.chance(20);
        let packed = !is_union && self.rng.chance(10);
        let mut fields = Vec::new();
        if is_union {
            // The first member covers all others, so that initialising it leaves no byte undefined.
            fields.push(Field {
                name: "f0".into(),
                ty: Ty::Array(Rc::new(Ty::Int(Kind::UChar)), 8),
                bits: None,
            });
        }
        for i in fields.len()..2 + self.rng.below(4) {
            let ty = if is_union {
                // No trap representations: any bytes are a value.
                Ty::Int(*self.rng.pick(&Kind::ALL[1..]))
            } else {
                self.ty(1)
            };
            let bits = match ty {
                Ty::Int(kind) if !is_union && self.rng.chance(40) => {
                    Some(1 + self.rng.below(kind.bits(self.model) as usize) as u32)
                }
                _ => None,
            };
            fields.push(Field { name: format!("f{i}"), ty, bits });
        }
        self.line(&format!("{} {name} {{", if is_union { "union" } else { "struct" }));
        for field in &fields {
            let text = self.declare(&field.ty, &field.name);
            match field.bits {
                Some(bits) => self.line(&format!("    {text} : {bits};")),
                None => self.line(&format!("    {text};")),
            }
            if field.bits.is_some() && self.rng.chance(10) {
                let width = *self.rng.pick(&[0, 3, 9]);
                self.line(&format!("    int : {width};"));
            }
        }
        self.line(if packed { "} __attribute__((packed));" } else { "};" });
        self.records.push(Record { name, is_union, packed, fields });
    }

    /// An initialiser. `constant`: for static storage.
    pub fn initialiser(&mut self, ty: &Ty, constant: bool) -> String {
        let saved = std::mem::replace(&mut self.constant, constant);
        let text = self.initialiser_text(ty);
        self.constant = saved;
        text
    }

    fn initialiser_text(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int(_) => {
                let depth = self.rng.below(2) + self.rng.below(2);
                let e = self.expr(depth);
                self.wrap(&e, OPERAND)
            }
            Ty::Enum(n) => format!("{}E{n}_{}", self.prefix, self.rng.below(self.enums[*n].len())),
            Ty::Float | Ty::Double => self.real(1).text,
            Ty::Function => self.signature_function(),
            Ty::Pointer(to) => {
                let before = self.scope.len();
                let address = self.address_of(to, before, true);
                address.unwrap_or_else(|| "0".into())
            }
            Ty::Array(of, n) => {
                if matches!(**of, Ty::Int(Kind::Char | Kind::UChar | Kind::SChar))
                    && *n >= 4
                    && self.rng.chance(40)
                {
                    return (*self.rng.pick(&["\"abc\"", "\"xy\"", "{ \"q\" }", "\"\\1\\2\\3\""])).into();
                }
                if let Ty::Array(inner, m) = &**of
                    && inner.is_scalar()
                    && self.rng.chance(25)
                {
                    // Inner braces may be left out.
                    let items: Vec<_> = (0..n * m).map(|_| self.initialiser_text(inner)).collect();
                    return format!("{{ {} }}", items.join(", "));
                }
                let all = self.needs_value(of);
                let count = if all { *n } else { 1 + self.rng.below(*n) };
                let mut items: Vec<_> = (0..count).map(|_| self.initialiser_text(of)).collect();
                if !all && self.rng.chance(25) {
                    let at = self.rng.below(*n);
                    items.push(format!("[{at}] = {}", self.initialiser_text(of)));
                }
                format!("{{ {} }}", items.join(", "))
            }
            Ty::Record(n) => {
                let record = self.records[*n].clone();
                let count = if record.is_union {
                    1
                } else if record.fields.iter().any(|f| self.needs_value(&f.ty)) {
                    record.fields.len()
                } else {
                    1 + self.rng.below(record.fields.len())
                };
                let named = self.rng.chance(40);
                let items: Vec<_> = record.fields[..count]
                    .iter()
                    .map(|f| {
                        let value = self.initialiser_text(&f.ty);
                        if named { format!(".{} = {value}", f.name) } else { value }
                    })
                    .collect();
                format!("{{ {} }}", items.join(", "))
            }
        }
    }

    /// The global variables that pointers in records can point to, and some others.
    pub fn add_globals(&mut self) {
        for (i, kind) in POOL.into_iter().enumerate() {
            self.add_global(format!("pool{i}"), Ty::Int(kind));
        }
        for i in 0..2 + self.rng.below(4) {
            let ty = self.ty(2);
            self.add_global(format!("g{i}"), ty);
        }
    }

    fn add_global(&mut self, name: String, ty: Ty) {
        let name = format!("{}{name}", self.prefix);
        let pool = name.contains("pool");
        let constant = !pool && self.rng.chance(10);
        let qualifier = match self.rng.below(10) {
            _ if constant => "static const ",
            0 if !pool => "static volatile ",
            1..=3 => "",
            _ => "static ",
        };
        let text = self.declare(&ty, &name);
        if self.needs_value(&ty) || self.rng.chance(80) {
            let value = self.initialiser(&ty, true);
            self.line(&format!("{qualifier}{text} = {value};"));
        } else {
            self.line(&format!("{qualifier}{text};"));
        }
        let simple = qualifier.contains("volatile");
        self.scope.push(Var { name, ty, global: true, writable: !constant, simple });
    }

    /// Declares a local variable with a value.
    pub fn add_local(&mut self) {
        let name = self.fresh("v");
        let ty = if self.rng.chance(55) { Ty::Int(self.kind()) } else { self.ty(2) };
        let (ty, value) = self.local_type_and_value(ty);
        let simple = ty.is_scalar() && self.rng.chance(50);
        let writable = self.rng.chance(95);
        let text = self.declare(&ty, &name);
        // A static variable's initialiser is constant, and it keeps its value; pure functions have none.
        if !self.pure_ && value.is_none() && self.rng.chance(8) {
            let value = self.initialiser(&ty, true);
            self.line(&format!("static {text} = {value};"));
            self.scope.push(Var { name, ty, global: true, writable: true, simple: false });
            return;
        }
        let value = match value {
            Some(value) => value,
            None => self.initialiser(&ty, false),
        };
        let qualifier = match self.rng.below(12) {
            _ if !writable => "const ",
            0 if simple => "register ",
            _ => "",
        };
        if ty.is_scalar() && writable && self.rng.chance(20) {
            self.line(&format!("{qualifier}{text};"));
            self.line(&format!("{name} = {value};"));
        } else {
            self.line(&format!("{qualifier}{text} = {value};"));
        }
        self.scope.push(Var { name, ty, global: false, writable, simple });
    }

    /// Sometimes a pointer to a variable in scope, or to a function, instead of the type.
    fn local_type_and_value(&mut self, ty: Ty) -> (Ty, Option<String>) {
        if self.pure_ {
            return (ty, None);
        }
        if self.rng.chance(15) {
            let before = self.scope.len();
            let types: Vec<_> = self
                .scope
                .iter()
                .filter(|v| !v.simple && v.writable)
                .map(|v| match &v.ty {
                    Ty::Array(of, _) => (**of).clone(),
                    other => other.clone(),
                })
                .collect();
            if !types.is_empty() {
                let to = self.rng.pick(&types).clone();
                if let Some(address) = self.address_of(&to, before, false) {
                    return (Ty::Pointer(Rc::new(to)), Some(address));
                }
            }
        }
        if self.rng.chance(6) {
            return (Ty::Function, Some(self.signature_function()));
        }
        (ty, None)
    }
}

/// What pointers in records point to.
const POOL: [Kind; 3] = [Kind::Int, Kind::UChar, Kind::LongLong];
