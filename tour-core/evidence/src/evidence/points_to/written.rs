//! What may never have been written is known to be so, and everywhere that it is copied to.

use rustc_hash::FxHashSet;
use tour_ir::cfa::EdgeId;
use tour_ir::program::{Callee, ExprId, ExprKind, FnId, Op, PlaceId, PlaceKind, Program, Storage, VarId};
use tour_model::regions::{Holder, Home, Regions};

pub(super) fn check(program: &Program, regions: &Regions) -> Result<(), String> {
    if !program.asks_what_is_written {
        return Ok(());
    }
    let all = Check { program, regions };
    let mut called: FxHashSet<FnId> = FxHashSet::default();
    for expr in &program.exprs {
        if let ExprKind::FnAddr(f) = expr.kind {
            called.insert(f);
        }
    }
    for (var, variable) in program.vars.iter_enumerated() {
        let whole = !program.types.is_scalar(variable.ty.ty);
        let unset = match variable.storage {
            Storage::Local(_) => !all.begins_set(var),
            Storage::Return(_) => true,
            Storage::Param(f) => whole && called.contains(&f),
            _ => false,
        };
        if unset && !all.is_unset(all.home(var)) {
            return Err(format!("`{}` may be unset, and its holder does not know", variable.name));
        }
    }
    for (id, region) in regions.regions.iter_enumerated() {
        if region.blank && !all.is_unset(Holder::Region(id)) {
            return Err("a block may be unset, and its region does not know".into());
        }
    }
    for edge in program.cfa.edges.indices() {
        all.edge(edge).map_err(str::to_owned)?;
    }
    Ok(())
}

struct Check<'a> {
    program: &'a Program,
    regions: &'a Regions,
}

impl Check<'_> {
    fn is_unset(&self, holder: Holder) -> bool {
        self.regions.written().may_be_unset(holder)
    }

    fn home(&self, var: VarId) -> Holder {
        match self.regions.home(var) {
            Home::Object(region, _) | Home::Fresh(region) => Holder::Region(region),
            Home::Cells(_) => Holder::Var(var),
        }
    }

    /// What a place is a part of. What is reached through a pointer to nowhere is nothing's part.
    fn root(&self, mut place: PlaceId) -> Option<Holder> {
        loop {
            place = match self.program.places[place].kind {
                PlaceKind::Var(var) => return Some(self.home(var)),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => base,
                PlaceKind::Deref(pointer) => match self.program.exprs[pointer].kind {
                    ExprKind::AddrOf(inner) => inner,
                    _ => return self.regions.pointee(pointer).map(Holder::Region),
                },
            };
        }
    }

    /// A declaration is followed by an operation that sets all of the variable, and nothing else leads there.
    fn begins_set(&self, var: VarId) -> bool {
        let cfa = &self.program.cfa;
        let mut declarations = cfa.edges.iter().filter(|edge| edge.op == Op::Declare(var)).peekable();
        declarations.peek().is_some()
            && declarations.all(|edge| {
                let [next] = cfa.locs[edge.to].out[..] else { return false };
                let whole = |place: PlaceId| self.program.places[place].kind == PlaceKind::Var(var);
                cfa.locs[edge.to].into.len() == 1
                    && match cfa.edges[next].op {
                        Op::Havoc(place, _) => whole(place),
                        Op::Assign(place, value) => {
                            let scalar = self.program.types.is_scalar(self.program.places[place].ty);
                            whole(place) && (scalar || self.program.exprs[value].kind == ExprKind::Zeroed)
                        }
                        _ => false,
                    }
            })
    }

    /// A copy of what may be unset goes where that is known.
    fn copy(&self, to: Option<Holder>, from: Option<Holder>) -> Result<(), &'static str> {
        let spreads = from.is_none_or(|from| self.is_unset(from));
        match to {
            Some(to) if spreads && !self.is_unset(to) => {
                Err("what may be unset is copied, unknown to its target")
            }
            _ => Ok(()),
        }
    }

    fn value(&self, value: ExprId) -> Option<Option<Holder>> {
        match self.program.exprs[value].kind {
            ExprKind::Load(from) => Some(self.root(from)),
            _ => None,
        }
    }

    fn edge(&self, edge: EdgeId) -> Result<(), &'static str> {
        let program = self.program;
        let edge = &program.cfa.edges[edge];
        let whole = |value: ExprId| !program.types.is_scalar(program.exprs[value].ty);
        match &edge.op {
            Op::Assign(place, value) if whole(*value) || program.copied_byte(*place, *value).is_some() => {
                match self.value(*value) {
                    Some(from) => self.copy(self.root(*place), from),
                    None => Ok(()),
                }
            }
            Op::Return(Some(value)) if whole(*value) => {
                let ret = program.functions[program.cfa.locs[edge.from].function].ret;
                match (ret, self.value(*value)) {
                    (Some(ret), Some(from)) => self.copy(Some(self.home(ret)), from),
                    _ => Ok(()),
                }
            }
            Op::Call(call) => {
                let dest = call.dest.filter(|dest| !program.types.is_scalar(program.places[*dest].ty));
                let to = dest.and_then(|dest| self.root(dest));
                let Callee::Direct(f) = call.callee else { return self.copy(to, None) };
                for (&param, &arg) in program.functions[f].params.iter().zip(&call.args) {
                    if let Some(from) = self.value(arg).filter(|_| whole(arg)) {
                        self.copy(Some(self.home(param)), from)?;
                    }
                }
                match program.functions[f].ret {
                    Some(ret) => self.copy(to, Some(self.home(ret))),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}
