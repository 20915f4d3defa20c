//! Programs as text: C-like types, expressions and operations, for graphs, traces and tests.

use super::{
    ArrayLen, BinOp, Callee, ExprId, ExprKind, FloatKind, HavocOrigin, IntKind, Op, PlaceId, PlaceKind,
    Program, QualType, RecordKind, Type, TypeId, UnOp,
};

impl IntKind {
    /// As written in C.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Bool => "_Bool",
            IntKind::Char => "char",
            IntKind::SChar => "signed char",
            IntKind::UChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::ULong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::ULongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UInt128 => "unsigned __int128",
            IntKind::Field { signed: true, .. } => "bit-field",
            IntKind::Field { signed: false, .. } => "unsigned bit-field",
        }
    }
}

/// Binding strength of unary and postfix operators, to print only the parentheses that are needed.
const UNARY: u8 = BinOp::STRONGEST + 1;
const POSTFIX: u8 = UNARY + 1;

impl Program {
    /// A type as C would write it for an abstract declarator.
    pub fn show_type(&self, ty: TypeId) -> String {
        match &self.types[ty] {
            Type::Void => "void".into(),
            Type::Int(kind) => kind.name().into(),
            Type::Float(FloatKind::Float) => "float".into(),
            Type::Float(FloatKind::Double) => "double".into(),
            Type::Float(FloatKind::LongDouble) => "long double".into(),
            Type::Float(FloatKind::Float128) => "__float128".into(),
            Type::Pointer(to) => match &self.types[to.ty] {
                Type::Function(_) | Type::Array(..) => format!("({}) *", self.show_qual_type(*to)),
                _ => format!("{} *", self.show_qual_type(*to)),
            },
            Type::Array(of, len) => {
                let len = match len {
                    ArrayLen::Fixed(n) => n.to_string(),
                    ArrayLen::Unknown => String::new(),
                    ArrayLen::Variable(v) => self.vars[*v].name.clone(),
                };
                format!("{}[{len}]", self.show_qual_type(*of))
            }
            Type::Record(id) => {
                let record = &self.types.records[*id];
                let kind = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                format!("{kind} {}", record.tag.as_deref().unwrap_or("<anonymous>"))
            }
            Type::Enum(id) => {
                format!("enum {}", self.types.enums[*id].tag.as_deref().unwrap_or("<anonymous>"))
            }
            Type::Function(sig) => {
                let mut params: Vec<_> = sig.params.iter().map(|p| self.show_type(*p)).collect();
                if sig.variadic {
                    params.push("...".into());
                } else if params.is_empty() && sig.prototyped {
                    params.push("void".into());
                }
                format!("{} ({})", self.show_type(sig.ret), params.join(", "))
            }
            Type::Opaque { name, .. } => name.to_string(),
        }
    }

    fn show_qual_type(&self, ty: QualType) -> String {
        let mut text = String::new();
        for (set, word) in
            [(ty.quals.constant, "const "), (ty.quals.volatile, "volatile "), (ty.quals.atomic, "_Atomic ")]
        {
            if set {
                text.push_str(word);
            }
        }
        text + &self.show_type(ty.ty)
    }

    /// An expression as C. Casts that only make C's own conversions explicit are shown too.
    pub fn show_expr(&self, expr: ExprId) -> String {
        let mut out = String::new();
        self.write_expr(&mut out, expr, 0);
        out
    }

    /// An lvalue as C.
    pub fn show_place(&self, place: PlaceId) -> String {
        let mut out = String::new();
        self.write_place(&mut out, place);
        out
    }

