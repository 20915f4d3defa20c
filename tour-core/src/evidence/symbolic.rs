//! The checker's own execution of the program: symbolic values, merged by `ite` where control flow joins.

use super::invariants::Point;
use crate::cfa::{Cfa, EdgeId, LocId, LocKind};
use crate::encode::Cell;
use crate::program::{
    ArrayLen, BinOp, Call, Callee, ExprId, ExprKind, FloatKind, FnId, InitItem, IntType, Op, PlaceId,
    PlaceKind, Program, RecordKind, Storage, Type, TypeId, UnOp, VarId,
};
use crate::term::{BaseId, FloatSort, Op as TermOp, Sort, Symbol, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of runs that are at the same point: under which condition, and with which values. A cell without a value
/// has the one it had at the beginning.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The condition.
    pub guard: TermId,
    values: Rc<BTreeMap<Cell, TermId>>,
}

impl Flow {
    /// Runs that satisfy a state formula, with the values that they have.
    pub fn from_state(guard: TermId) -> Flow {
        Flow { guard, values: Rc::default() }
    }
}

/// Where a run ends.
pub enum Leads {
    /// The next cut point.
    Cut(Point),
    /// An error location.
    Error(LocId),
    /// Something that the checker does not know.
    Unmodelled(EdgeId),
}

/// What the checker can't execute.
struct Unmodelled;
type Exec<T> = Result<T, Unmodelled>;

/// Executes a program symbolically.
pub struct Executor<'a> {
    program: &'a Program,
    /// The terms.
    pub terms: &'a mut Terms,
    bases: &'a FxHashMap<Cell, BaseId>,
    own: FxHashMap<Cell, BaseId>,
    fresh: u32,
    /// What was taken for granted while the current step was evaluated: indices in bounds, addresses not null.
    facts: Vec<TermId>,
}

/// Where an lvalue lies.
struct Spot {
    cell: Cell,
    index: Option<TermId>,
    ty: TypeId,
    bits: Option<u32>,
}

