//! Who calls whom.
//!
//! A call through a pointer may go to every function whose address is taken and whose type fits the pointer's. "Fits"
//! is what works on the machine, which is more than C allows: as many parameters, each of the same size and sort. All
//! pointers of one type share their candidates, so that the graph stays linear in the program.

use super::EdgeId;
use super::graph::Graph;
use super::mentions::{Mention, Walk};
use crate::prepared::{Fact, Prepared};
use crate::program::{Call, Callee, FnId, FnSig, InitItem, Op, Program, Type, TypeId, Types};
use index_vec::IndexVec;
use rustc_hash::FxHashMap;

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    sites: IndexVec<FnId, Vec<EdgeId>>,
    address_taken: IndexVec<FnId, bool>,
    /// The functions that a pointer of a type may point to.
    candidates: Vec<Vec<FnId>>,
    /// Index into `candidates` by the pointer's type.
    pointers: FxHashMap<TypeId, usize>,
    /// Functions, then the elements of `candidates`; edges from callers to callees.
    graph: Graph,
    components: Vec<Vec<FnId>>,
    recursive: IndexVec<FnId, bool>,
    reachable: IndexVec<FnId, bool>,
}

/// The functions that a call may go to.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'a> {
    /// It names the function.
    Direct(FnId),
    /// It goes through a pointer: these functions fit. The index names the set: equal for pointers of equal type.
    Indirect(usize, &'a [FnId]),
}

/// How a function is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CallKind {
    /// By name.
    Direct,
    /// Perhaps, through a pointer.
    Indirect,
}

impl Fact for CallGraph {
    fn of(program: &Prepared) -> CallGraph {
        CallGraph::of(program as &Program)
    }
}

impl CallGraph {
    /// The call graph of a program.
    pub fn of(program: &Program) -> CallGraph {
        let mut sites: IndexVec<FnId, Vec<EdgeId>> = program.functions.iter().map(|_| Vec::new()).collect();
        let mut pointers = FxHashMap::default();
        let mut types = Vec::new();
        for (id, edge) in program.cfa.edges.iter_enumerated() {
            if let Op::Call(call) = &edge.op {
                sites[program.cfa.locs[edge.from].function].push(id);
                if let Callee::Indirect(pointer) = call.callee {
                    let ty = program.exprs[pointer].ty;
                    pointers.entry(ty).or_insert_with(|| {
                        types.push(ty);
                        types.len() - 1
                    });
                }
            }
        }
        let address_taken = address_taken(program);
        let candidates: Vec<Vec<FnId>> = types
            .iter()
            .map(|&ty| {
                let taken = program.functions.indices().filter(|&f| address_taken[f]);
                taken.filter(|&f| fits(program, ty, f)).collect()
            })
            .collect();

        let functions = program.functions.len();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for (caller, sites) in sites.iter_enumerated() {
            for &site in sites {
                if let Op::Call(call) = &program.cfa.edges[site].op {
                    let callee = match call.callee {
                        Callee::Direct(f) => f.index(),
                        Callee::Indirect(pointer) => functions + pointers[&program.exprs[pointer].ty],
                    };
                    edges.push((caller.index() as u32, callee as u32));
                }
            }
        }
        for (set, members) in candidates.iter().enumerate() {
            edges.extend(members.iter().map(|f| ((functions + set) as u32, f.index() as u32)));
        }
        edges.sort_unstable();
        edges.dedup();
        let graph = Graph::new(functions + candidates.len(), &edges);

        let mut recursive: IndexVec<FnId, bool> = program.functions.iter().map(|_| false).collect();
        let mut components = Vec::new();
        let is_function = |n: u32| (n as usize) < functions;
        for component in graph.components() {
            let cyclic = component.len() > 1 || graph.successors(component[0]).contains(&component[0]);
            let members: Vec<FnId> =
                component.into_iter().filter(|&n| is_function(n)).map(|n| FnId::new(n as usize)).collect();
            members.iter().for_each(|&f| recursive[f] = cyclic);
            if !members.is_empty() {
                components.push(members);
            }
        }
        let entry = program.entry.index();
        let reached = graph.reachable((entry < functions).then_some(entry as u32));
        let reachable = reached[..functions].iter().copied().collect();
        CallGraph { sites, address_taken, candidates, pointers, graph, components, recursive, reachable }
    }

    /// The call edges of a function, by id.
    pub fn call_sites(&self, function: FnId) -> &[EdgeId] {
        &self.sites[function]
    }

