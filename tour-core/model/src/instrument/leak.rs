//! Lost memory: a counter of the blocks that are allocated. When the entry function returns it is zero, or the blocks
//! are still held by variables that live as long as the program.
//!
//! What is decided: no block is left (fine); one is left and a static pointer points to it (fine); some are left and no
//! static pointer points to the heap (lost). Other cases need a walk through the heap and are unsupported, as is a
//! program that ends by `exit` or `abort` with blocks that its callers may still hold, and one that gives a pointer to a
//! function without a body while blocks are allocated.

use super::condition::Condition;
use super::weave::{add_check, branch, delay, interrupt, unsupported};
use crate::regions::{Home, Regions};
use tour_ir::cfa::{EdgeId, LocId, LocKind};
use tour_ir::program::{
    BinOp, Builtin, Call, Callee, ExprId, ExprKind, FnId, IntKind, Op, PlaceId, PlaceKind, PointerFact,
    Program, Rule, Type, VarId,
};
use tour_ir::source::Span;

/// More static pointers than this are not looked at one by one.
/// What is supported: each is a branch of the program.
const MAX_ROOTS: usize = 64;

/// Counts blocks in these functions, and checks the counter where the program ends.
pub(super) fn watch(program: &mut Program, functions: &[FnId]) {
    let calls: Vec<(EdgeId, Builtin)> = program
        .cfa
        .edges
        .iter_enumerated()
        .filter(|(_, edge)| functions.binary_search(&program.cfa.locs[edge.from].function).is_ok())
        .filter_map(|(id, edge)| match &edge.op {
            Op::Call(Call { callee: Callee::Direct(f), .. }) if program.functions[*f].body.is_none() => {
                Some((id, program.functions[*f].builtin?))
            }
            _ => None,
        })
        .filter(|(_, builtin)| {
            matches!(builtin, Builtin::Malloc | Builtin::Calloc | Builtin::Realloc | Builtin::Free)
        })
        .collect();
    if !calls.iter().any(|(_, builtin)| *builtin != Builtin::Free) {
        return;
    }
    let Some(body) = program.functions[program.entry].body else { return };
    let mut leak = Leak { live: counter(program), program };
    for (edge, builtin) in calls {
        leak.count(edge, builtin);
    }
    for (edge, callee) in leak.program.entrusted.clone() {
        leak.at_entrusted(edge, callee);
    }
    let ends: Vec<EdgeId> = leak
        .program
        .cfa
        .edges
        .iter_enumerated()
        .filter(|(_, edge)| {
            let function = leak.program.cfa.locs[edge.from].function;
            leak.program.cfa.locs[edge.to].kind == LocKind::End && functions.binary_search(&function).is_ok()
        })
        .map(|(id, _)| id)
        .collect();
    for edge in ends {
        leak.at_end(edge);
    }
    let returns: Vec<EdgeId> = leak.program.cfa.locs[body.exit].into.iter().copied().collect();
    let inner = is_called(leak.program, leak.program.entry);
    for edge in returns {
        leak.at_return(edge, inner);
    }
}

/// Something calls the function, or could.
fn is_called(program: &Program, function: FnId) -> bool {
    let calls = tour_ir::cfa::CallGraph::of(program);
    calls.is_recursive(function) || calls.is_address_taken(function)
}

/// The counter.
fn counter(program: &mut Program) -> VarId {
    let size_t = program.types.size_t();
    let span = program.functions[program.entry].span;
    program.add_static("<allocated blocks>", size_t, span)
}

struct Leak<'a> {
    program: &'a mut Program,
    live: VarId,
}

