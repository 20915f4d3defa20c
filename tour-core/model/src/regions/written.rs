//! Where it is followed what was written: variables and regions that hold what may never have been, and that a check asks
//! about ([`PointerFact::Written`]), now or after a copy, or that `realloc` moves.
//!
//! What was never written spreads by copies of records, arrays and bytes alone: other reads of it are violations. Of all
//! that is not followed, either everything was written or nobody asks.

use super::{Home, RegionId, Regions};
use rustc_hash::FxHashSet;
use tour_ir::program::{
    Builtin, Callee, ExprId, ExprKind, Op, PlaceId, PlaceKind, PointerFact, Program, Storage, VarId,
};

/// What holds scalars: a variable that is made of cells, or the objects of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// A variable.
    Var(VarId),
    /// A region.
    Region(RegionId),
}

/// Where checks follow what was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    unset: FxHashSet<Holder>,
    asked: FxHashSet<Holder>,
}

impl Written {
    pub(super) fn of(program: &Program, regions: &Regions) -> Written {
        let mut written = Written::default();
        written.asked.extend(reallocated(program, regions));
        if !program.asks_what_is_written {
            written.unset.extend(written.asked.iter().copied());
            return written;
        }
        let asked = program.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Fact(PointerFact::Written, load) => regions.source(program, load),
            _ => None,
        });
        written.asked.extend(asked);
        written.unset.extend(begins_unset(program, regions));
        let copies = copies(program, regions);
        loop {
            let before = (written.asked.len(), written.unset.len());
            for &(to, from) in &copies {
                if from.is_none_or(|from| written.unset.contains(&from)) {
                    written.unset.insert(to);
                }
                if let Some(from) = from.filter(|_| written.asked.contains(&to)) {
                    written.asked.insert(from);
                }
            }
            if before == (written.asked.len(), written.unset.len()) {
                return written;
            }
        }
    }

    /// Something in it may never have been written.
    pub fn may_be_unset(&self, holder: Holder) -> bool {
        self.unset.contains(&holder)
    }

    /// What was written of it is followed.
    pub fn is_followed(&self, holder: Holder) -> bool {
        self.unset.contains(&holder) && self.asked.contains(&holder)
    }
}

impl Regions {
    /// What holds a variable.
    pub fn holder(&self, var: VarId) -> Holder {
        match self.home(var) {
            Home::Cells(_) => Holder::Var(var),
            Home::Object(region, _) | Home::Fresh(region) => Holder::Region(region),
        }
    }

    /// What holds a place; `None` if nobody knows.
    pub fn holder_of(&self, program: &Program, place: PlaceId) -> Option<Holder> {
        match program.places[place].kind {
            PlaceKind::Var(var) => Some(self.holder(var)),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => self.holder_of(program, base),
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(inner) => self.holder_of(program, inner),
                _ => self.pointee(pointer).map(Holder::Region),
            },
        }
    }

    /// What holds the value of a load.
    fn source(&self, program: &Program, value: ExprId) -> Option<Holder> {
        match program.exprs[value].kind {
            ExprKind::Load(place) => self.holder_of(program, place),
            _ => None,
        }
    }
}

/// Regions of blocks that `realloc` may move: what was never written of them need not be the same afterwards.
fn reallocated(program: &Program, regions: &Regions) -> Vec<Holder> {
    let region = |op: &Op| {
        let Op::Call(call) = op else { return None };
        let Callee::Direct(f) = call.callee else { return None };
        let realloc = program.functions[f].builtin == Some(Builtin::Realloc);
        regions.pointee(*call.args.first().filter(|_| realloc)?).filter(|region| regions[*region].blank)
    };
    program.cfa.edges.iter().filter_map(|edge| region(&edge.op)).map(Holder::Region).collect()
}

