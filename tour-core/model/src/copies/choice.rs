//! Which functions are copied: small ones that are given pointers or give one, and that do not call themselves. Calls of
//! those that allocate memory come first, then those of smaller ones.

use index_vec::IndexVec;
use tour_ir::cfa::{CallGraph, EdgeId};
use tour_ir::program::{Builtin, Call, Callee, FnId, Op, Program, Type, TypeId};

/// The choice for a program.
pub(super) struct Choice {
    /// Edges of the functions that are copied, each with those that it calls.
    sizes: IndexVec<FnId, Option<usize>>,
    allocates: IndexVec<FnId, bool>,
}

impl Choice {
    /// Functions with more edges than `max_size`, with all that is copied along with them, are not copied.
    pub(super) fn of(program: &Program, calls: &CallGraph, max_size: usize) -> Choice {
        let mut edges: IndexVec<FnId, usize> = program.functions.iter().map(|_| 0).collect();
        for edge in &program.cfa.edges {
            edges[program.cfa.locs[edge.from].function] += 1;
        }
        let mut choice = Choice {
            sizes: program.functions.iter().map(|_| None).collect(),
            allocates: program.functions.iter().map(|_| false).collect(),
        };
        // Callees come before their callers.
        for &f in calls.components().iter().flatten() {
            let mut size = edges[f];
            for &site in calls.call_sites(f) {
                let Some(callee) = direct(program, site) else { continue };
                choice.allocates[f] |= choice.allocates[callee] || is_allocation(program, callee);
                size += choice.sizes[callee].unwrap_or(0);
            }
            let fits = size <= max_size && f != program.entry && !calls.is_recursive(f);
            if fits && has_pointers(program, f) {
                choice.sizes[f] = Some(size);
            }
        }
        choice
    }

    /// How many edges a copy has, with those that it calls; `None` if the function is not copied.
    pub(super) fn size(&self, f: FnId) -> Option<usize> {
        self.sizes.get(f).copied().flatten()
    }

    /// The calls of functions that can be copied, the most useful ones first.
    pub(super) fn sites(&self, program: &Program, calls: &CallGraph) -> Vec<(EdgeId, FnId)> {
        let mut sites: Vec<(EdgeId, FnId)> = (calls.reachable_bodies(program))
            .flat_map(|f| calls.call_sites(f))
            .filter_map(|&site| Some((site, direct(program, site)?)))
            .filter(|(_, f)| self.sizes[*f].is_some())
            .collect();
        sites.sort_by_key(|&(site, f)| (!self.allocates[f], self.sizes[f], site));
        sites
    }
}

/// The function with that name that a call goes to.
fn direct(program: &Program, site: EdgeId) -> Option<FnId> {
    match program.cfa.edges[site].op {
        Op::Call(Call { callee: Callee::Direct(f), .. }) => Some(f),
        _ => None,
    }
}

fn is_allocation(program: &Program, f: FnId) -> bool {
    let function = &program.functions[f];
    let builtin = function.builtin.filter(|_| function.body.is_none());
    matches!(
        builtin,
        Some(Builtin::Malloc | Builtin::Calloc | Builtin::Realloc | Builtin::Alloca | Builtin::Outside)
    )
}

/// It has a body, and pointers go into it or come out of it. Variable arguments that it reads come in a parameter of their own.
fn has_pointers(program: &Program, f: FnId) -> bool {
    let function = &program.functions[f];
    let sig = function.sig(&program.types);
    function.body.is_some()
        && (!sig.variadic || function.params.len() > sig.params.len())
        && function
            .params
            .iter()
            .chain(&function.ret)
            .any(|&var| holds_pointer(program, program.vars[var].ty.ty))
}

fn holds_pointer(program: &Program, ty: TypeId) -> bool {
    match program.types[ty] {
        Type::Pointer(_) => true,
        Type::Array(of, _) => holds_pointer(program, of.ty),
        Type::Record(id) => {
            program.types.records[id].fields.iter().any(|field| holds_pointer(program, field.ty.ty))
        }
        Type::Void | Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Function(_) => false,
        Type::Opaque { .. } => false,
    }
}
