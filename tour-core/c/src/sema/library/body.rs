//! A row of the table as a body.
//!
//! Results are chosen one after the other, and clamped to their range, so that any input is a run:
//!
//! ```text
//!     entry ── reads ──[$1 = any]──●──[$1]─── errno = any; perhaps writes; return −1
//!                                  └─[!$1]── writes; $2 = any, within the bounds; return $2
//! ```

use super::builder::Builder;
use super::table::{Given, Members, Param, Row};
use crate::sema::outside;
use crate::sema::startup::AT_END;
use tour_ir::cfa::{LocId, LocKind};
use tour_ir::program::{
    BinOp, Body, Call, Callee, ExprId, ExprKind, FnId, HavocOrigin, IntKind, Op, Place, PlaceId, PlaceKind,
    Program, RecordKind, Type, TypeId, VarId,
};

/// Walks over a text.
const WALK: &str = "__reads_text";

/// The greatest number of an error that Linux has.
const MAX_ERRNO: i128 = 133;

/// Gives a function the body that a row says.
pub(in crate::sema) fn build(program: &mut Program, f: FnId, row: &Row) {
    let span = program.functions[f].span;
    let ret = program.functions[f].sig(&program.types).ret;
    let origin = if row.approximate { HavocOrigin::Uncomputed } else { HavocOrigin::Undefined(f) };
    let Body { entry, exit } = program.add_body(f);
    let params = program.functions[f].params.clone();
    let mut builder = Builder::new(program, f, span, origin, entry);
    let given: Vec<(Param, VarId)> = row.params.iter().copied().zip(params.iter().copied()).collect();
    for &(param, var) in &given {
        builder.reads(param, var);
    }
    // Failure is the first result, and the only one of arguments that make no sense.
    let fails = builder.program.cfa.add_loc(f, LocKind::Plain);
    for &(param, var) in &given {
        builder.fails_for(param, var, fails);
    }
    for (i, &result) in row.results.iter().enumerate() {
        let next = (i + 1 < row.results.len()).then(|| builder.choose());
        if i == 0 {
            builder.join(fails);
        }
        let failed = i == 0 && row.errno && result != Given::Any;
        if row.errno {
            builder.set_errno(failed);
        }
        for &(param, var) in &given {
            builder.writes(param, var, failed);
        }
        builder.give(result, ret, &params, exit);
        if let Some(next) = next {
            builder.at = next;
        }
    }
}