impl Leak<'_> {
    fn live(&mut self, span: Span) -> ExprId {
        self.program.load_var(self.live, span)
    }

    /// `live op amount`, stored; the amount is an `int`.
    fn update(&mut self, op: BinOp, amount: ExprId, span: Span) -> Op {
        let size_t = self.program.types.size_t();
        let amount = self.program.cast(amount, size_t, span);
        let live = self.live(span);
        let value = self.program.binary(op, live, amount, size_t, span);
        Op::Assign(self.program.var_place(self.live, span), value)
    }

    fn compare_null(&mut self, op: BinOp, pointer: ExprId, span: Span) -> ExprId {
        let ty = self.program.exprs[pointer].ty;
        let (null, int) = (self.program.int(0, ty, span), self.program.types.int(IntKind::Int));
        self.program.binary(op, pointer, null, int, span)
    }

    fn test_live(&mut self, op: BinOp, count: i128, span: Span) -> Condition {
        let (live, size_t) = (self.live(span), self.program.types.size_t());
        let (count, int) = (self.program.int(count, size_t, span), self.program.types.int(IntKind::Int));
        Condition::Is(self.program.binary(op, live, count, int, span))
    }

    /// Some block is allocated: the counter is not zero, and memory says so too. Either follows from the other; of a
    /// list of any length, only that no object is alive can be proved.
    fn some_left(&mut self, span: Span) -> Condition {
        let counted = self.test_live(BinOp::Ne, 0, span);
        // Which steps of threads depend on each other is not known of it.
        if self.program.functions.iter().any(|f| f.builtin == Some(Builtin::ThreadCreate)) {
            return counted;
        }
        let void = self.program.types.void();
        let pointer = self.program.types.pointer(void);
        let null = self.program.int(0, pointer, span);
        Condition::All(vec![counted, Condition::Is(self.program.fact(PointerFact::Left, null, span))])
    }

    /// Counts what a call allocates or frees.
    fn count(&mut self, edge: EdgeId, builtin: Builtin) {
        let span = self.program.cfa.edges[edge].span;
        let from = self.program.cfa.edges[edge].from;
        let function = self.program.cfa.locs[from].function;
        let Op::Call(Call { args, callee: Callee::Direct(callee), .. }) = &self.program.cfa.edges[edge].op
        else {
            return;
        };
        let (block, callee) = (args.first().copied(), *callee);
        if builtin == Builtin::Free {
            let Some(block) = block else { return };
            let some = self.compare_null(BinOp::Ne, block, span);
            let op = self.update(BinOp::Sub, some, span);
            let rest = delay(self.program, from);
            self.program.cfa.add_edge(from, rest, op, span);
            return;
        }
        // `realloc` gives one more block only if it got none.
        let fresh = match (builtin, block) {
            (Builtin::Realloc, Some(old)) => {
                let none = self.compare_null(BinOp::Eq, old, span);
                let int = self.program.types.int(IntKind::Int);
                let var = self.program.add_temp(function, "<new block>", int, span);
                let place = self.program.var_place(var, span);
                let rest = delay(self.program, from);
                self.program.cfa.add_edge(from, rest, Op::Assign(place, none), span);
                Some(self.program.load(place, span))
            }
            _ => None,
        };
        let dest = self.result(edge, callee, function, span);
        let pointer = self.program.load(dest, span);
        let mut some = self.compare_null(BinOp::Ne, pointer, span);
        if let Some(fresh) = fresh {
            let int = self.program.types.int(IntKind::Int);
            some = self.program.binary(BinOp::And, some, fresh, int, span);
        }
        let op = self.update(BinOp::Add, some, span);
        let (after, end) = interrupt(self.program, edge);
        self.program.cfa.add_edge(after, end, op, span);
    }

    /// Where the result of a call goes.
    fn result(&mut self, edge: EdgeId, callee: FnId, function: FnId, span: Span) -> PlaceId {
        let Op::Call(Call { dest, .. }) = &self.program.cfa.edges[edge].op else {
            unreachable!("only calls are counted")
        };
        if let Some(dest) = *dest {
            return dest;
        }
        let ty = self.program.functions[callee].sig(&self.program.types).ret;
        let var = self.program.add_temp(function, "<block>", ty, span);
        let place = self.program.var_place(var, span);
        if let Op::Call(call) = &mut self.program.cfa.edges[edge].op {
            call.dest = Some(place);
        }
        place
    }

    /// A function without a body gets a pointer: it may free what is allocated, or keep it.
    fn at_entrusted(&mut self, edge: EdgeId, callee: FnId) {
        let span = self.program.cfa.edges[edge].span;
        let from = self.program.cfa.edges[edge].from;
        let rest = delay(self.program, from);
        let left = self.program.cfa.add_loc(self.program.cfa.locs[from].function, LocKind::Plain);
        let some = self.some_left(span);
        branch(self.program, &some, from, (left, rest), span);
        let name = &self.program.functions[callee].name;
        let message = format!("`{name}` has no body, and may free or keep the memory that it is given");
        unsupported(self.program, (left, rest), message, span);
    }

    /// The program is ended from within: callers may hold blocks.
    fn at_end(&mut self, edge: EdgeId) {
        let span = self.program.cfa.edges[edge].span;
        let (at, end) = interrupt(self.program, edge);
        let left = self.program.cfa.add_loc(self.program.cfa.locs[at].function, LocKind::Plain);
        let some = self.some_left(span);
        branch(self.program, &some, at, (left, end), span);
        let message =
            "the program ends here with allocated memory: whether all of it is still held is not decided";
        unsupported(self.program, (left, end), message.into(), span);
    }

    /// The entry function returns.
    fn at_return(&mut self, edge: EdgeId, inner: bool) {
        let span = self.program.cfa.edges[edge].span;
        let from = self.program.cfa.edges[edge].from;
        let (at, end) = match self.program.cfa.edges[edge].op {
            // The edge of a `return` leads to the exit.
            Op::Return(_) => (from, delay(self.program, from)),
            _ => {
                let (at, exit) = interrupt(self.program, edge);
                let end = self.program.cfa.add_loc(self.program.entry, LocKind::Plain);
                self.program.cfa.add_edge(end, exit, Op::Nop, span);
                (at, end)
            }
        };
        let some = self.some_left(span);
        let left = self.program.cfa.add_loc(self.program.entry, LocKind::Plain);
        branch(self.program, &some, at, (left, end), span);
        let roots = self.roots(span);
        let undecided = |what: &str| format!("memory is still allocated at the end, and {what}");
        match roots {
            _ if inner => {
                let message = undecided("this function is also called by others");
                unsupported(self.program, (left, end), message, span);
            }
            Err(what) => {
                let message = undecided(&format!("whether {what} leads to it is not decided"));
                unsupported(self.program, (left, end), message, span);
            }
            Ok(roots) => self.decide(left, end, &roots, span),
        }
    }

    /// Some block is left: is it lost?
    fn decide(&mut self, left: LocId, end: LocId, roots: &[(PlaceId, String)], span: Span) {
        let entry = self.program.entry;
        let message =
            format!("`{}` returns, and memory that it allocated is lost", self.program.functions[entry].name);
        let error = add_check(self.program, entry, Rule::MemoryLeak, message, span);
        let mut at = left;
        for (root, name) in roots {
            let next = self.program.cfa.add_loc(entry, LocKind::Plain);
            let (held, several) = (
                self.program.cfa.add_loc(entry, LocKind::Plain),
                self.program.cfa.add_loc(entry, LocKind::Plain),
            );
            let pointer = self.program.load(*root, span);
            let mut fact = |fact| Condition::Is(self.program.fact(fact, pointer, span));
            let points = Condition::All(vec![fact(PointerFact::Heap), fact(PointerFact::Alive)]);
            branch(self.program, &points, at, (held, next), span);
            let one = self.test_live(BinOp::Eq, 1, span);
            branch(self.program, &one, held, (end, several), span);
            let message = format!(
                "several blocks are still allocated at the end: whether `{name}` leads to all of them is not decided"
            );
            unsupported(self.program, (several, end), message, span);
            at = next;
        }
        self.program.cfa.add_edge(at, error, Op::Nop, span);
    }

    /// The static variables that can hold pointers to the heap; or one that holds too many.
    fn roots(&mut self, span: Span) -> Result<Vec<(PlaceId, String)>, String> {
        let mut roots = Vec::new();
        if let Some(var) = self.hiding_place() {
            return Err(format!("`{}`", self.program.vars[var].name));
        }
        for var in self.program.globals.clone() {
            let place = self.program.var_place(var, span);
            let name = self.program.vars[var].name.clone();
            self.add_roots(place, &name, span, &mut roots)?;
        }
        Ok(roots)
    }

    /// A static variable that is no pointer and may hold an address nevertheless: as an integer, if the program makes
    /// integers of pointers, or as bytes that were copied.
    fn hiding_place(&self) -> Option<VarId> {
        let program = &*self.program;
        let own = |span: Span| {
            let path = &program.sources.unit(span.unit).path;
            !tour_ir::source::is_library(path)
        };
        let numbers = program.exprs.iter().any(|expr| match expr.kind {
            ExprKind::Cast(inner) => {
                let wide = program.types.int_type(expr.ty).is_some_and(|int| int.bits > 1);
                wide && program.types.pointee(program.exprs[inner].ty).is_some() && own(expr.span)
            }
            _ => false,
        });
        let candidates: Vec<VarId> = (program.globals.iter().copied())
            .filter(|var| {
                let of = &program.vars[*var];
                // Variables of the instrumentation have names that C has not.
                let named = !of.name.contains(['<', '#', '$']) && own(of.span);
                named && !of.is_constant(&program.types) && has_room(program, of.ty.ty)
            })
            .collect();
        if candidates.is_empty() || numbers {
            return candidates.first().copied();
        }
        let regions = Regions::of(program);
        candidates.into_iter().find(|var| match regions.home(*var) {
            Home::Cells(_) => false,
            Home::Object(region, _) | Home::Fresh(region) => {
                regions[region].slots.iter().any(|slot| slot.content.is_some() && slot.layout.is_bytes())
            }
        })
    }

    fn add_roots(
        &mut self,
        place: PlaceId,
        name: &str,
        span: Span,
        roots: &mut Vec<(PlaceId, String)>,
    ) -> Result<(), String> {
        let ty = self.program.places[place].ty;
        if !holds_pointers(self.program, ty) {
            return Ok(());
        }
        match self.program.types[ty] {
            Type::Pointer(_) if roots.len() < MAX_ROOTS => {
                roots.push((place, name.to_owned()));
                Ok(())
            }
            Type::Record(id)
                if self.program.types.records[id].kind == tour_ir::program::RecordKind::Struct =>
            {
                for index in 0..self.program.types.records[id].fields.len() {
                    let field = &self.program.types.records[id].fields[index];
                    let name = format!("{name}.{}", field.name.as_deref().unwrap_or("…"));
                    let (kind, ty) = (PlaceKind::Field(place, index as u32), field.ty.ty);
                    let member = self.program.places.push(tour_ir::program::Place { kind, ty, span });
                    self.add_roots(member, &name, span, roots)?;
                }
                Ok(())
            }
            _ => Err(format!("`{name}`")),
        }
    }
}