    /// Where a call may go.
    pub fn targets(&self, program: &Program, call: &Call) -> Targets<'_> {
        match call.callee {
            Callee::Direct(f) => Targets::Direct(f),
            Callee::Indirect(pointer) => {
                let set = self.pointers[&program.exprs[pointer].ty];
                Targets::Indirect(set, &self.candidates[set])
            }
        }
    }

    /// The sets of functions that calls through pointers may go to, as named by [`Targets::Indirect`].
    pub fn candidates(&self) -> &[Vec<FnId>] {
        &self.candidates
    }

    /// The functions that a function calls, by id; one that it calls both ways is listed for both.
    pub fn callees(&self, function: FnId) -> Vec<(FnId, CallKind)> {
        let mut callees = Vec::new();
        for &n in self.graph.successors(function.index() as u32) {
            match (n as usize).checked_sub(self.sites.len()) {
                None => callees.push((FnId::new(n as usize), CallKind::Direct)),
                Some(set) => callees.extend(self.candidates[set].iter().map(|&f| (f, CallKind::Indirect))),
            }
        }
        callees.sort_unstable();
        callees.dedup();
        callees
    }

    /// Sets of functions that call each other, callees before their callers: the bottom-up order.
    pub fn components(&self) -> &[Vec<FnId>] {
        &self.components
    }

    /// It may call itself, perhaps through others.
    pub fn is_recursive(&self, function: FnId) -> bool {
        self.recursive[function]
    }

    /// Some chain of calls leads there from the entry.
    pub fn is_reachable(&self, function: FnId) -> bool {
        self.reachable[function]
    }

    /// The functions with a body that the entry may reach, by id.
    pub fn reachable_bodies<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = FnId> + 'a {
        program.functions.indices().filter(|&f| self.reachable[f] && program.functions[f].body.is_some())
    }

    /// Its address is taken somewhere, so that a pointer may lead there.
    pub fn is_address_taken(&self, function: FnId) -> bool {
        self.address_taken[function]
    }
}

fn address_taken(program: &Program) -> IndexVec<FnId, bool> {
    let mut taken: IndexVec<FnId, bool> = program.functions.iter().map(|_| false).collect();
    let see = |mention| {
        if let Mention::Function(f) = mention {
            taken[f] = true;
        }
    };
    let mut walk = Walk { program, see };
    for edge in &program.cfa.edges {
        walk.op(&edge.op);
    }
    for init in program.vars.iter().filter_map(|v| v.init.as_ref()) {
        for item in &init.items {
            if let InitItem::Value { value, .. } = item {
                walk.expr(*value);
            }
        }
    }
    taken
}

fn fits(program: &Program, pointer: TypeId, function: FnId) -> bool {
    let types = &program.types;
    let Some(Type::Function(expected)) = types.pointee(pointer).map(|to| &types[to.ty]) else {
        // Some other pointer that was converted: nothing is known.
        return true;
    };
    let found = program.functions[function].sig(types);
    let no_value = |sig: &FnSig| matches!(types[sig.ret], Type::Void);
    if !(no_value(expected) || no_value(found) || same_sort(types, expected.ret, found.ret)) {
        return false;
    }
    if !expected.prototyped || !found.prototyped {
        return true;
    }
    (expected.params.len() == found.params.len() || expected.variadic || found.variadic)
        && expected.params.iter().zip(&found.params).all(|(&a, &b)| same_sort(types, a, b))
}

/// Passed in the same way: integers and pointers of one size, or the same floating type, or records of one size.
fn same_sort(types: &Types, a: TypeId, b: TypeId) -> bool {
    let word = |ty: TypeId| matches!(types[ty], Type::Int(_) | Type::Enum(_) | Type::Pointer(_));
    let record = |ty: TypeId| matches!(types[ty], Type::Record(_));
    a == b || ((word(a) && word(b) || record(a) && record(b)) && types.size(a) == types.size(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::testing::sample;

    fn check(text: &str, expect: &str) {
        let s = sample(text);
        let p = &s.program;
        let calls = CallGraph::of(p);
        let mut lines = Vec::new();
        for component in calls.components() {
            for &f in component {
                let callees: Vec<String> = calls
                    .callees(f)
                    .iter()
                    .map(|(g, kind)| match kind {
                        CallKind::Direct => p.functions[*g].name.clone(),
                        CallKind::Indirect => format!("*{}", p.functions[*g].name),
                    })
                    .collect();
                let mut line = format!("{}: {}", p.functions[f].name, callees.join(" "));
                if calls.is_recursive(f) {
                    line += " (recursive)";
                }
                if !calls.is_reachable(f) {
                    line += " (unreachable)";
                }
                lines.push(line);
            }
        }
        assert_eq!(lines.join("\n"), expect);
    }

    #[test]
    fn callees_come_before_callers() {
        check(
            "fn main(): 1->2 f(1); 2->exit g()\nfn f(x): 1->exit g()\nfn g(): 1->exit\nfn dead(): 1->exit f(1)",
            "g: \nf: g\nmain: f g\ndead: f (unreachable)",
        );
    }

    #[test]
    fn recursion_is_found_through_others() {
        check(
            "fn main(): 1->exit even(1)\nfn even(x): 1->exit odd(x)\nfn odd(x): 1->exit even(x)\n\
             fn self(): 1->exit self()",
            "even: odd (recursive)\nodd: even (recursive)\nmain: even\nself: self (recursive) (unreachable)",
        );
    }

    #[test]
    fn a_pointer_leads_to_functions_that_fit() {
        check(
            "fn main() h = &f: 1->2 h = &f; 2->3 h = &g; 3->4 h = &two; 4->exit (*h)(1)\n\
             fn f(x): 1->exit\nfn g(x): 1->exit\nfn two(x, y): 1->exit\nfn quiet(x): 1->exit",
            "f: \ng: \nmain: *f *g\ntwo:  (unreachable)\nquiet:  (unreachable)",
        );
    }

    #[test]
    fn recursion_goes_through_pointers() {
        check("fn main() h = &main: 1->2 h = &main; 2->exit (*h)()", "main: *main (recursive)");
    }
}