impl Builder<'_> {
    /// What the function reads through an argument.
    fn reads(&mut self, param: Param, var: VarId) {
        let (or_null, members) = match param {
            Param::Value | Param::NotNegative | Param::Within(..) | Param::Writes { .. } => return,
            Param::Text { or_null } => (or_null, None),
            Param::Path => (false, None),
            Param::Reads { or_null, members } => (or_null, Some(members)),
            Param::Updates { members } => (false, Some(members)),
        };
        let pointer = self.program.load_var(var, self.span);
        let after = or_null.then(|| self.unless_null(pointer));
        match members {
            None => self.read_text(pointer),
            Some(members) => {
                let place = self.behind(pointer, 0);
                self.read_object(place);
                self.read_members(place, members);
            }
        }
        if let Some(after) = after {
            self.join(after);
        }
    }

    fn read_object(&mut self, place: PlaceId) {
        let ty = self.program.places[place].ty;
        let copy = self.temp(ty);
        let value = self.program.load(place, self.span);
        self.step(Op::Assign(copy, value));
    }

    /// Reads the numbers and pointers of a structure: to copy it as a whole is no use of what it contains.
    fn read_members(&mut self, place: PlaceId, members: Members) {
        let Type::Record(record) = self.program.types[self.program.places[place].ty] else { return };
        let record = &self.program.types.records[record];
        if record.kind != RecordKind::Struct {
            return;
        }
        let fields: Vec<TypeId> = record.fields.iter().map(|field| field.ty.ty).collect();
        for (index, ty) in fields.into_iter().enumerate().filter(|(index, _)| members.has(*index)) {
            let kind = PlaceKind::Field(place, index as u32);
            let member = self.program.places.push(Place { kind, ty, span: self.span });
            if self.program.types.is_scalar(ty) {
                self.read_object(member);
            } else {
                self.read_members(member, Members::ALL);
            }
        }
    }

    /// Goes where the function fails if the argument makes no sense.
    fn fails_for(&mut self, param: Param, var: VarId, fails: LocId) {
        let value = self.program.load_var(var, self.span);
        let senseless = match param {
            Param::Value
            | Param::Text { .. }
            | Param::Reads { .. }
            | Param::Writes { .. }
            | Param::Updates { .. } => Vec::new(),
            Param::NotNegative => vec![(BinOp::Lt, value, 0)],
            Param::Within(least, most) => vec![(BinOp::Lt, value, least), (BinOp::Gt, value, most)],
            Param::Path => {
                let first = self.behind(value, 0);
                vec![(BinOp::Eq, self.program.load(first, self.span), 0)]
            }
        };
        for (op, value, bound) in senseless {
            let bound = self.program.int(bound, self.program.exprs[value].ty, self.span);
            let cond = self.compare(op, value, bound);
            let otherwise = self.branch(cond);
            self.join(fails);
            self.at = otherwise;
        }
    }

    /// What the function writes through an argument; where it has failed, perhaps.
    fn writes(&mut self, param: Param, var: VarId, failed: bool) {
        let (or_null, count) = match param {
            Param::Value
            | Param::NotNegative
            | Param::Within(..)
            | Param::Text { .. }
            | Param::Path
            | Param::Reads { .. } => return,
            Param::Writes { or_null, count } => (or_null, count),
            Param::Updates { .. } => (false, 1),
        };
        let pointer = self.program.load_var(var, self.span);
        let null = or_null.then(|| self.unless_null(pointer));
        let left_out = failed.then(|| self.choose());
        for index in 0..count {
            let place = self.behind(pointer, index);
            self.step(Op::Havoc(place, self.origin));
        }
        for after in left_out.into_iter().chain(null) {
            self.join(after);
        }
    }

    /// Goes on where a pointer is not null; where it goes on otherwise.
    fn unless_null(&mut self, pointer: ExprId) -> LocId {
        let null = self.program.int(0, self.program.exprs[pointer].ty, self.span);
        let some = self.compare(BinOp::Ne, pointer, null);
        self.branch(some)
    }

    fn read_text(&mut self, text: ExprId) {
        let walk = self.program.functions.iter_enumerated().find(|(_, f)| f.name == WALK && f.body.is_some());
        let Some((walk, _)) = walk else { return };
        let sig = self.program.functions[walk].sig(&self.program.types).clone();
        let [to, size] = sig.params[..] else { return };
        let text = self.program.cast(text, to, self.span);
        let most = self.program.int(-1, size, self.span);
        let callee = Callee::Direct(walk);
        self.step(Op::Call(Call { callee, args: vec![text, most], dest: None }));
    }

    /// `errno` is some number above zero; if it need not be, also what it was.
    fn set_errno(&mut self, fails: bool) {
        let Some(errno) = errno(self.program) else { return };
        let after = (!fails).then(|| self.choose());
        let int = self.program.types.int(IntKind::Int);
        // Which number it is, the function determines.
        let origin = std::mem::replace(&mut self.origin, HavocOrigin::Uncomputed);
        let number = self.within(int, 1, MAX_ERRNO);
        self.origin = origin;
        let place = self.program.var_place(errno, self.span);
        self.step(Op::Assign(place, number));
        if let Some(after) = after {
            self.join(after);
        }
    }

    fn give(&mut self, given: Given, ty: TypeId, params: &[VarId], exit: LocId) {
        let value = match given {
            Given::Ends => {
                if self.program.functions[self.f].name == "exit"
                    && let Some(last) = self.program.function(AT_END)
                {
                    let callee = Callee::Direct(last);
                    self.step(Op::Call(Call { callee, args: Vec::new(), dest: None }));
                }
                let end = self.program.cfa.add_loc(self.f, LocKind::End);
                self.program.cfa.add_edge(self.at, end, Op::Nop, self.span);
                return;
            }
            Given::Nothing => None,
            Given::Any => {
                let any = self.any(ty);
                Some(self.program.load(any, self.span))
            }
            Given::Range(least, most) => Some(self.within(ty, least, most)),
            Given::Argument(i) => {
                let value = self.program.load_var(params[i], self.span);
                Some(self.program.cast(value, ty, self.span))
            }
            Given::Text => {
                let object = outside::input_object(self.program, self.span);
                Some(self.text(ty, object))
            }
            Given::Object => {
                let size = outside::size_of_object(self.program, ty);
                let size_type = self.program.types.size_t();
                let size = self.program.int(size.into(), size_type, self.span);
                let object = outside::input_object(self.program, self.span);
                let place = self.temp(ty);
                let callee = Callee::Direct(object);
                self.step(Op::Call(Call { callee, args: vec![size], dest: Some(place) }));
                Some(self.program.load(place, self.span))
            }
            Given::Static(name, count) => Some(self.own(ty, name, count)),
        };
        self.program.cfa.add_edge(self.at, exit, Op::Return(value), self.span);
    }

    /// The object of a function, or of several with the same name for it, with new contents.
    fn own(&mut self, ty: TypeId, name: &str, count: u64) -> ExprId {
        let span = self.span;
        let to = self.program.types.pointee(ty).map_or(ty, |to| to.ty);
        let object_type = if count == 1 { to } else { self.program.types.array(to, count) };
        let name = if name.is_empty() { &self.program.functions[self.f].name } else { name };
        let name = format!("{name}$object");
        let known =
            self.program.globals.iter().copied().find(|var| {
                self.program.vars[*var].name == name && self.program.vars[*var].ty.ty == object_type
            });
        let object = known.unwrap_or_else(|| {
            let object = self.program.add_static(name, object_type, span);
            self.program.vars[object].address_taken = true;
            object
        });
        let whole = self.program.var_place(object, span);
        let first = match count {
            1 => whole,
            _ => {
                let ptrdiff = self.program.types.ptrdiff_t();
                let zero = self.program.int(0, ptrdiff, span);
                self.program.places.push(Place { kind: PlaceKind::Index(whole, zero), ty: to, span })
            }
        };
        let address = self.program.add_expr(ExprKind::AddrOf(first), ty, span);
        for index in 0..count {
            let place = self.behind(address, index);
            // A text has an end.
            let is_end = count > 1 && index + 1 == count && self.program.types.int_type(to).is_some();
            if is_end {
                let zero = self.program.int(0, to, span);
                self.step(Op::Assign(place, zero));
            } else {
                self.step(Op::Havoc(place, self.origin));
            }
        }
        address
    }
}

/// The variable behind `errno`, if the program looks at it: what `__errno_location` gives the address of.
fn errno(program: &Program) -> Option<VarId> {
    let (location, _) = (program.functions.iter_enumerated())
        .find(|(_, f)| f.name == "__errno_location" && f.body.is_some())?;
    program.cfa.edges.iter().filter(|edge| program.cfa.locs[edge.from].function == location).find_map(
        |edge| {
            let Op::Return(Some(value)) = edge.op else { return None };
            let ExprKind::AddrOf(place) = program.exprs[value].kind else { return None };
            match program.places[place].kind {
                PlaceKind::Var(var) => Some(var),
                _ => None,
            }
        },
    )
}