/// What may hold something that was not written when its life begins.
fn begins_unset(program: &Program, regions: &Regions) -> Vec<Holder> {
    let set = set_at_once(program);
    let mut unset: Vec<Holder> = (program.vars.iter_enumerated())
        .filter(|(var, of)| match of.storage {
            Storage::Local(_) => !set.contains(var),
            Storage::Return(_) => true,
            // Made by the front end, which sets them as wholes.
            Storage::Temp(_)
            | Storage::Param(_)
            | Storage::Global { .. }
            | Storage::Static
            | Storage::StaticLocal(_)
            | Storage::Literal => false,
        })
        .map(|(var, _)| regions.holder(var))
        .collect();
    let blank = regions.regions.iter_enumerated().filter(|(_, region)| region.blank);
    unset.extend(blank.map(|(id, _)| Holder::Region(id)));
    unset
}

/// Variables all of which is set by the next operation each time they are declared.
pub fn set_at_once(program: &Program) -> FxHashSet<VarId> {
    let (mut set, mut others) = (FxHashSet::default(), FxHashSet::default());
    for edge in &program.cfa.edges {
        let Op::Declare(var) = edge.op else { continue };
        let is_var = |place: PlaceId| matches!(program.places[place].kind, PlaceKind::Var(v) if v == var);
        let mut next = program.cfa.successors(edge.to);
        let all = match (next.next(), next.next()) {
            (Some((_, next)), None) => match next.op {
                Op::Havoc(place, _) => is_var(place),
                Op::Assign(place, value) => {
                    let scalar = program.types.is_scalar(program.exprs[value].ty);
                    is_var(place) && (scalar || program.exprs[value].kind == ExprKind::Zeroed)
                }
                _ => false,
            },
            _ => false,
        };
        let alone = program.cfa.locs[edge.to].into.len() == 1;
        if all && alone {
            set.insert(var)
        } else {
            others.insert(var)
        };
    }
    set.retain(|var| !others.contains(var));
    set
}

/// Where what was never written may spread: targets and sources; `None` is a source that nobody knows.
fn copies(program: &Program, regions: &Regions) -> Vec<(Holder, Option<Holder>)> {
    let mut copies = Vec::new();
    let is_whole = |value: ExprId| !program.types.is_scalar(program.exprs[value].ty);
    for edge in &program.cfa.edges {
        match &edge.op {
            Op::Assign(place, value) if is_whole(*value) || program.copied_byte(*place, *value).is_some() => {
                if let (Some(to), ExprKind::Load(from)) =
                    (regions.holder_of(program, *place), &program.exprs[*value].kind)
                {
                    copies.push((to, regions.holder_of(program, *from)));
                }
            }
            Op::Return(Some(value)) if is_whole(*value) => {
                let function = &program.functions[program.cfa.locs[edge.from].function];
                if let Some(ret) = function.ret {
                    copies.push((regions.holder(ret), regions.source(program, *value)));
                }
            }
            Op::Call(call) => {
                let Callee::Direct(f) = call.callee else {
                    // Whoever is called: its parameters and its result may be unset.
                    copies.extend(
                        call.dest.and_then(|dest| regions.holder_of(program, dest)).map(|to| (to, None)),
                    );
                    continue;
                };
                let function = &program.functions[f];
                for (&param, &arg) in
                    function.params.iter().zip(&call.args).filter(|(_, arg)| is_whole(**arg))
                {
                    copies.push((regions.holder(param), regions.source(program, arg)));
                }
                if let (Some(dest), Some(ret)) = (call.dest, function.ret)
                    && !program.types.is_scalar(program.vars[ret].ty.ty)
                    && let Some(to) = regions.holder_of(program, dest)
                {
                    copies.push((to, Some(regions.holder(ret))));
                }
            }
            _ => {}
        }
    }
    // Functions that pointers point to get arguments from anywhere.
    for expr in &program.exprs {
        if let ExprKind::FnAddr(f) = expr.kind {
            let params = program.functions[f].params.iter();
            let whole = params.filter(|param| !program.types.is_scalar(program.vars[**param].ty.ty));
            copies.extend(whole.map(|param| (regions.holder(*param), None)));
        }
    }
    copies
}