/// An integer of the type, or several, can hold the bytes of an address.
fn has_room(program: &Program, ty: tour_ir::program::TypeId) -> bool {
    let pointer = program.model.pointer_bytes();
    match program.types[ty] {
        Type::Int(_) | Type::Enum(_) => program.types.size(ty).is_some_and(|size| size >= pointer),
        Type::Array(of, _) => match program.types.is_integer(of.ty) {
            true => program.types.size(ty).is_none_or(|size| size >= pointer),
            false => has_room(program, of.ty),
        },
        Type::Record(id) => program.types.records[id].fields.iter().any(|f| has_room(program, f.ty.ty)),
        Type::Void | Type::Float(_) | Type::Pointer(_) | Type::Function(_) | Type::Opaque { .. } => false,
    }
}

/// A value of the type can hold a pointer to data.
fn holds_pointers(program: &Program, ty: tour_ir::program::TypeId) -> bool {
    match program.types[ty] {
        Type::Pointer(to) => !matches!(program.types[to.ty], Type::Function(_)),
        Type::Array(of, _) => holds_pointers(program, of.ty),
        Type::Record(id) => {
            program.types.records[id].fields.iter().any(|field| holds_pointers(program, field.ty.ty))
        }
        Type::Void | Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Function(_) => false,
        Type::Opaque { .. } => true,
    }
}