    fn write_expr(&self, out: &mut String, expr: ExprId, outer: u8) {
        let node = &self.exprs[expr];
        match &node.kind {
            ExprKind::Int(bits) => match self.types.int_type(node.ty) {
                Some(int) if int.signed => out.push_str(&int.to_i128(*bits).to_string()),
                Some(_) => out.push_str(&format!("{bits}u")),
                None if *bits == 0 => out.push_str("NULL"),
                None => out.push_str(&format!("{bits:#x}")),
            },
            ExprKind::Float(value) => out.push_str(&format!("{value:?}")),
            ExprKind::Load(place) => self.write_place(out, *place),
            ExprKind::Zeroed => out.push_str("{0}"),
            ExprKind::AddrOf(place) => {
                // A decayed array is shown by its name.
                if let PlaceKind::Index(base, index) = self.places[*place].kind
                    && self.const_value(index) == Some(0)
                {
                    self.write_place(out, base);
                } else {
                    out.push('&');
                    self.write_place(out, *place);
                }
            }
            ExprKind::FnAddr(f) => out.push_str(&self.functions[*f].name),
            ExprKind::Unary(op @ (UnOp::Sqrt | UnOp::Abs), a) => {
                out.push_str(if *op == UnOp::Sqrt { "sqrt(" } else { "fabs(" });
                self.write_expr(out, *a, 0);
                out.push(')');
            }
            ExprKind::Unary(op @ (UnOp::Neg | UnOp::BitNot), a) => {
                out.push(match op {
                    UnOp::Neg => '-',
                    UnOp::BitNot | UnOp::Sqrt | UnOp::Abs => '~',
                });
                self.write_expr(out, *a, UNARY + 1);
            }
            ExprKind::Binary(op, a, b) => {
                let own = op.strength();
                if own < outer {
                    out.push('(');
                }
                self.write_expr(out, *a, own);
                out.push(' ');
                out.push_str(op.symbol());
                out.push(' ');
                self.write_expr(out, *b, own + 1);
                if own < outer {
                    out.push(')');
                }
            }
            ExprKind::Fact(fact, pointer) => {
                out.push_str(fact.name());
                out.push('(');
                self.write_expr(out, *pointer, 0);
                out.push(')');
            }
            ExprKind::Cast(a) => {
                if UNARY < outer {
                    out.push('(');
                }
                out.push('(');
                out.push_str(&self.show_type(node.ty));
                out.push(')');
                self.write_expr(out, *a, UNARY);
                if UNARY < outer {
                    out.push(')');
                }
            }
        }
    }

    fn write_place(&self, out: &mut String, place: PlaceId) {
        match &self.places[place].kind {
            PlaceKind::Var(v) => out.push_str(&self.vars[*v].name),
            PlaceKind::Deref(p) => {
                out.push('*');
                self.write_expr(out, *p, UNARY);
            }
            PlaceKind::Field(base, index) => {
                let name = match &self.types[self.places[*base].ty] {
                    Type::Record(id) => self.types.records[*id].fields[*index as usize].name.as_deref(),
                    _ => None,
                };
                match self.places[*base].kind {
                    PlaceKind::Deref(p) => {
                        self.write_expr(out, p, POSTFIX);
                        out.push_str("->");
                    }
                    _ => {
                        self.write_place(out, *base);
                        out.push('.');
                    }
                }
                out.push_str(name.unwrap_or("<anonymous>"));
            }
            PlaceKind::Index(base, index) => {
                match self.places[*base].kind {
                    PlaceKind::Deref(_) => {
                        out.push('(');
                        self.write_place(out, *base);
                        out.push(')');
                    }
                    _ => self.write_place(out, *base),
                }
                out.push('[');
                self.write_expr(out, *index, 0);
                out.push(']');
            }
        }
    }

    /// An operation as text: `x = x + 1`, `[x < 3]`, `[!(x < 3)]`, `f(x)`.
    pub fn show_op(&self, op: &Op) -> String {
        match op {
            Op::Nop => String::new(),
            Op::Assign(place, value) => format!("{} = {}", self.show_place(*place), self.show_expr(*value)),
            Op::Assume { cond, truth: true } => format!("[{}]", self.show_expr(*cond)),
            Op::Assume { cond, truth: false } => format!("[!({})]", self.show_expr(*cond)),
            Op::Call(call) => {
                let mut text = match call.dest {
                    Some(dest) => format!("{} = ", self.show_place(dest)),
                    None => String::new(),
                };
                match call.callee {
                    Callee::Direct(f) => text += &self.functions[f].name,
                    Callee::Indirect(e) => text += &format!("(*{})", self.show_expr(e)),
                }
                let args: Vec<_> = call.args.iter().map(|a| self.show_expr(*a)).collect();
                text + &format!("({})", args.join(", "))
            }
            Op::Return(None) => "return".into(),
            Op::Return(Some(value)) => format!("return {}", self.show_expr(*value)),
            Op::Havoc(place, origin) => match origin {
                HavocOrigin::Input => format!("{} = <input>", self.show_place(*place)),
                HavocOrigin::Undefined(f) => {
                    format!("{} = <any result of {}>", self.show_place(*place), self.functions[*f].name)
                }
                HavocOrigin::Indeterminate => format!("{} = <indeterminate>", self.show_place(*place)),
                HavocOrigin::Order => format!("{} = <order of evaluation>", self.show_place(*place)),
                HavocOrigin::Uncomputed => format!("{} = <not computed>", self.show_place(*place)),
            },
            Op::Declare(v) => format!("{} {}", self.show_type(self.vars[*v].ty.ty), self.vars[*v].name),
            Op::Expire(v) => format!("end of {}", self.vars[*v].name),
            Op::Unsupported(what) => format!("unsupported: {}", what.message),
        }
    }
}
