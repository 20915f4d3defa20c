//! Lvalues: variables, members, elements and what pointers point to.

use crate::Gen;
use crate::expr::{Expr, Real};
use crate::types::{Kind, Ty, Var};

/// A scalar lvalue.
pub(crate) struct Place {
    pub text: String,
    pub ty: Ty,
    pub bits: Option<u32>,
}

impl Place {
    /// The values it can hold, if it is of integer type.
    pub fn range(&self, gen_: &Gen) -> Option<(Kind, (i128, i128))> {
        let Ty::Int(kind) = self.ty else { return None };
        Some(match self.bits {
            Some(bits) if kind.signed() => (kind, (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Some(bits) => (kind, (0, (1 << bits) - 1)),
            None => (kind, kind.range(gen_.model)),
        })
    }
}

impl Gen {
    /// Goes from a variable to a scalar in it.
    fn walk(&mut self, var: &Var) -> Option<Place> {
        let mut place = Place { text: var.name.clone(), ty: var.ty.clone(), bits: None };
        loop {
            match place.ty.clone() {
                Ty::Int(_) | Ty::Enum(_) | Ty::Float | Ty::Double => return Some(place),
                Ty::Function => return None,
                Ty::Array(of, n) => {
                    let index = self.simple_index(n);
                    place = if self.rng.chance(10) {
                        Place {
                            text: format!("(*({} + ({index})))", place.text),
                            ty: (*of).clone(),
                            bits: None,
                        }
                    } else {
                        Place { text: format!("{}[{index}]", place.text), ty: (*of).clone(), bits: None }
                    };
                }
                Ty::Pointer(to) => {
                    if self.pure_ {
                        return None;
                    }
                    let text = match (self.rng.below(3), &*to) {
                        (0, _) => format!("{}[0]", place.text),
                        _ => format!("(*{})", place.text),
                    };
                    place = Place { text, ty: (*to).clone(), bits: None };
                }
                Ty::Record(n) => {
                    let record = &self.records[n];
                    let field = record.fields[self.rng.below(record.fields.len())].clone();
                    let text = match place.text.strip_prefix("(*").and_then(|t| t.strip_suffix(')')) {
                        // `(*p).f` is mostly written `p->f`.
                        Some(inner) if inner.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                            format!("{inner}->{}", field.name)
                        }
                        _ => format!("{}.{}", place.text, field.name),
                    };
                    place = Place { text, ty: field.ty, bits: field.bits };
                }
            }
        }
    }

    /// An index below `n` that needs no deep expression.
    fn simple_index(&mut self, n: usize) -> String {
        let simple: Vec<_> = self
            .scope
            .iter()
            .filter(|v| v.simple && matches!(v.ty, Ty::Int(_)) && self.forbidden.as_ref() != Some(&v.name))
            .map(|v| v.name.clone())
            .collect();
        if simple.is_empty() || self.rng.chance(50) {
            return self.rng.below(n).to_string();
        }
        let name = self.rng.pick(&simple);
        if n.is_power_of_two() { format!("{name} & {}", n - 1) } else { format!("(unsigned){name} % {n}u") }
    }

    fn scalar(
        &mut self,
        allowed: impl Fn(&Gen, &Var) -> bool,
        wanted: impl Fn(&Ty) -> bool,
    ) -> Option<Place> {
        let vars: Vec<_> = self
            .scope
            .iter()
            .filter(|v| self.forbidden.as_ref() != Some(&v.name) && allowed(self, v))
            .cloned()
            .collect();
        if vars.is_empty() {
            return None;
        }
        for _ in 0..4 {
            // The youngest variables are the most interesting.
            let n = if self.rng.chance(50) { vars.len() } else { vars.len().min(8) };
            let var = vars[vars.len() - 1 - self.rng.below(n)].clone();
            if let Some(place) = self.walk(&var)
                && wanted(&place.ty)
            {
                return Some(place);
            }
        }
        None
    }

    /// The value of some integer lvalue.
    pub fn readable(&mut self) -> Option<Expr> {
        let place = self.scalar(|_, _| true, |ty| matches!(ty, Ty::Int(_) | Ty::Enum(_)))?;
        let Some((kind, range)) = place.range(self) else {
            // What type an enumeration is compatible with is the compiler's choice: ask for one.
            let kind = *self.rng.pick(&[Kind::Int, Kind::LongLong]);
            let text = format!("({}){}", kind.name(), place.text);
            return Some(Expr::new(text, kind, Kind::Int.range(self.model), 14));
        };
        Some(match place.bits {
            // Compilers differ in the type of a bit-field wider than `int`: convert it.
            Some(_) if kind.promoted() != Kind::Int && kind != Kind::UInt => {
                Expr::new(format!("({}){}", kind.name(), place.text), kind, range, 14)
            }
            // A narrow one becomes `int`.
            Some(bits) if bits < 32 => Expr::new(place.text, Kind::Int, range, 15),
            _ => Expr::new(place.text, kind, range, 15),
        })
    }

    /// The value of some floating lvalue.
    pub fn readable_real(&mut self) -> Option<Real> {
        let place = self.scalar(|_, _| true, |ty| matches!(ty, Ty::Float | Ty::Double))?;
        Some(Real { text: place.text, double: place.ty == Ty::Double })
    }

    /// Something to assign to.
    pub fn target(&mut self) -> Option<Place> {
        self.scalar(|gen_, v| v.writable && !(gen_.pure_ && v.global), |_| true)
    }

    /// A simple local variable of integer type.
    pub fn simple_target(&mut self) -> Option<(String, Kind)> {
        let simple: Vec<_> = self
            .scope
            .iter()
            .filter_map(|v| match v.ty {
                Ty::Int(kind) if v.simple && v.writable && !v.global => Some((v.name.clone(), kind)),
                _ => None,
            })
            .collect();
        if simple.is_empty() { None } else { Some(self.rng.pick(&simple).clone()) }
    }

    /// The address of an object of a type among the first `before` variables in scope.
    pub fn address_of(&mut self, ty: &Ty, before: usize, globals_only: bool) -> Option<String> {
        let mut found = Vec::new();
        for var in self.scope[..before].iter().filter(|v| !v.simple && v.writable) {
            if globals_only && !var.global {
                continue;
            }
            if var.ty == *ty {
                found.push(format!("&{}", var.name));
            }
            match &var.ty {
                Ty::Array(of, n) if **of == *ty => {
                    let k = self.rng.below(*n);
                    found.push(format!("&{}[{k}]", var.name));
                    found.push(format!("{} + {k}", var.name));
                    found.push(var.name.clone());
                }
                Ty::Record(n) if !self.records[*n].packed => {
                    for field in &self.records[*n].fields {
                        if field.ty == *ty && field.bits.is_none() {
                            found.push(format!("&{}.{}", var.name, field.name));
                        }
                    }
                }
                _ => {}
            }
        }
        if found.is_empty() { None } else { Some(self.rng.pick(&found).clone()) }
    }
}
