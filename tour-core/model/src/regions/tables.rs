//! Tables: constants whose bytes are known and that nothing but reads of numbers looks at.
//!
//! What is read from one is chosen by the bits of the index, and needs no array: solvers are good at that, and bad at
//! arrays that begin with hundreds of stores.

use super::{Home, Known, Position, RegionId, Regions, Scalar, position};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tour_ir::program::{ExprKind, Program, Storage, Type, TypeId, VarId};
use tour_logic::term::{TermId, Terms};

/// Larger constants are arrays.
/// The shape of regions: the checker of evidence must get the same.
const MAX_BYTES: usize = 1 << 14;
/// Regions with more constants are arrays.
/// The same.
const MAX_OBJECTS: usize = 64;

/// The bytes of constants.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    regions: FxHashMap<RegionId, Vec<Arc<[u8]>>>,
    vars: FxHashMap<VarId, Arc<[u8]>>,
}

impl Tables {
    pub fn of(program: &Program, regions: &Regions) -> Tables {
        let mut tables = Tables::default();
        for (id, region) in regions.regions.iter_enumerated() {
            let numbers = region.positions.iter().all(|(at, kind, _)| {
                *kind == Scalar::Bits && [at.first, at.size, at.step].iter().all(|bits| bits % 8 == 0)
            });
            let constant = region.constants == region.known.len() as u64 && !region.grows;
            if !constant || !numbers || region.known.is_empty() || region.known.len() > MAX_OBJECTS {
                continue;
            }
            let images = region.known.iter().map(|(known, _)| match known {
                Known::Var(var) => image(program, *var),
                Known::Function(_) => None,
            });
            if let Some(images) = images.collect::<Option<Vec<_>>>() {
                tables.regions.insert(id, images);
            }
        }
        let mut constants: Vec<VarId> = (program.globals.iter().copied())
            .filter(|var| {
                program.vars[*var].is_constant(&program.types) && matches!(regions.home(*var), Home::Cells(_))
            })
            .collect();
        constants.retain(|var| rows(program, program.vars[*var].ty.ty).is_some());
        if !constants.is_empty() {
            let copied = copied(program);
            for var in constants.into_iter().filter(|var| !copied.contains(var)) {
                if let Some(image) = image(program, var) {
                    tables.vars.insert(var, image);
                }
            }
        }
        tables
    }
}

fn image(program: &Program, var: VarId) -> Option<Arc<[u8]>> {
    if program.vars[var].storage == (Storage::Global { defined: false }) {
        return None;
    }
    program.initial_bytes(var).filter(|bytes| !bytes.is_empty() && bytes.len() <= MAX_BYTES).map(Arc::from)
}

/// The size of the rows of a table: it is an array of numbers, or of records of numbers, of any dimension.
fn rows(program: &Program, mut ty: TypeId) -> Option<u64> {
    program.types.element(ty)?;
    while let Some((of, _)) = program.types.element(ty) {
        ty = of.ty;
    }
    let number = |ty: TypeId| program.types.int_type(ty).is_some();
    let numbers = match &program.types[ty] {
        Type::Record(id) => {
            let record = &program.types.records[*id];
            record.kind == tour_ir::program::RecordKind::Struct
                && record.fields.iter().all(|field| field.bits.is_none() && number(field.ty.ty))
        }
        _ => number(ty),
    };
    program.types.size(ty).filter(|_| numbers)
}

/// Variables that are copied as wholes, or parts of them that are no scalars.
fn copied(program: &Program) -> FxHashSet<VarId> {
    let loads = program.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Load(place) if !program.types.is_scalar(expr.ty) => Regions::root(program, place),
        _ => None,
    });
    loads.collect()
}

/// What is read from a constant: value `i` at `first + i * step`, in bytes.
struct Column {
    first: u64,
    step: u64,
    values: Vec<u128>,
}

fn column(image: &[u8], first: u64, step: u64, bytes: u64) -> Column {
    let mut values = Vec::new();
    let mut at = first;
    while let Some(value) =
        usize::try_from(at).ok().and_then(|at| image.get(at..at + usize::try_from(bytes).ok()?))
    {
        values.push(value.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte)));
        at += step.max(1);
    }
    Column { first, step: step.max(1), values }
}

impl Regions {
    /// All objects of the region are tables.
    pub fn is_table(&self, region: RegionId) -> bool {
        self.tables.regions.contains_key(&region)
    }

    /// The variable is a table.
    pub fn is_table_variable(&self, var: VarId) -> bool {
        self.tables.vars.contains_key(&var)
    }