impl<'a> Executor<'a> {
    /// An executor. `bases` are the variables of the invariants.
    pub fn new(
        program: &'a Program,
        terms: &'a mut Terms,
        bases: &'a FxHashMap<Cell, BaseId>,
    ) -> Executor<'a> {
        Executor { program, terms, bases, own: FxHashMap::default(), fresh: 1, facts: Vec::new() }
    }

    /// A state formula about the values of a flow.
    pub fn state_formula(&mut self, formula: TermId, flow: &Flow) -> TermId {
        let cells: FxHashMap<BaseId, &Cell> = self.bases.iter().map(|(c, b)| (*b, c)).collect();
        let mut memo = Default::default();
        self.terms.substitute(formula, &mut memo, |terms, term| {
            let Symbol { base, .. } = terms.as_symbol(term)?;
            flow.values.get(*cells.get(&base)?).copied()
        })
    }

    /// Executes from a cut point to the next ones.
    pub fn run(
        &mut self,
        from: &Point,
        begin: Flow,
        is_cut: &dyn Fn(&Point) -> bool,
    ) -> Result<Vec<(Leads, Flow)>, String> {
        let order = self.topological(from, is_cut)?;
        let mut flows: FxHashMap<Point, Flow> = FxHashMap::default();
        flows.insert(from.clone(), begin);
        let mut ends: Vec<(Leads, Flow)> = Vec::new();
        for point in order {
            let Some(flow) = flows.remove(&point) else { continue };
            for (edge, to) in self.successors(&point) {
                let mut after = flow.clone();
                if self.step(&point, &to, edge, &mut after).is_err() {
                    ends.push((Leads::Unmodelled(edge), flow.clone()));
                    continue;
                }
                if after.guard == self.terms.no() {
                    continue;
                }
                match self.cfa().locs[to.loc].kind {
                    LocKind::Error(_) => ends.push((Leads::Error(to.loc), after)),
                    LocKind::End => {}
                    LocKind::Plain | LocKind::Entry | LocKind::Exit => {
                        if is_cut(&to) {
                            ends.push((Leads::Cut(to), after));
                        } else {
                            let merged = match flows.remove(&to) {
                                Some(old) => self.join(old, after),
                                None => after,
                            };
                            flows.insert(to, merged);
                        }
                    }
                }
            }
        }
        Ok(ends)
    }

    fn cfa(&self) -> &'a Cfa {
        &self.program.cfa
    }

    /// Points between cut points, each after its predecessors. A cycle without a cut point is an error.
    fn topological(&self, from: &Point, is_cut: &dyn Fn(&Point) -> bool) -> Result<Vec<Point>, String> {
        let inner = |p: &Point| -> Vec<Point> {
            let next = self.successors(p).into_iter().map(|(_, to)| to);
            next.filter(|to| {
                !is_cut(to) && !matches!(self.cfa().locs[to.loc].kind, LocKind::Error(_) | LocKind::End)
            })
            .collect()
        };
        let mut post = Vec::new();
        let mut open: FxHashSet<Point> = FxHashSet::default();
        let mut done: FxHashSet<Point> = FxHashSet::default();
        open.insert(from.clone());
        let mut stack = vec![(from.clone(), inner(from), 0)];
        while let Some((point, next, i)) = stack.last_mut() {
            match next.get(*i) {
                Some(to) => {
                    *i += 1;
                    if done.contains(to) {
                        continue;
                    }
                    let to = to.clone();
                    if !open.insert(to.clone()) {
                        return Err(format!("a cycle through {to:?} has no invariant"));
                    }
                    let successors = inner(&to);
                    stack.push((to, successors, 0));
                }
                None => {
                    open.remove(point);
                    done.insert(point.clone());
                    post.push(point.clone());
                    stack.pop();
                }
            }
        }
        post.reverse();
        Ok(post)
    }

    /// Every function whose address the program takes: what a pointer may point to.
    fn pointees(&self) -> Vec<FnId> {
        let mut all: Vec<FnId> = (self.program.exprs.iter())
            .filter_map(|e| match e.kind {
                ExprKind::FnAddr(f) => Some(f),
                _ => None,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn successors(&self, point: &Point) -> Vec<(EdgeId, Point)> {
        if self.cfa().locs[point.loc].kind == LocKind::Exit {
            let mut calls = point.calls.clone();
            let Some((call, _)) = calls.pop() else { return Vec::new() };
            return vec![(call, Point { calls, loc: self.cfa().edges[call].to })];
        }
        let mut out = Vec::new();
        for (id, edge) in self.cfa().successors(point.loc) {
            let here = Point { calls: point.calls.clone(), loc: edge.to };
            let into = |f: FnId| {
                let body = self.program.functions[f].body?;
                let mut calls = point.calls.clone();
                calls.push((id, f));
                Some((id, Point { calls, loc: body.entry }))
            };
            match &edge.op {
                Op::Call(Call { callee: Callee::Direct(f), .. }) => out.push(into(*f).unwrap_or((id, here))),
                Op::Call(Call { callee: Callee::Indirect(_), .. }) => {
                    out.extend(self.pointees().into_iter().filter_map(into));
                    out.push((id, here)); // none of them: not modelled
                }
                _ => out.push((id, here)),
            }
        }
        out
    }

    /// How many frames of its own function lie below the top one.
    fn instance(&self, calls: &[(EdgeId, FnId)], function: FnId) -> u32 {
        let below = calls.iter().rev().skip(1).filter(|c| c.1 == function).count();
        (below + usize::from(!calls.is_empty() && self.program.entry == function)) as u32
    }

    fn function(&self, calls: &[(EdgeId, FnId)]) -> FnId {
        calls.last().map_or(self.program.entry, |c| c.1)
    }

    fn step(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        self.facts.clear();
        self.operate(from, to, edge, flow)?;
        self.facts.push(flow.guard);
        flow.guard = self.terms.and(&self.facts);
        Ok(())
    }

    fn operate(&mut self, from: &Point, to: &Point, edge: EdgeId, flow: &mut Flow) -> Exec<()> {
        let function = self.function(&from.calls);
        let instance = self.instance(&from.calls, function);
        let program = self.program;
        match &program.cfa.edges[edge].op {
            Op::Nop => Ok(()),
            Op::Assign(place, value) => {
                let spot = self.spot(flow, *place, instance)?;
                self.store(flow, spot, *value, instance)
            }
            Op::Assume { cond, truth } => {
                let holds = self.truth(flow, *cond, instance)?;
                let holds = if *truth { holds } else { self.terms.not(holds) };
                flow.guard = self.terms.and2(flow.guard, holds);
                Ok(())
            }
            Op::Return(value) => match (value, program.functions[function].ret) {
                (Some(value), Some(ret)) => {
                    let spot = self.whole(ret, instance);
                    self.store(flow, spot, *value, instance)
                }
                _ => Ok(()),
            },
            Op::Havoc(place, _) => {
                let spot = self.spot(flow, *place, instance)?;
                self.forget(flow, spot)
            }
            Op::Declare(var) => {
                let spot = self.whole(*var, instance);
                self.forget(flow, spot)
            }
            Op::Unsupported(_) => Err(Unmodelled),
            Op::Call(call) => {
                if to.calls.len() > from.calls.len() {
                    self.enter(flow, call, to, instance)
                } else if to.calls.len() < from.calls.len() {
                    self.leave(flow, call, from, to)
                } else {
                    Err(Unmodelled)
                }
            }
        }
    }

    fn enter(&mut self, flow: &mut Flow, call: &Call, to: &Point, caller: u32) -> Exec<()> {
        let callee = self.function(&to.calls);
        let instance = self.instance(&to.calls, callee);
        if let Callee::Indirect(pointer) = call.callee {
            let pointer = self.value(flow, pointer, caller)?;
            let address = self.function_address(callee);
            let same = self.terms.eq(pointer, address);
            flow.guard = self.terms.and2(flow.guard, same);
        }
        let params = &self.program.functions[callee].params;
        if params.len() > call.args.len() {
            return Err(Unmodelled);
        }
        let before = flow.clone();
        for (&param, &arg) in params.iter().zip(&call.args) {
            let spot = self.whole(param, instance);
            if self.program.types.is_scalar(spot.ty) {
                let value = self.value(&before, arg, caller)?;
                self.set(flow, &spot, value)?;
            } else {
                self.store(flow, spot, arg, caller)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, flow: &mut Flow, call: &Call, from: &Point, to: &Point) -> Exec<()> {
        let Some(dest) = call.dest else { return Ok(()) };
        let callee = self.function(&from.calls);
        let instance = self.instance(&from.calls, callee);
        let caller = self.instance(&to.calls, self.function(&to.calls));
        let ret = self.program.functions[callee].ret.ok_or(Unmodelled)?;
        let source = self.whole(ret, instance);
        let dest = self.spot(flow, dest, caller)?;
        self.copy(flow, dest, source)
    }

    fn whole(&self, var: VarId, instance: u32) -> Spot {
        let variable = &self.program.vars[var];
        let instance = if variable.is_static() { 0 } else { instance };
        let cell = Cell { var, instance, fields: SmallVec::new() };
        Spot { cell, index: None, ty: variable.ty.ty, bits: None }
    }

    fn spot(&mut self, flow: &Flow, place: PlaceId, instance: u32) -> Exec<Spot> {
        let program = self.program;
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => Ok(self.whole(var, instance)),
            PlaceKind::Deref(_) => Err(Unmodelled),
            PlaceKind::Field(base, field) => {
                let mut spot = self.spot(flow, base, instance)?;
                let Type::Record(id) = &program.types[spot.ty] else { return Err(Unmodelled) };
                let record = &program.types.records[*id];
                if record.kind == RecordKind::Union && record.fields.len() > 1 {
                    return Err(Unmodelled);
                }
                spot.cell.fields.push(field);
                spot.ty = node.ty;
                spot.bits = record.fields.get(field as usize).ok_or(Unmodelled)?.bits.map(|b| b.width);
                Ok(spot)
            }
            PlaceKind::Index(base, index) => {
                let mut spot = self.spot(flow, base, instance)?;
                let (_, len) = program.types.element(spot.ty).ok_or(Unmodelled)?;
                let width = program.model.pointer_bits();
                let signed = program.int_type_of(index).ok_or(Unmodelled)?.signed;
                let value = self.value(flow, index, instance)?;
                let value = self.terms.resize(value, width, signed);
                let n = match len {
                    ArrayLen::Fixed(n) => self.terms.bv(width, u128::from(n)),
                    ArrayLen::Variable(var) => {
                        let len = self.whole(var, instance);
                        let len = self.load(flow, &len)?;
                        self.terms.resize(len, width, false)
                    }
                    ArrayLen::Unknown => return Err(Unmodelled),
                };
                let in_bounds = self.terms.bv_ult(value, n);
                self.facts.push(in_bounds);
                spot.index = Some(match spot.index {
                    None => value,
                    Some(row) => {
                        let first = self.terms.bv_mul(row, n);
                        self.terms.bv_add(first, value)
                    }
                });
                spot.ty = node.ty;
                Ok(spot)
            }
        }
    }

    fn sort(&self, ty: TypeId) -> Exec<Sort> {
        match &self.program.types[ty] {
            Type::Int(_) | Type::Enum(_) => {
                Ok(Sort::BitVec(self.program.types.int_type(ty).ok_or(Unmodelled)?.bits))
            }
            Type::Pointer(_) => Ok(Sort::BitVec(self.program.model.pointer_bits())),
            Type::Float(FloatKind::Float) => Ok(Sort::Float(FloatSort::F32)),
            Type::Float(FloatKind::Double) => Ok(Sort::Float(FloatSort::F64)),
            _ => Err(Unmodelled),
        }
    }

    fn cell_sort(&self, ty: TypeId, bits: Option<u32>, array: bool) -> Exec<Sort> {
        let scalar = match bits {
            Some(bits) => Sort::BitVec(bits),
            None => self.sort(ty)?,
        };
        if !array {
            return Ok(scalar);
        }
        let elem = scalar.as_elem().ok_or(Unmodelled)?;
        Ok(Sort::Array { index: self.program.model.pointer_bits(), elem })
    }

    /// The value of a cell: what was stored there, or what it had at the beginning.
    fn get(&mut self, flow: &Flow, cell: &Cell, sort: Sort) -> TermId {
        if let Some(&value) = flow.values.get(cell) {
            return value;
        }
        let base = match self.bases.get(cell).or_else(|| self.own.get(cell)) {
            Some(&base) => base,
            None => {
                let base = self.terms.declare(&format!("{cell:?}"), sort, false);
                self.own.insert(cell.clone(), base);
                base
            }
        };
        self.terms.var(base, 0)
    }

    /// A variable that nothing is known of.
    fn anything(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        let base = self.terms.declare("any", sort, false);
        self.terms.var(base, self.fresh)
    }

    fn set(&mut self, flow: &mut Flow, spot: &Spot, value: TermId) -> Exec<()> {
        let sort = self.cell_sort(spot.ty, spot.bits, spot.index.is_some())?;
        let value = match spot.bits {
            Some(bits) if self.terms.width(value) > bits => self.terms.extract(value, bits - 1, 0),
            _ => value,
        };
        let value = match spot.index {
            Some(index) => {
                let old = self.get(flow, &spot.cell, sort);
                self.terms.store(old, index, value)
            }
            None => value,
        };
        Rc::make_mut(&mut flow.values).insert(spot.cell.clone(), value);
        Ok(())
    }

    fn load(&mut self, flow: &Flow, spot: &Spot) -> Exec<TermId> {
        let sort = self.cell_sort(spot.ty, spot.bits, spot.index.is_some())?;
        let whole = self.get(flow, &spot.cell, sort);
        Ok(match spot.index {
            Some(index) => self.terms.select(whole, index),
            None => whole,
        })
    }

    /// The scalars of an lvalue. Elements of an array that is a whole are one spot each cell.
    fn parts(&self, spot: &Spot) -> Exec<Vec<(Spot, bool)>> {
        let mut out = Vec::new();
        let first = Spot { cell: spot.cell.clone(), index: spot.index, ty: spot.ty, bits: spot.bits };
        let mut work = vec![(first, false)];
        while let Some((spot, array)) = work.pop() {
            match &self.program.types[spot.ty] {
                Type::Array(..) if spot.index.is_some() => return Err(Unmodelled),
                Type::Array(of, _) => work.push((Spot { ty: of.ty, ..spot }, true)),
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    if record.kind == RecordKind::Union && record.fields.len() > 1 {
                        return Err(Unmodelled);
                    }
                    for (i, field) in record.fields.iter().enumerate().rev() {
                        let mut cell = spot.cell.clone();
                        cell.fields.push(i as u32);
                        let bits = field.bits.map(|b| b.width);
                        work.push((Spot { cell, index: spot.index, ty: field.ty.ty, bits }, array));
                    }
                }
                _ => out.push((spot, array)),
            }
        }
        Ok(out)
    }

    fn forget(&mut self, flow: &mut Flow, spot: Spot) -> Exec<()> {
        for (part, array) in self.parts(&spot)? {
            if array {
                let sort = self.cell_sort(part.ty, part.bits, true)?;
                let any = self.anything(sort);
                Rc::make_mut(&mut flow.values).insert(part.cell, any);
            } else {
                let sort = self.cell_sort(part.ty, part.bits, false)?;
                let any = self.anything(sort);
                self.set(flow, &part, any)?;
            }
        }
        Ok(())
    }

    fn zero(&mut self, sort: Sort) -> TermId {
        match sort {
            Sort::BitVec(bits) => self.terms.bv(bits, 0),
            Sort::Float(format) => self.terms.float(format, 0.0),
            Sort::Array { index, elem } => {
                let zero = self.zero(elem.sort());
                self.terms.const_array(index, zero)
            }
            Sort::Bool | Sort::Int => self.terms.no(),
        }
    }

    fn clear(&mut self, flow: &mut Flow, spot: Spot) -> Exec<()> {
        for (part, array) in self.parts(&spot)? {
            let sort = self.cell_sort(part.ty, part.bits, array)?;
            let zero = self.zero(sort);
            if array {
                Rc::make_mut(&mut flow.values).insert(part.cell, zero);
            } else {
                self.set(flow, &part, zero)?;
            }
        }
        Ok(())
    }

    fn copy(&mut self, flow: &mut Flow, to: Spot, from: Spot) -> Exec<()> {
        let (targets, sources) = (self.parts(&to)?, self.parts(&from)?);
        if targets.len() != sources.len() {
            return Err(Unmodelled);
        }
        let before = flow.clone();
        for ((to, to_array), (from, from_array)) in targets.into_iter().zip(sources) {
            if to_array != from_array {
                return Err(Unmodelled);
            }
            if to_array {
                let sort = self.cell_sort(from.ty, from.bits, true)?;
                let value = self.get(&before, &from.cell, sort);
                Rc::make_mut(&mut flow.values).insert(to.cell, value);
            } else {
                let value = self.load(&before, &from)?;
                self.set(flow, &to, value)?;
            }
        }
        Ok(())
    }

    fn store(&mut self, flow: &mut Flow, to: Spot, value: ExprId, instance: u32) -> Exec<()> {
        if self.program.types.is_scalar(to.ty) {
            let value = self.value(flow, value, instance)?;
            return self.set(flow, &to, value);
        }
        match self.program.exprs[value].kind {
            ExprKind::Zeroed => self.clear(flow, to),
            ExprKind::Load(from) => {
                let from = self.spot(flow, from, instance)?;
                self.copy(flow, to, from)
            }
            _ => Err(Unmodelled),
        }
    }

    fn join(&mut self, a: Flow, b: Flow) -> Flow {
        let mut values = (*b.values).clone();
        let mut cells: Vec<Cell> = a.values.keys().chain(b.values.keys()).cloned().collect();
        cells.sort_unstable();
        cells.dedup();
        for cell in cells {
            let known = a.values.get(&cell).or(b.values.get(&cell)).copied();
            let Some(known) = known else { continue };
            let sort = self.terms.sort(known);
            let (x, y) = (self.get(&a, &cell, sort), self.get(&b, &cell, sort));
            let value = self.terms.ite(a.guard, x, y);
            values.insert(cell, value);
        }
        let guard = self.terms.or2(a.guard, b.guard);
        Flow { guard, values: Rc::new(values) }
    }

    /// The state in which the program begins.
    pub fn initial(&mut self) -> Flow {
        let program = self.program;
        let mut flow = Flow::from_state(self.terms.yes());
        let mut named: FxHashSet<VarId> = FxHashSet::default();
        for place in &program.places {
            if let PlaceKind::Var(var) = place.kind {
                named.insert(var);
            }
        }
        for &var in &program.globals {
            let known = match program.vars[var].storage {
                Storage::Global { defined } => defined,
                _ => true,
            };
            if !known || !named.contains(&var) {
                continue;
            }
            let mut with = flow.clone();
            if self.initialise(&mut with, var).is_ok() {
                flow = with;
            }
        }
        flow
    }

    fn initialise(&mut self, flow: &mut Flow, var: VarId) -> Exec<()> {
        let program = self.program;
        let whole = self.whole(var, 0);
        self.clear(flow, whole)?;
        for item in program.vars[var].init.iter().flat_map(|i| &i.items) {
            match item {
                InitItem::Value { place, value } => {
                    let spot = self.spot(flow, *place, 0)?;
                    self.store(flow, spot, *value, 0)?;
                }
                InitItem::Bytes { place, bytes } => {
                    let spot = self.spot(flow, *place, 0)?;
                    let (of, _) = program.types.element(spot.ty).ok_or(Unmodelled)?;
                    if spot.index.is_some() {
                        return Err(Unmodelled);
                    }
                    for (i, byte) in bytes.iter().enumerate() {
                        let index = self.terms.bv(program.model.pointer_bits(), i as u128);
                        let value = self.terms.bv(8, u128::from(*byte));
                        let element =
                            Spot { cell: spot.cell.clone(), index: Some(index), ty: of.ty, bits: None };
                        self.set(flow, &element, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn function_address(&mut self, f: FnId) -> TermId {
        let bits = self.program.model.pointer_bits();
        let base = self.terms.declare("&functions", Sort::BitVec(bits), false);
        let first = self.terms.var(base, 0);
        let offset = self.terms.bv(bits, 16 * f.index() as u128);
        let address = self.terms.bv_add(first, offset);
        self.nonnull(address)
    }

    fn nonnull(&mut self, address: TermId) -> TermId {
        let null = self.terms.bv(self.program.model.pointer_bits(), 0);
        let is_null = self.terms.eq(address, null);
        let nonnull = self.terms.not(is_null);
        self.facts.push(nonnull);
        address
    }

    fn address(&mut self, flow: &Flow, place: PlaceId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let bits = program.model.pointer_bits();
        let node = &program.places[place];
        match node.kind {
            PlaceKind::Var(var) => {
                let spot = self.whole(var, instance);
                let base = self.terms.declare(&format!("&{:?}", spot.cell), Sort::BitVec(bits), false);
                let address = self.terms.var(base, 0);
                Ok(self.nonnull(address))
            }
            PlaceKind::Deref(pointer) => self.value(flow, pointer, instance),
            PlaceKind::Field(base, field) => {
                let address = self.address(flow, base, instance)?;
                let Type::Record(id) = &program.types[program.places[base].ty] else {
                    return Err(Unmodelled);
                };
                let offset = program.types.records[*id].fields.get(field as usize).ok_or(Unmodelled)?.offset;
                let offset = self.terms.bv(bits, u128::from(offset));
                Ok(self.terms.bv_add(address, offset))
            }
            PlaceKind::Index(base, index) => {
                let address = self.address(flow, base, instance)?;
                let size = program.types.size(node.ty).ok_or(Unmodelled)?;
                let signed = program.int_type_of(index).ok_or(Unmodelled)?.signed;
                let index = self.value(flow, index, instance)?;
                let index = self.terms.resize(index, bits, signed);
                let size = self.terms.bv(bits, u128::from(size));
                let offset = self.terms.bv_mul(index, size);
                Ok(self.terms.bv_add(address, offset))
            }
        }
    }

    fn int_type(&self, ty: TypeId) -> Exec<IntType> {
        match &self.program.types[ty] {
            Type::Pointer(_) => Ok(IntType::unsigned(self.program.model.pointer_bits())),
            _ => self.program.types.int_type(ty).ok_or(Unmodelled),
        }
    }

    fn value(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let node = &program.exprs[expr];
        match node.kind {
            ExprKind::Int(bits) => {
                let width = self.int_type(node.ty)?.bits;
                Ok(self.terms.bv(width, bits))
            }
            ExprKind::Float(value) => match self.sort(node.ty)? {
                Sort::Float(format) => Ok(self.terms.float(format, value)),
                _ => Err(Unmodelled),
            },
            ExprKind::Load(place) => {
                let spot = self.spot(flow, place, instance)?;
                let value = self.load(flow, &spot)?;
                match (spot.bits, self.sort(spot.ty)?) {
                    (Some(_), Sort::BitVec(width)) => {
                        let signed = self.int_type(spot.ty)?.signed;
                        Ok(self.terms.resize(value, width, signed))
                    }
                    _ => Ok(value),
                }
            }
            ExprKind::Zeroed => Err(Unmodelled),
            ExprKind::AddrOf(place) => self.address(flow, place, instance),
            ExprKind::FnAddr(f) => Ok(self.function_address(f)),
            ExprKind::Unary(op, a) => {
                let a = self.value(flow, a, instance)?;
                let float = matches!(self.sort(node.ty)?, Sort::Float(_));
                Ok(match op {
                    UnOp::Neg if float => self.terms.float_op(TermOp::FpNeg, &[a]),
                    UnOp::Neg => self.terms.bv_neg(a),
                    UnOp::BitNot if float => return Err(Unmodelled),
                    UnOp::BitNot => self.terms.bv_not(a),
                })
            }
            ExprKind::Binary(op, ..) if op.is_comparison() => {
                let holds = self.truth(flow, expr, instance)?;
                let width = self.int_type(node.ty)?.bits;
                let (one, zero) = (self.terms.bv(width, 1), self.terms.bv(width, 0));
                Ok(self.terms.ite(holds, one, zero))
            }
            ExprKind::Binary(op, a, b) => self.binary(flow, op, a, b, node.ty, instance),
            ExprKind::Cast(a) => self.convert(flow, a, node.ty, instance),
        }
    }

    fn binary(
        &mut self,
        flow: &Flow,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        ty: TypeId,
        instance: u32,
    ) -> Exec<TermId> {
        let program = self.program;
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        let bits = program.model.pointer_bits();
        let step = |pointer: TypeId| -> Exec<u128> {
            let to = program.types.pointee(pointer).ok_or(Unmodelled)?;
            match &program.types[to.ty] {
                Type::Void | Type::Function(_) => Ok(1),
                _ => program.types.size(to.ty).map(u128::from).ok_or(Unmodelled),
            }
        };
        match op {
            BinOp::PtrAdd => {
                let signed = program.int_type_of(b).ok_or(Unmodelled)?.signed;
                let count = self.terms.resize(y, bits, signed);
                let size = self.terms.bv(bits, step(ty)?);
                let offset = self.terms.bv_mul(count, size);
                return Ok(self.terms.bv_add(x, offset));
            }
            BinOp::PtrDiff => {
                let bytes = self.terms.bv_sub(x, y);
                let size = self.terms.bv(bits, step(program.exprs[a].ty)?);
                return Ok(self.terms.bv_sdiv(bytes, size));
            }
            _ => {}
        }
        if let Sort::Float(_) = self.sort(ty)? {
            let op = match op {
                BinOp::Add => TermOp::FpAdd,
                BinOp::Sub => TermOp::FpSub,
                BinOp::Mul => TermOp::FpMul,
                BinOp::Div => TermOp::FpDiv,
                _ => return Err(Unmodelled),
            };
            return Ok(self.terms.float_op(op, &[x, y]));
        }
        let int = self.int_type(ty)?;
        Ok(match (op, int.signed) {
            (BinOp::Add, _) => self.terms.bv_add(x, y),
            (BinOp::Sub, _) => self.terms.bv_sub(x, y),
            (BinOp::Mul, _) => self.terms.bv_mul(x, y),
            (BinOp::Div, true) => self.terms.bv_sdiv(x, y),
            (BinOp::Div, false) => self.terms.bv_udiv(x, y),
            (BinOp::Rem, true) => self.terms.bv_srem(x, y),
            (BinOp::Rem, false) => self.terms.bv_urem(x, y),
            (BinOp::And, _) => self.terms.bv_and(x, y),
            (BinOp::Or, _) => self.terms.bv_or(x, y),
            (BinOp::Xor, _) => self.terms.bv_xor(x, y),
            (BinOp::Shl | BinOp::Shr, signed) => {
                // The shift happens at the width of the wider operand, so that no count is cut.
                let width = int.bits.max(self.terms.width(y));
                let wide = self.terms.resize(x, width, signed);
                let count = self.terms.resize(y, width, false);
                let too_far = {
                    let limit = self.terms.bv(width, u128::from(int.bits));
                    self.terms.bv_ule(limit, count)
                };
                let shifted = match (op, signed) {
                    (BinOp::Shl, _) => self.terms.bv_shl(wide, count),
                    (_, true) => self.terms.bv_ashr(wide, count),
                    (_, false) => self.terms.bv_lshr(wide, count),
                };
                let shifted = self.terms.resize(shifted, int.bits, false);
                let all = match (op, signed) {
                    (BinOp::Shr, true) => {
                        let last = self.terms.bv(int.bits, u128::from(int.bits - 1));
                        self.terms.bv_ashr(x, last)
                    }
                    _ => self.terms.bv(int.bits, 0),
                };
                self.terms.ite(too_far, all, shifted)
            }
            _ => return Err(Unmodelled),
        })
    }

    fn convert(&mut self, flow: &Flow, expr: ExprId, to: TypeId, instance: u32) -> Exec<TermId> {
        let from = self.program.exprs[expr].ty;
        if self.program.types.int_type(to).is_some_and(|i| i.bits == 1) {
            let holds = self.truth(flow, expr, instance)?;
            let (one, zero) = (self.terms.bv(1, 1), self.terms.bv(1, 0));
            return Ok(self.terms.ite(holds, one, zero));
        }
        let value = self.value(flow, expr, instance)?;
        let op = match (self.sort(from)?, self.sort(to)?) {
            (Sort::Float(_), Sort::Float(format)) => TermOp::FpToFp(format),
            (Sort::Float(_), Sort::BitVec(bits)) if self.int_type(to)?.signed => TermOp::FpToSigned(bits),
            (Sort::Float(_), Sort::BitVec(bits)) => TermOp::FpToUnsigned(bits),
            (Sort::BitVec(_), Sort::Float(format)) if self.int_type(from)?.signed => {
                TermOp::FpFromSigned(format)
            }
            (Sort::BitVec(_), Sort::Float(format)) => TermOp::FpFromUnsigned(format),
            (Sort::BitVec(_), Sort::BitVec(bits)) => {
                let signed = self.int_type(from)?.signed;
                return Ok(self.terms.resize(value, bits, signed));
            }
            _ => return Err(Unmodelled),
        };
        Ok(self.terms.float_op(op, &[value]))
    }

    fn is_not_zero(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let sort = self.sort(self.program.exprs[expr].ty)?;
        let value = self.value(flow, expr, instance)?;
        let zero = self.zero(sort);
        let is_zero = match sort {
            Sort::Float(_) => self.terms.float_op(TermOp::FpEq, &[value, zero]),
            _ => self.terms.eq(value, zero),
        };
        Ok(self.terms.not(is_zero))
    }

    fn truth(&mut self, flow: &Flow, expr: ExprId, instance: u32) -> Exec<TermId> {
        let program = self.program;
        let node = &program.exprs[expr];
        let (op, a, b) = match node.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => (op, a, b),
            _ => return self.is_not_zero(flow, expr, instance),
        };
        let ty = program.exprs[a].ty;
        let (x, y) = (self.value(flow, a, instance)?, self.value(flow, b, instance)?);
        let float = matches!(self.sort(ty)?, Sort::Float(_));
        let signed = !float && self.int_type(ty)?.signed;
        let t = &mut *self.terms;
        let le = |t: &mut Terms, x, y| {
            if float { t.float_op(TermOp::FpLe, &[x, y]) } else { t.bv_le(signed, x, y) }
        };
        let lt = |t: &mut Terms, x, y| match (float, signed) {
            (true, _) => t.float_op(TermOp::FpLt, &[x, y]),
            (false, true) => t.bv_slt(x, y),
            (false, false) => t.bv_ult(x, y),
        };
        let eq = |t: &mut Terms| if float { t.float_op(TermOp::FpEq, &[x, y]) } else { t.eq(x, y) };
        Ok(match op {
            BinOp::Eq => eq(t),
            BinOp::Ne => {
                let same = eq(t);
                t.not(same)
            }
            BinOp::Lt => lt(t, x, y),
            BinOp::Gt => lt(t, y, x),
            BinOp::Le => le(t, x, y),
            BinOp::Ge => le(t, y, x),
            _ => return Err(Unmodelled),
        })
    }
}
