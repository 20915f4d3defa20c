//! Objects are born and die: the numbers of new ones, the lives of local variables.

use super::cell::Cell;
use super::path::Path;
use super::place::Root;
use super::{Demand, Encode, Encoder, unsupported};
use crate::regions::{FIRST, Heap, Home, OBJECT_BITS, RegionId, Regions, UNKNOWN};
use index_vec::IndexVec;
use rustc_hash::FxHashSet;
use tour_ir::program::{ArrayLen, FnId, Op, Program, Type, TypeId, VarId};
use tour_logic::term::{TermId, Terms};

/// The variables of each function that lie in memory.
pub(super) struct Frames {
    vars: IndexVec<FnId, Vec<VarId>>,
    /// Variables whose life begins at a declaration rather than with the frame.
    declared: FxHashSet<VarId>,
    /// Variables whose life may end before the frame does.
    expiring: FxHashSet<VarId>,
}

impl Frames {
    pub fn of(program: &Program, regions: &Regions) -> Frames {
        let in_memory = |var: &VarId| !matches!(regions.home(*var), Home::Cells(_));
        let vars = (program.functions.iter())
            .map(|f| f.params.iter().chain(&f.ret).chain(&f.locals).copied().filter(in_memory).collect())
            .collect();
        let (mut declared, mut expiring) = (FxHashSet::default(), FxHashSet::default());
        for edge in &program.cfa.edges {
            match edge.op {
                Op::Declare(var) => _ = declared.insert(var),
                Op::Expire(var) => _ = expiring.insert(var),
                _ => {}
            }
        }
        Frames { vars, declared, expiring }
    }
}

