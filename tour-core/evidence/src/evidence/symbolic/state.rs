//! The values of cells: reading and writing them, joining two stores, and the state in which the program begins.

use super::place::{Spot, Where};
use super::{Exec, Executor, Flow, Unmodelled};
use imbl::ordmap::DiffItem;
use tour_ir::program::{InitItem, Storage, VarId};
use tour_logic::term::{Sort, TermId};
use tour_model::encode::Cell;
use tour_model::regions::{FIRST, Heap, Home, OBJECT_BITS, RegionId};

/// Variables with more initial values keep them unknown.
const MAX_VALUES: usize = 2000;

impl Executor<'_> {
    /// The value of a cell: what was stored there, or what it had at the beginning.
    pub(super) fn get(&mut self, flow: &Flow, cell: &Cell, sort: Sort) -> TermId {
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

    /// Gives a cell a value.
    pub(super) fn put(&mut self, flow: &mut Flow, cell: Cell, value: TermId) {
        flow.values.insert(cell, value);
    }

    /// A variable that nothing is known of.
    pub(super) fn anything(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        let base = self.terms.declare("any", sort, false);
        self.terms.var(base, self.fresh)
    }

    /// A value of all zero bits.
    pub(super) fn zero(&mut self, sort: Sort) -> TermId {
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

    /// The runs of both, which have parted by a condition. What their conditions have in common stays as it is.
    pub fn join(&mut self, a: Flow, b: Flow) -> Flow {
        let [of_a, of_b] = [a.guard, b.guard].map(|guard| {
            let mut parts = self.terms.conjuncts(guard);
            parts.sort_unstable();
            parts
        });
        let (mut both, only_a): (Vec<TermId>, Vec<TermId>) =
            of_a.iter().partition(|c| of_b.binary_search(c).is_ok());
        let only_b: Vec<TermId> = of_b.into_iter().filter(|c| of_a.binary_search(c).is_err()).collect();
        let (only_a, only_b) = (self.terms.and(&only_a), self.terms.and(&only_b));
        let differ: Vec<(Cell, TermId)> = (a.values.diff(&b.values))
            .map(|item| match item {
                DiffItem::Add(cell, value)
                | DiffItem::Remove(cell, value)
                | DiffItem::Update { old: (cell, value), .. } => (cell.clone(), *value),
            })
            .collect();
        let mut values = b.values.clone();
        for (cell, known) in differ {
            let sort = self.terms.sort(known);
            let (x, y) = (self.get(&a, &cell, sort), self.get(&b, &cell, sort));
            let value = self.terms.ite(only_a, x, y);
            values.insert(cell, value);
        }
        both.push(self.terms.or2(only_a, only_b));
        Flow { guard: self.terms.and(&both), values }
    }

    /// The state in which the program begins.
    pub fn initial(&mut self) -> Flow {
        let program = self.program;
        let mut flow = Flow::from_state(self.terms.yes());
        let regions = self.regions.clone();
        for (id, region) in regions.regions.iter_enumerated() {
            if region.grows {
                let first = self.number(region.first_new());
                self.put(&mut flow, Cell::Counter(id), first);
            }
            let nothing = self.zero(super::memory::flags());
            if region.mortal {
                self.put(&mut flow, Cell::Alive(id), nothing);
            }
            if region.heap == Heap::Some {
                self.put(&mut flow, Cell::Heap(id), nothing);
            }
            let all_static = region.known.iter().all(|(known, _)| match known {
                tour_model::regions::Known::Var(var) => self.is_defined(*var),
                tour_model::regions::Known::Function(_) => true,
            });
            if region.zeroed && all_static && !region.known.is_empty() && !self.regions.is_table(id) {
                for number in 0..region.slots.len() {
                    if let Ok(arrays) = self.arrays(id, number) {
                        for (cell, sort) in arrays.cells {
                            let zero = self.zero(sort);
                            self.put(&mut flow, cell, zero);
                        }
                        if let Some((cell, sort)) = arrays.marks {
                            let all = self.full(sort);
                            self.put(&mut flow, cell, all);
                        }
                    }
                }
            }
        }
        for &var in &program.globals {
            let home = self.regions.home(var);
            let table = match home {
                Home::Cells(_) => self.regions.is_table_variable(var),
                Home::Object(region, _) | Home::Fresh(region) => self.regions.is_table(region),
            };
            if !self.is_defined(var) || table {
                continue;
            }
            let count: usize = (program.vars[var].init.iter().flat_map(|i| &i.items))
                .map(|item| match item {
                    InitItem::Value { .. } => 1,
                    InitItem::Bytes { bytes, .. } => bytes.len(),
                })
                .sum();
            let mut with = flow.clone();
            if count <= MAX_VALUES && self.initialise(&mut with, var).is_ok() {
                flow = with;
            } else if let Home::Object(region, _) | Home::Fresh(region) = home {
                self.forget_region(&mut flow, region);
            }
        }
        self.facts.clear();
        self.obligations.clear();
        let roots = program.threads.all.iter().skip(1).map(|thread| thread.root);
        for function in std::iter::once(program.entry).chain(roots) {
            if self.open_frame(&mut flow, function, 0).is_err() {
                return Flow::from_state(self.terms.yes());
            }
        }
        // Static variables are there from the beginning; those of a thread end with it.
        for &var in &program.globals {
            if let Home::Object(region, number) = self.regions.home(var)
                && number >= FIRST + self.regions[region].immortal
            {
                let object = self.number(number);
                self.mark(&mut flow, region, object, true);
            }
        }
        flow
    }

    fn is_defined(&self, var: VarId) -> bool {
        match self.program.vars[var].storage {
            Storage::Global { defined } => defined,
            Storage::Static | Storage::StaticLocal(_) | Storage::Literal => true,
            Storage::Param(_) | Storage::Local(_) | Storage::Temp(_) | Storage::Return(_) => false,
        }
    }

    fn initialise(&mut self, flow: &mut Flow, var: VarId) -> Exec<()> {
        self.initialising = true;
        let done = self.initial_value(flow, var);
        self.initialising = false;
        done
    }

    fn initial_value(&mut self, flow: &mut Flow, var: VarId) -> Exec<()> {
        let program = self.program;
        let zeroed = match self.regions.home(var) {
            Home::Cells(_) => false,
            Home::Object(region, _) | Home::Fresh(region) => self.begins_with_zeros(flow, region),
        };
        if !zeroed {
            let whole = self.whole(flow, var, 0);
            self.clear(flow, whole)?;
        }
        for item in program.vars[var].init.iter().flat_map(|i| &i.items) {
            match item {
                InitItem::Value { place, value } => {
                    let spot = self.spot(flow, *place, 0)?;
                    self.store(flow, spot, *value, 0)?;
                }
                InitItem::Bytes { place, bytes } => {
                    let spot = self.spot(flow, *place, 0)?;
                    if program
                        .types
                        .element(spot.ty)
                        .is_none_or(|(of, _)| program.types.size(of.ty) != Some(1))
                    {
                        return Err(Unmodelled);
                    }
                    for (i, byte) in bytes.iter().enumerate() {
                        let index = self.terms.bv(program.model.pointer_bits(), i as u128);
                        let element = self.element(flow, spot.clone(), index, i == 0, 0)?;
                        let value = self.terms.bv(8, u128::from(*byte));
                        self.set(flow, &element, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// All contents of the region were set to zero.
    fn begins_with_zeros(&self, flow: &Flow, region: RegionId) -> bool {
        let slots = self.regions[region].slots.len();
        self.regions[region].zeroed
            && self.regions[region].known.iter().all(|(known, _)| match known {
                tour_model::regions::Known::Var(var) => self.is_defined(*var),
                tour_model::regions::Known::Function(_) => true,
            })
            && (0..slots).all(|slot| {
                flow.values.keys().any(|cell| {
                    matches!(cell, Cell::Slot { region: r, slot: s, .. } if *r == region && *s as usize == slot)
                })
            })
    }

    /// A number of an object.
    pub(super) fn number(&mut self, number: u64) -> TermId {
        self.terms.bv(OBJECT_BITS, u128::from(number))
    }

    /// The number after the numbers of objects that never die.
    pub(super) fn after_immortals(&mut self, region: RegionId) -> TermId {
        let number = FIRST + self.regions[region].immortal;
        self.number(number)
    }

    /// Nothing is known any more of what a region's objects hold.
    pub(super) fn forget_region(&mut self, flow: &mut Flow, region: RegionId) {
        for slot in 0..self.regions[region].slots.len() {
            if let Ok(arrays) = self.arrays(region, slot) {
                for (cell, sort) in arrays.all() {
                    let any = self.anything(sort);
                    self.put(flow, cell, any);
                }
            }
        }
    }

    /// A spot in memory.
    pub(super) fn region_of(&self, spot: &Spot) -> Option<RegionId> {
        match spot.lies {
            Where::Cells { .. } => None,
            Where::Memory { region, .. } => Some(region),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::symbolic::Knowledge;
    use rustc_hash::FxHashMap;
    use tour_ir::cfa::testing::sample;
    use tour_logic::term::{Assignment, Terms, Value};

    #[test]
    fn joined_runs_keep_what_they_have_in_common() {
        let program = sample("fn main(): 1->exit x = 0").program;
        let (knowledge, bases) =
            (Knowledge::of(&program, &tour_ir::limits::Interrupt::default()).unwrap(), FxHashMap::default());
        let mut terms = Terms::new();
        let base = terms.declare("p", Sort::Bool, false);
        // As many as make the conjunction a tree, whose leaves stand in no order.
        let facts: Vec<TermId> = (0..60).map(|i| terms.var(base, i)).collect();
        let (side, mut down, mut up) = (terms.var(base, 60), terms.yes(), terms.yes());
        for (i, &fact) in facts.iter().enumerate() {
            up = terms.and2(up, fact);
            down = terms.and2(down, facts[(i * 37 + 11) % facts.len()]);
        }
        let other = terms.not(side);
        let (a, b) = (terms.and2(up, side), terms.and2(down, other));
        let mut executor = Executor::new(&program, &mut terms, &bases, &knowledge);
        let guard = executor.join(Flow::from_state(a), Flow::from_state(b)).guard;
        let mut model = Assignment::default();
        facts.iter().for_each(|fact| model.set(terms.as_symbol(*fact).unwrap(), Value::Bool(true)));
        assert_eq!(terms.holds(guard, &model), Some(true));
        for fact in facts {
            let mut without = model.clone();
            without.set(terms.as_symbol(fact).unwrap(), Value::Bool(false));
            assert_eq!(terms.holds(guard, &without), Some(false), "{}", terms.show(fact));
        }
    }
}
