//! Candidates about all objects of a region, such as the nodes of a list of any length.
//!
//! They speak of one object, a ghost that the program does not know (see `term::forall`): whatever it is, if it is alive
//! and was made before `p`, then its `next` is alive; its `data` is 1; it is older than its `next`. Numbers of objects
//! only grow, so that `<` between them tells which was made first: lists are built in the order of their nodes or
//! against it, and taken apart alike.
//!
//! A candidate is a *guard* and a *claim*. All pairs are sifted by states that were really reached ([`walks`]), and asked
//! for in steps ([`sift`]): the strongest first; where the solver does not agree, weaker ones follow.

use super::houdini::{Candidates, World, keep_inductive, ways};
use super::sift::{self, Sieve};
use super::template::compared;
use super::walks;
use crate::context::Engine;
use crate::heuristics::ListLimits;
use std::collections::{BTreeMap, BTreeSet};
use tour_evidence::verdict::UnknownReason;
use tour_logic::smt::{Purpose, SatResult};
use tour_logic::term::{BaseId, Op, Solved, Sort, TermId, Terms};
use tour_model::block::{Known, NodeId, Target};
use tour_model::encode::{ObjectState, PointerState, Ssa, instantiate};
use tour_model::regions::{OBJECT_BITS, RegionId};

/// Finds invariants about the objects of regions with linked objects.
pub fn discover(engine: &mut Engine, nodes: &[NodeId]) -> Result<usize, UnknownReason> {
    let regions = engine.blocks.encoder.linked_regions();
    if regions.is_empty() || is_enough(engine, nodes)? {
        return Ok(0);
    }
    let limits = engine.heuristics.invariants.lists;
    let mut program = Vocabulary::of(engine, nodes, &regions)?;
    let ghost = engine.terms.ghost(Sort::BitVec(OBJECT_BITS), false);
    let words = program.words(engine, &regions, ghost);
    let states = walks::draw(engine)?;
    let noise = sift::noise(engine, &words.formulas(), &program.stored);
    let mut sieves = BTreeMap::new();
    for (&node, states) in &states {
        let samples = sift::samples(engine, ghost, &program.ends, states);
        sieves.insert(node, Sieve::new(&engine.terms, limits, &words, &samples, &noise));
    }
    let mut found = 0;
    for stage in 0..limits.stages {
        if is_enough(engine, nodes)? {
            break;
        }
        let mut candidates = Candidates::new();
        for (&node, sieve) in &mut sieves {
            let invariant = engine.blocks.invariant(node).unwrap_or(engine.terms.yes());
            let known = engine.terms.conjuncts(invariant);
            let retry = stage == limits.retry_stage;
            candidates.insert(node, sieve.next(&mut engine.terms, &words, &noise, &known, retry));
        }
        if candidates.values().all(Vec::is_empty) {
            continue;
        }
        found += keep_inductive(engine, candidates, World::Small)?;
    }
    Ok(found)
}