    /// The bits of a number that is read from a table in memory, in a valid access.
    pub fn read_table(
        &self,
        terms: &mut Terms,
        region: RegionId,
        at: Position,
        (object, offset): (TermId, TermId),
    ) -> Option<TermId> {
        let images = self.tables.regions.get(&region)?;
        let bytes = at.size / 8;
        let stride = self[region].stride * 8;
        let step = position::gcd(at.step, stride) / 8;
        let (mut first, mut step) = match step {
            0 => (at.first / 8, 0),
            _ if stride == 0 => (at.first / 8, step),
            _ => (at.first / 8 % step, step),
        };
        // Bits of the offset choose: others than powers of two are taken byte by byte.
        if step != 0 && (!step.is_power_of_two() || first >= step) {
            (first, step) = (0, 1);
        }
        let mut found: Option<TermId> = None;
        for (i, image) in images.iter().enumerate().rev() {
            let column = match step {
                0 => {
                    let mut column = column(image, first, 1, bytes);
                    column.values.truncate(1);
                    column
                }
                _ => column(image, first, step, bytes),
            };
            let values: Vec<TermId> =
                column.values.iter().map(|value| terms.bv(at.size as u32, *value)).collect();
            if values.is_empty() {
                continue;
            }
            let low = column.step.trailing_zeros();
            debug_assert!(column.first < column.step || values.len() == 1);
            let value = lookup(terms, offset, low, &values);
            found = Some(match found {
                None => value,
                Some(others) => {
                    let number = terms.bv(super::OBJECT_BITS, u128::from(super::FIRST + i as u64));
                    let this = terms.eq(object, number);
                    terms.ite(this, value, others)
                }
            });
        }
        found
    }

    /// The bits of a number in a table that is made of cells: which element, counted over all dimensions, and where in
    /// it.
    pub fn read_table_variable(
        &self,
        terms: &mut Terms,
        program: &Program,
        var: VarId,
        field: u64,
        size: u64,
        index: TermId,
    ) -> Option<TermId> {
        let image = self.tables.vars.get(&var)?;
        let row = rows(program, program.vars[var].ty.ty)?;
        let values = column(image, field, row, size / 8).values;
        let values: Vec<TermId> = values.iter().map(|value| terms.bv(size as u32, *value)).collect();
        (!values.is_empty()).then(|| lookup(terms, index, 0, &values))
    }
}

/// The value whose number is `index >> low`; any, if there is none.
fn lookup(terms: &mut Terms, index: TermId, low: u32, values: &[TermId]) -> TermId {
    let mut level = values.to_vec();
    let mut bit = low;
    let one = terms.bv(1, 1);
    while level.len() > 1 {
        let chosen = terms.extract(index, bit, bit);
        let upper = terms.eq(chosen, one);
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [below, above] => terms.ite(upper, above, below),
                _ => pair[0],
            })
            .collect();
        bit += 1;
    }
    level[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tour_c::LoadOptions;
    use tour_c::front::Input;
    use tour_c::load;
    use tour_ir::program::DataModel;

    /// Whether the variable `t` is looked up, alone or with all of its region.
    fn check(text: &str, expect: bool) {
        let program =
            load(&[Input::text("a.i", text)], &LoadOptions::new(DataModel::Lp64)).expect("a program");
        let regions = Regions::of(&program);
        let var = program.vars.iter_enumerated().find(|(_, var)| var.name == "t").expect("a variable").0;
        let found = match regions.home(var) {
            Home::Cells(_) => regions.is_table_variable(var),
            Home::Object(region, _) | Home::Fresh(region) => regions.is_table(region),
        };
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn what_is_a_table() {
        check("static const int t[3] = { 1, 2, 3 }; int main(void) { int i = 1; return t[i]; }", true);
        check(
            "static const int t[3] = { 1, 2, 3 }; int f(const int *p) { return p[1]; } int main(void) { return f(t); }",
            true,
        );
        check("static int t[3] = { 1, 2, 3 }; int main(void) { int i = 1; return t[i]; }", false);
        check("extern const int t[3]; int main(void) { int i = 1; return t[i]; }", false);
        check(
            "int x; static int *const t[2] = { &x, 0 }; int main(void) { int i = 1; return t[i] == 0; }",
            false,
        );
        // Pointers to others are compared with those to it.
        check(
            "static const int t[3] = { 1, 2, 3 }; int main(int n) { int x = 4; const int *p = n ? t : &x; return *p; }",
            false,
        );
    }

    #[test]
    fn bits_of_the_index_choose() {
        let mut terms = Terms::new();
        let values: Vec<TermId> = (0..5).map(|i| terms.bv(32, 10 + i)).collect();
        for (i, &value) in values.iter().enumerate() {
            let index = terms.bv(64, 4 * i as u128);
            assert_eq!(lookup(&mut terms, index, 2, &values), value);
        }
    }
}