impl Encoder<'_> {
    /// A new object: its number.
    pub(super) fn allocate(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        region: RegionId,
        size: TermId,
        heap: bool,
    ) -> Encode<TermId> {
        let counter = self.counter(terms, region);
        let mut number = path.ssa.value(terms, counter);
        let of = &self.regions[region];
        let (first_new, sized, mortal, mixed) =
            (of.first_new(), of.size.is_none(), of.mortal, of.heap == Heap::Some);
        if of.once {
            let first = self.object(terms, first_new);
            let is_first = terms.eq(number, first);
            self.eval(terms, path, 0, |e| {
                e.require(Demand::Once, is_first);
                Ok(())
            })?;
            number = first;
        } else if terms.value(number).is_none() {
            // Numbers only grow, and no run is long enough to use them up.
            let first = self.object(terms, first_new);
            let above = terms.bv_ule(first, number);
            let last = terms.bv(OBJECT_BITS, u128::MAX);
            let below = terms.bv_ult(number, last);
            path.add(terms, above);
            path.add(terms, below);
        }
        if sized {
            let base = self.attribute(terms, Cell::Sizes(region));
            self.write(terms, path, base, &[(number, size)]);
        }
        if mortal {
            self.set_alive(terms, path, region, number, true);
        }
        if mixed {
            let base = self.attribute(terms, Cell::Heap(region));
            let bit = terms.bv(1, u128::from(heap));
            self.write(terms, path, base, &[(number, bit)]);
        }
        let one = self.object(terms, 1);
        let next = terms.bv_add(number, one);
        self.replace(terms, path, counter, next);
        Ok(number)
    }

    /// An object begins or ends its life.
    pub(super) fn set_alive(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        region: RegionId,
        object: TermId,
        alive: bool,
    ) {
        if !self.regions[region].mortal {
            return;
        }
        let base = self.attribute(terms, Cell::Alive(region));
        let bit = terms.bv(1, u128::from(alive));
        self.write(terms, path, base, &[(object, bit)]);
    }

    /// It lives as long as the program.
    fn is_immortal(&self, region: RegionId, number: u64) -> bool {
        number < FIRST + self.regions[region].immortal
    }

    /// The size of a type in bytes, also of a variable-length array.
    fn size_term(&mut self, terms: &mut Terms, path: &mut Path, ty: TypeId, instance: u32) -> Encode<TermId> {
        let bits = self.pointer_bits();
        if let Some(size) = self.program.types.object_size(ty) {
            return Ok(terms.bv(bits, u128::from(size)));
        }
        match self.program.types[ty] {
            Type::Array(of, len) => {
                let element = self.size_term(terms, path, of.ty, instance)?;
                let count = match len {
                    ArrayLen::Fixed(n) => terms.bv(bits, u128::from(n)),
                    ArrayLen::Variable(var) => {
                        let count = self.eval(terms, path, instance, |e| e.load_var(var))?;
                        terms.resize(count, bits, false)
                    }
                    ArrayLen::Unknown => return unsupported("array", "an array of unknown length"),
                };
                self.eval(terms, path, instance, |e| e.product(element, count))
            }
            _ => unsupported("type", "an object of unknown size"),
        }
    }

    /// A new life of a variable begins.
    fn renew(&mut self, terms: &mut Terms, path: &mut Path, var: VarId, instance: u32) -> Encode<()> {
        let Home::Fresh(region) = self.regions.home(var) else { return Ok(()) };
        let size = self.size_term(terms, path, self.program.vars[var].ty.ty, instance)?;
        let number = self.allocate(terms, path, region, size, false)?;
        let home = self.home_cell(terms, var, instance);
        self.replace(terms, path, home, number);
        Ok(())
    }

    /// The variables of a frame begin their lives; those whose size is not known yet get an object at their
    /// declaration, which nothing can jump over.
    pub(super) fn open_frame(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        function: FnId,
        instance: u32,
    ) -> Encode<()> {
        for var in self.frames.vars[function].clone() {
            match self.regions.home(var) {
                Home::Cells(_) => {}
                Home::Object(region, number) => {
                    if !self.is_immortal(region, number) {
                        let object = self.object(terms, number);
                        self.set_alive(terms, path, region, object, true);
                    }
                }
                Home::Fresh(_)
                    if self.frames.declared.contains(&var)
                        && self.program.types.object_size(self.program.vars[var].ty.ty).is_none() =>
                {
                    let home = self.home_cell(terms, var, instance);
                    let unknown = self.object(terms, UNKNOWN);
                    self.replace(terms, path, home, unknown);
                }
                Home::Fresh(_) => self.renew(terms, path, var, instance)?,
            }
        }
        Ok(())
    }

    /// The variables of a frame end their lives.
    pub(super) fn close_frame(&mut self, terms: &mut Terms, path: &mut Path, function: FnId, instance: u32) {
        for var in self.frames.vars[function].clone() {
            self.end(terms, path, var, instance);
        }
    }

    /// A variable ends its life.
    pub(super) fn end(&mut self, terms: &mut Terms, path: &mut Path, var: VarId, instance: u32) {
        let (region, object) = match self.regions.home(var) {
            Home::Cells(_) => return,
            Home::Object(region, number) => {
                if self.is_immortal(region, number) {
                    return;
                }
                (region, self.object(terms, number))
            }
            Home::Fresh(region) => {
                let home = self.home_cell(terms, var, instance);
                (region, path.ssa.value(terms, home))
            }
        };
        if object != self.object(terms, UNKNOWN) {
            self.set_alive(terms, path, region, object, false);
        }
    }

    /// A declaration: a new life, with any contents.
    pub(super) fn declare_var(
        &mut self,
        terms: &mut Terms,
        path: &mut Path,
        var: VarId,
        instance: u32,
    ) -> Encode<()> {
        match self.regions.home(var) {
            Home::Fresh(_) => {
                self.end(terms, path, var, instance);
                self.renew(terms, path, var, instance)
            }
            // It has one life, and its contents are unknown already. A scalar still gets a value of its own, which
            // tells a run of the interpreter what it was.
            Home::Object(region, number)
                if self.is_immortal(region, number)
                    && !self.program.types.is_scalar(self.program.vars[var].ty.ty) =>
            {
                Ok(())
            }
            Home::Cells(_) | Home::Object(..) => {
                self.live_again(terms, path, var);
                let at = self.eval(terms, path, instance, |e| Ok(e.whole(var)))?;
                self.forget(terms, path, &at, false)
            }
        }
    }

    /// A variable with one object for all its lives is alive.
    fn live_again(&mut self, terms: &mut Terms, path: &mut Path, var: VarId) {
        if let Home::Object(region, number) = self.regions.home(var)
            && self.frames.expiring.contains(&var)
        {
            let object = self.object(terms, number);
            self.set_alive(terms, path, region, object, true);
        }
    }

    /// What is known of memory when the program begins.
    pub(super) fn initial_objects(&mut self, terms: &mut Terms, path: &mut Path) -> Encode<()> {
        for region in self.regions.clone().regions.indices() {
            let of = &self.regions[region];
            let (grows, mortal, mixed, first_new) =
                (of.grows, of.mortal, of.heap == Heap::Some, of.first_new());
            if grows {
                let counter = self.counter(terms, region);
                let first = self.object(terms, first_new);
                self.replace(terms, path, counter, first);
            }
            let mut none = Vec::new();
            if mortal {
                none.push(Cell::Alive(region));
            }
            if mixed {
                none.push(Cell::Heap(region));
            }
            for cell in none {
                let base = self.attribute(terms, cell);
                let zero = terms.bv(1, 0);
                let nowhere = terms.const_array(OBJECT_BITS, zero);
                self.replace(terms, path, base, nowhere);
            }
        }
        self.open_frame(terms, path, self.program.entry, 0)?;
        // Nothing points to the variables of a thread before it begins.
        for thread in self.program.threads.all.iter().skip(1) {
            self.open_frame(terms, path, thread.root, 0)?;
        }
        // What belongs to a thread is there until it ends.
        for var in self.program.globals.clone() {
            self.live_again(terms, path, var);
        }
        Ok(())
    }

    /// The object that a place in memory is in, if it is in memory.
    pub(super) fn in_memory(root: &Root) -> Option<(RegionId, TermId, TermId)> {
        match root {
            Root::Cells { .. } => None,
            Root::Memory { region, object, offset, .. } => Some((*region, *object, *offset)),
        }
    }
}