/// No block leads to an error, or to what is not modelled.
fn is_enough(engine: &mut Engine, nodes: &[NodeId]) -> Result<bool, UnknownReason> {
    for &node in nodes {
        engine.check_interrupt()?;
        for exit in &engine.block(node, &Known::default()).exits {
            let ends = match exit.to {
                Target::Error(_) | Target::Unsupported(_) => engine.blocks.counts(exit.to),
                Target::Node(_) => false,
            };
            if !ends {
                continue;
            }
            for way in ways(engine, exit.formula) {
                let solved = Solved::of(&mut engine.terms, way);
                let answer = engine.smt.check(&engine.terms, solved.formula, Purpose::Induction);
                if answer != SatResult::Unsat {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// What the blocks of a program speak of.
struct Vocabulary {
    limits: ListLimits,
    pointers: Vec<PointerState>,
    /// Constants that are stored in each array.
    stored: BTreeMap<BaseId, BTreeSet<TermId>>,
    /// Variables that are compared with constants.
    flags: Vec<(BaseId, TermId)>,
    /// The numbers of the first and of the next object, of each region.
    firsts: Vec<TermId>,
    ends: Vec<TermId>,
}

impl Vocabulary {
    fn of(engine: &mut Engine, nodes: &[NodeId], regions: &[RegionId]) -> Result<Vocabulary, UnknownReason> {
        let mut symbols: BTreeSet<BaseId> = BTreeSet::new();
        let mut stored: BTreeMap<BaseId, BTreeSet<TermId>> = BTreeMap::new();
        let mut constants: BTreeMap<BaseId, BTreeSet<TermId>> = BTreeMap::new();
        for &node in nodes {
            engine.check_interrupt()?;
            let block = engine.block(node, &Known::default());
            let known = engine.blocks.invariant(node).unwrap_or(engine.terms.yes());
            let known = instantiate(&mut engine.terms, known, &Ssa::default());
            let known: BTreeSet<TermId> = engine.terms.conjuncts(known).into_iter().collect();
            for exit in &block.exits {
                // What a block reads before it writes it.
                let mut facts = engine.terms.conjuncts(exit.formula);
                facts.retain(|part| !known.contains(part));
                note_reads(&engine.terms, &facts, &mut symbols);
                note_stores(&engine.terms, exit.formula, &mut stored);
                compared(&engine.terms, exit.formula, &mut constants);
            }
        }
        let mut pointers = Vec::new();
        for &symbol in &symbols {
            let Engine { terms, blocks, .. } = engine;
            if let Some(pointer) = blocks.encoder.pointer_state(terms, symbol)
                && regions.contains(&pointer.region)
            {
                pointers.push(pointer);
            }
        }
        let limits = engine.heuristics.invariants.lists;
        pointers.truncate(limits.max_pointers);
        let is_flag = |base: &BaseId| symbols.contains(base) && engine.blocks.encoder.scalar(*base).is_some();
        let flags = constants.iter().filter(|(base, _)| is_flag(base));
        let flags = flags.flat_map(|(base, values)| values.iter().map(|value| (*base, *value)));
        let flags: Vec<(BaseId, TermId)> = flags.take(limits.max_flags).collect();
        let (mut firsts, mut ends) = (Vec::new(), Vec::new());
        for &region in regions {
            let (first, end) = engine.blocks.encoder.new_objects(&mut engine.terms, region);
            firsts.push(first);
            ends.push(end);
        }
        Ok(Vocabulary { limits, pointers, stored, flags, firsts, ends })
    }

    /// The guards and claims.
    fn words(&mut self, engine: &mut Engine, regions: &[RegionId], ghost: BaseId) -> Words {
        let mut words = Words::default();
        let yes = engine.terms.yes();
        words.guards.push(Guard { formula: yes, of: None, level: 0 });
        self.flags(&mut engine.terms, &mut words);
        for (i, pointer) in self.pointers.iter().enumerate() {
            let Engine { terms, blocks, .. } = &mut *engine;
            let at = blocks.encoder.object_state(terms, pointer.region, pointer.object);
            let place = regions.iter().position(|region| *region == pointer.region);
            if let Some(&end) = place.and_then(|place| self.ends.get(place)) {
                self.about_pointer(terms, pointer, &at, end, &mut words);
            }
            for other in self.pointers[i + 1..].iter().filter(|other| other.region == pointer.region) {
                about_pointers(terms, pointer, other, &mut words);
            }
        }
        let ghost = engine.terms.var(ghost, 0);
        for ((&region, &end), &first) in regions.iter().zip(&self.ends).zip(&self.firsts) {
            let Engine { terms, blocks, .. } = &mut *engine;
            let none = terms.eq(first, end);
            words.claims.push(Claim { formula: none, of: None });
            let object = blocks.encoder.object_state(terms, region, ghost);
            let mut linked = Vec::new();
            for link in &object.links {
                linked.push(blocks.encoder.object_state(terms, link.to, link.object));
            }
            self.about_object(terms, &object, &linked, (first, end), &mut words);
        }
        words
    }

    /// Guards: a variable is a constant, or another number.
    fn flags(&self, terms: &mut Terms, words: &mut Words) {
        for &(flag, value) in &self.flags {
            let flag = terms.var(flag, 0);
            let is = terms.eq(flag, value);
            let is_not = terms.not(is);
            for formula in [is, is_not] {
                words.guards.push(Guard { formula, of: None, level: 1 });
            }
        }
    }

    /// The constants that a slot holds.
    fn constants(&self, slot: BaseId) -> Vec<TermId> {
        self.stored.get(&slot).into_iter().flatten().copied().take(self.limits.max_constants).collect()
    }

    /// What a number in an object is.
    fn values(&self, terms: &mut Terms, of: &ObjectState) -> Vec<TermId> {
        let mut claims = Vec::new();
        for &(slot, value) in &of.values {
            let mut all = Vec::new();
            for constant in self.constants(slot) {
                let is = terms.eq(value, constant);
                claims.push(is);
                claims.push(terms.not(is));
                all.push(is);
            }
            if all.len() > 1 {
                claims.push(terms.or(&all));
            }
        }
        claims
    }

    /// Claims about what a pointer points to.
    fn about_pointer(
        &self,
        terms: &mut Terms,
        p: &PointerState,
        at: &ObjectState,
        end: TermId,
        words: &mut Words,
    ) {
        let null = is_null(terms, p.object);
        let some = terms.not(null);
        for formula in [null, some] {
            words.guards.push(Guard { formula, of: None, level: 1 });
        }
        let or_null = terms.or2(null, p.alive);
        let mut claims = vec![null, some, p.alive, or_null, is_before(terms, p.object, end)];
        claims.extend(self.values(terms, at));
        for link in &at.links {
            let null = is_null(terms, link.object);
            claims.extend([null, terms.not(null), link.alive, terms.or2(null, link.alive)]);
            for other in self.pointers.iter().filter(|other| other.region == link.to) {
                claims.push(terms.eq(link.object, other.object));
            }
        }
        words.claims.extend(claims.into_iter().map(|formula| Claim { formula, of: None }));
    }

    /// Guards and claims about the object that stands for all.
    fn about_object(
        &self,
        terms: &mut Terms,
        k: &ObjectState,
        linked: &[ObjectState],
        (first, end): (TermId, TermId),
        words: &mut Words,
    ) {
        let of = Some(k.region);
        let mut orders = Vec::new();
        let mut claims = vec![terms.no(), terms.bv_ult(k.object, end)];
        claims.extend([terms.eq(k.object, first), is_before(terms, k.object, end)]);
        let own: Vec<TermId> =
            self.pointers.iter().filter(|p| p.region == k.region).map(|p| p.object).collect();
        for &p in &own {
            let same = terms.eq(k.object, p);
            let (below, above) = (terms.bv_ult(k.object, p), terms.bv_ult(p, k.object));
            orders.extend([terms.not(same), below, above]);
            claims.extend([same, terms.not(same), terms.bv_ule(k.object, p), terms.bv_ule(p, k.object)]);
        }
        let (mut properties, mut links) = (self.values(terms, k), Vec::new());
        claims.extend(properties.iter().copied());
        for (link, at) in k.links.iter().zip(linked) {
            let null = is_null(terms, link.object);
            let some = terms.not(null);
            claims.extend([null, some]);
            properties.extend([null, some]);
            let mut unless_null = |terms: &mut Terms, claim: TermId| claims.push(terms.or2(null, claim));
            unless_null(terms, link.alive);
            if link.to == k.region {
                let one = terms.bv(OBJECT_BITS, 1);
                let (older, newer) =
                    (terms.bv_ult(link.object, k.object), terms.bv_ult(k.object, link.object));
                let (after, before) = (terms.bv_add(k.object, one), terms.bv_sub(k.object, one));
                let (after, before) = (terms.eq(link.object, after), terms.eq(link.object, before));
                for claim in [older, newer, after, before] {
                    unless_null(terms, claim);
                }
            }
            for p in self.pointers.iter().filter(|p| p.region == link.to) {
                let same = terms.eq(link.object, p.object);
                let other = terms.not(same);
                let (below, above) =
                    (terms.bv_ule(link.object, p.object), terms.bv_ule(p.object, link.object));
                for claim in [other, below, above] {
                    unless_null(terms, claim);
                }
                links.extend([same, other]);
            }
            // Back again.
            for back in at.links.iter().filter(|back| back.to == k.region) {
                let same = terms.eq(back.object, k.object);
                unless_null(terms, same);
            }
            for claim in self.values(terms, at) {
                unless_null(terms, claim);
            }
            // The same numbers as in the next one, and in order.
            if link.to == k.region {
                for (&(slot, here), &(_, there)) in k.values.iter().zip(&at.values) {
                    let signed = terms.base(slot).signed;
                    for claim in [
                        terms.eq(here, there),
                        terms.bv_le(signed, here, there),
                        terms.bv_le(signed, there, here),
                    ] {
                        unless_null(terms, claim);
                    }
                }
            }
        }
        let flags = words.guards[1..].iter().filter(|guard| guard.of.is_none());
        let flags: Vec<TermId> = flags.map(|guard| guard.formula).collect();
        let mut guards = combine(terms, k.alive, &orders, &properties, &links, &flags);
        guards.truncate(self.limits.max_guards);
        let guards = guards.into_iter().map(|(formula, level)| Guard { formula, of, level });
        words.guards.extend(guards);
        words.claims.extend(claims.into_iter().map(|formula| Claim { formula, of }));
    }
}

/// Guards of up to three conditions besides that an object is alive: where it is in the order of objects, where its links
/// lead to, what it holds, and what variables are; and how many conditions each has.
fn combine(
    terms: &mut Terms,
    alive: TermId,
    orders: &[TermId],
    properties: &[TermId],
    links: &[TermId],
    flags: &[TermId],
) -> Vec<(TermId, u8)> {
    let mut guards = vec![(alive, 0)];
    let mut places = Vec::new();
    for &place in orders.iter().chain(links) {
        places.push((terms.and2(alive, place), 1));
    }
    for &link in links {
        for &order in orders {
            places.push((terms.and(&[alive, order, link]), 2));
        }
    }
    guards.extend(&places);
    for &other in properties.iter().chain(flags) {
        guards.push((terms.and2(alive, other), 1));
        for &(place, level) in &places {
            guards.push((terms.and2(place, other), level + 1));
        }
    }
    for &property in properties {
        for &flag in flags {
            guards.push((terms.and(&[alive, property, flag]), 2));
        }
    }
    guards.sort_by_key(|(_, level)| *level);
    guards
}

/// Claims and guards about two pointers into one region.
fn about_pointers(terms: &mut Terms, a: &PointerState, b: &PointerState, words: &mut Words) {
    let same = terms.eq(a.object, b.object);
    let other = terms.not(same);
    let (below, above) = (terms.bv_ule(a.object, b.object), terms.bv_ule(b.object, a.object));
    for formula in [same, other] {
        words.guards.push(Guard { formula, of: None, level: 1 });
    }
    words.claims.extend([same, other, below, above].map(|formula| Claim { formula, of: None }));
}

/// The object is the last one before another.
fn is_before(terms: &mut Terms, object: TermId, other: TermId) -> TermId {
    let one = terms.bv(OBJECT_BITS, 1);
    let next = terms.bv_add(object, one);
    terms.eq(next, other)
}

fn is_null(terms: &mut Terms, object: TermId) -> TermId {
    let null = terms.bv(OBJECT_BITS, 0);
    terms.eq(object, null)
}

/// The variables whose first values are made use of.
fn note_reads(terms: &Terms, formulas: &[TermId], read: &mut BTreeSet<BaseId>) {
    for term in terms.postorder(formulas) {
        let symbols: Vec<_> = terms.args(term).iter().filter_map(|arg| terms.as_symbol(*arg)).collect();
        match symbols[..] {
            // It stays as it is.
            [a, b] if a.base == b.base && terms.op(term) == Op::Eq => {}
            _ => read.extend(symbols.iter().filter(|symbol| symbol.index == 1).map(|symbol| symbol.base)),
        }
    }
}

/// The constants that are stored in arrays.
fn note_stores(terms: &Terms, formula: TermId, stored: &mut BTreeMap<BaseId, BTreeSet<TermId>>) {
    for term in terms.postorder(&[formula]) {
        if let (Op::Store, &[mut array, _, value]) = (terms.op(term), terms.args(term)) {
            while terms.op(array) == Op::Store {
                array = terms.args(array)[0];
            }
            if let (Some(symbol), Some(_)) = (terms.as_symbol(array), terms.value(value)) {
                stored.entry(symbol.base).or_default().insert(value);
            }
        }
    }
}

/// A condition of a claim. `of` is the region of the ghost, if it speaks of one.
pub(super) struct Guard {
    pub formula: TermId,
    pub of: Option<RegionId>,
    /// How many conditions it is made of.
    pub level: u8,
}

/// What may hold under a condition.
pub(super) struct Claim {
    pub formula: TermId,
    pub of: Option<RegionId>,
}

/// Guards and claims.
#[derive(Default)]
pub(super) struct Words {
    pub guards: Vec<Guard>,
    pub claims: Vec<Claim>,
}

impl Words {
    /// Guards, then claims.
    pub fn formulas(&self) -> Vec<TermId> {
        let guards = self.guards.iter().map(|guard| guard.formula);
        guards.chain(self.claims.iter().map(|claim| claim.formula)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::{Analysis, KInduction, certified};
    use crate::context::Context;
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_c::load;
    use tour_ir::prepared::Prepared;
    use tour_ir::program::{DataModel, Rule};
    use tour_model::instrument;

    /// What k-induction says of a body of `main`, with a list of `struct n` at hand.
    #[track_caller]
    fn check(rules: &[Rule], body: &str, expect: &str) {
        let text = format!(
            "void free(void *); void *malloc(unsigned long); int __VERIFIER_nondet_int(void);
             void __VERIFIER_error(void);
             struct n {{ int v; struct n *next; }};
             int main(void) {{ {body} return 0; }}"
        );
        let options = LoadOptions::new(DataModel::Lp64);
        let mut program = load(&[Input::text("a.c", text)], &options).expect("a program");
        instrument::select(&mut program, rules);
        let program = Prepared::new(program);
        let context = Context::default();
        let verdict = certified(&program, KInduction::default().run(&program, &context), &context);
        assert_eq!(verdict.to_string(), expect, "{body}");
    }

    const PREPEND: &str = "struct n *h = 0;
        while (__VERIFIER_nondet_int()) {
            struct n *x = malloc(sizeof *x); x->v = 1; x->next = h; h = x;
        }";

    #[test]
    fn what_all_nodes_hold() {
        let visit = |value: i32| {
            format!("{PREPEND} while (h) {{ if (h->v != {value}) __VERIFIER_error(); h = h->next; }}")
        };
        check(&[Rule::UnreachCall], &visit(1), "SAFE");
        check(&[Rule::UnreachCall], &visit(2), "UNSAFE");
    }

    #[test]
    fn lists_are_freed() {
        let rules =
            [Rule::NullDeref, Rule::OutOfBounds, Rule::UseAfterFree, Rule::DoubleFree, Rule::MemoryLeak];
        let free = |step: &str| format!("{PREPEND} while (h) {{ struct n *t = h->next; free(h); {step} }}");
        check(&rules, &free("h = t;"), "SAFE");
        // It is used once more, and the second node is forgotten.
        check(&rules, &free("h = h->next;"), "UNSAFE");
        check(&rules, &free("h = 0;"), "UNSAFE");
    }
}
