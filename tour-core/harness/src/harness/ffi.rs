//! Whether Rust's declaration of a C function agrees with its definition.

use super::lower::{Extern, Layout, Struct, Ty, show};
use tour_ir::program::{FnId, FnSig, Program, Type, TypeId};
use tour_ir::source::{Diagnostic, Severity};

/// Compares; records that agree with a struct become that struct's layout.
pub(crate) struct Comparison<'a> {
    pub(crate) program: &'a Program,
    pub(crate) structs: &'a [Struct],
    pub(crate) layout: &'a mut Layout,
}

/// How two types differ.
struct Difference {
    severity: Severity,
    text: String,
}

fn error(text: impl Into<String>) -> Result<(), Difference> {
    Err(Difference { severity: Severity::Error, text: text.into() })
}

impl Comparison<'_> {
    /// What is wrong with a declaration.
    pub(crate) fn declaration(&mut self, declared: &Extern, function: FnId) -> Vec<Diagnostic> {
        let f = &self.program.functions[function];
        let FnSig { ret, params, variadic, prototyped } = f.sig(&self.program.types).clone();
        let mut found = Vec::new();
        let mut emit = |difference: Difference, what: String| {
            let message =
                format!("the Rust declaration of `{}` does not agree with its C definition", f.name);
            let mut diagnostic = Diagnostic::error("tour::ffi", message);
            diagnostic.severity = difference.severity;
            if let Some(span) = declared.span {
                diagnostic = diagnostic.label(span, format!("{what}: {}", difference.text));
            }
            found.push(diagnostic.label(f.span, "defined here").help(
                "make the declaration what the C says: a call through a wrong one is undefined behaviour",
            ));
        };
        if prototyped && params.len() != declared.params.len() {
            let text = format!("{} in Rust, {} in C", declared.params.len(), params.len());
            emit(Difference { severity: Severity::Error, text }, "the number of parameters".into());
            return found;
        }
        if variadic != declared.variadic && prototyped {
            let text = "`...` in only one of them".to_owned();
            emit(Difference { severity: Severity::Error, text }, "the parameters".into());
        }
        for (i, (rust, c)) in declared.params.iter().zip(&params).enumerate() {
            if let Err(difference) = self.compare(rust, *c, 0) {
                emit(difference, format!("parameter {}", i + 1));
            }
        }
        let void = matches!(self.program.types[ret], Type::Void);
        match &declared.ret {
            Ty::Unit if void => {}
            Ty::Unit => {
                let text = format!("nothing in Rust, `{}` in C", self.program.show_type(ret));
                emit(Difference { severity: Severity::Warning, text }, "what it returns".into());
            }
            rust => {
                if let Err(difference) = self.compare(rust, ret, 0) {
                    emit(difference, "what it returns".into());
                }
            }
        }
        found
    }

    fn compare(&mut self, rust: &Ty, c: TypeId, depth: usize) -> Result<(), Difference> {
        // Types that are nested deeper are the same ones again.
        if depth > 32 {
            return Ok(());
        }
        let types = &self.program.types;
        let both = || format!("`{}` in Rust, `{}` in C", show(self.structs, rust), self.program.show_type(c));
        if let Some(int) = types.int_type(c) {
            return match rust {
                Ty::Bool if int.bits == 1 => Ok(()),
                Ty::Int(own) if int.bits == 1 => error(format!("`{}` in Rust, `_Bool` in C", own.name())),
                Ty::Int(own) if own.bits == int.bits && own.signed == int.signed => Ok(()),
                // Whether `char` has a sign is up to the platform: both are used for bytes.
                Ty::Int(own) if own.bits == 8 && int.bits == 8 => Ok(()),
                Ty::Int(own) if own.bits == int.bits => Err(Difference {
                    severity: Severity::Warning,
                    text: format!("{} (they differ in their sign)", both()),
                }),
                _ => error(both()),
            };
        }
        match (&types[c], rust) {
            (Type::Float(_), Ty::Float(bits)) if types.size(c) == Some(u64::from(*bits / 8)) => Ok(()),
            (Type::Pointer(to), Ty::FnPtr) if matches!(types[to.ty], Type::Function(_) | Type::Void) => {
                Ok(())
            }
            (Type::Pointer(to), Ty::Ptr(_, of) | Ty::Ref(_, of)) => {
                let to = to.ty;
                match (&types[to], &**of) {
                    (Type::Void, _) | (_, Ty::Void) => Ok(()),
                    (_, Ty::Slice(_)) => error("a reference to a slice is two words in Rust and one in C"),
                    // `char` points to any bytes.
                    (Type::Int(_), _)
                        if types.size(to) == Some(1)
                            && !matches!(**of, Ty::Ptr(..) | Ty::Ref(..) | Ty::Int(_)) =>
                    {
                        Ok(())
                    }
                    (_, Ty::Array(item, _)) if !matches!(types[to], Type::Array(..)) => {
                        self.compare(item, to, depth + 1)
                    }
                    (Type::Record(id), _) if !types.records[*id].complete => Ok(()),
                    (_, of) => self.compare(of, to, depth + 1),
                }
            }
            (Type::Array(of, tour_ir::program::ArrayLen::Fixed(n)), Ty::Array(item, m)) if n == m => {
                self.compare(item, of.ty, depth + 1)
            }
            (Type::Record(_), Ty::Uninit(of)) => self.compare(of, c, depth),
            (Type::Record(id), Ty::Struct(index)) => {
                let id = *id;
                self.record(*index, id, depth)
            }
            (Type::Void, Ty::Void) => Ok(()),
            _ => error(both()),
        }
    }

    fn record(
        &mut self,
        index: usize,
        id: tour_ir::program::RecordId,
        depth: usize,
    ) -> Result<(), Difference> {
        let Some(found) = self.structs.get(index) else { return Ok(()) };
        if found.record == Some(id) || self.layout.record(index) == Some(id) {
            return Ok(());
        }
        let record = &self.program.types.records[id];
        let empty = found.fields.iter().all(|(_, ty)| matches!(ty, Ty::Array(_, 0)));
        // An opaque struct stands for any.
        if empty {
            return Ok(());
        }
        let shown = record.tag.clone().unwrap_or_else(|| "record".into());
        if record.fields.len() != found.fields.len() {
            return error(format!(
                "`{}` has {} fields in Rust, `{shown}` has {} in C",
                found.name,
                found.fields.len(),
                record.fields.len()
            ));
        }
        // Taken to agree while its fields are compared: they may point back.
        let packed = found.repr.packed.is_some() || found.repr.align.is_some();
        if packed && record.align != found.repr.align.or(found.repr.packed).unwrap_or(record.align) {
            return error(format!("`{}` is aligned differently in Rust and in C", found.name));
        }
        let fields: Vec<(String, Ty, TypeId)> = found
            .fields
            .iter()
            .zip(&record.fields)
            .map(|((name, ty), field)| (name.clone(), ty.clone(), field.ty.ty))
            .collect();
        if record.fields.iter().any(|field| field.bits.is_some()) {
            return error(format!("`{shown}` has bit-fields, which Rust has not"));
        }
        let name = found.name.clone();
        let bound = self.layout.record(index).is_none();
        if bound {
            self.layout.bind(index, id);
        }
        for (field, ty, c) in fields {
            if let Err(difference) = self.compare(&ty, c, depth + 1) {
                if bound && difference.severity == Severity::Error {
                    self.layout.release(index);
                }
                let text = format!("field `{field}` of `{name}`: {}", difference.text);
                return Err(Difference { text, ..difference });
            }
        }
        Ok(())
    }
}
