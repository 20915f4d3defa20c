//! Cells: the variables of the formulas, and what of the program's state they stand for.

use super::{Encode, Encoder, unsupported};
use crate::regions::{Holder, Home, OBJECT_BITS, Position, RegionId, Scalar};
use smallvec::SmallVec;
use tour_ir::program::{FloatKind, FnId, Program, RecordKind, Storage, Type, TypeId, VarId};
use tour_logic::term::{BaseId, FloatSort, Sort, Terms};

/// Which part of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Part {
    /// All of it; it is no pointer.
    Value,
    /// The number of the object that a pointer points to.
    Object,
    /// How many bytes from the beginning of its object a pointer points. Where that is always 0, there is no such
    /// cell.
    Offset,
    /// Which bits of it were written: one for all, or eight for a byte. Only where checks ask for it
    /// ([`crate::regions::Written`]).
    Written,
}

/// A part of the program's state that one variable of the formulas stands for.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A scalar of a variable that is not in memory. Elements of arrays are one cell together.
    Var {
        /// The variable.
        var: VarId,
        /// Which frame of a recursive function; 0 for static storage.
        instance: u32,
        /// Fields, from the outside in. Elements are not told apart.
        fields: SmallVec<[u32; 2]>,
        /// Which part of the scalar.
        part: Part,
    },
    /// A part of the pointer that an integer variable holds.
    Origin {
        /// The variable.
        var: VarId,
        /// Which frame of a recursive function.
        instance: u32,
        /// The object or the offset.
        part: Part,
    },
    /// The number of the object that a variable is in this life.
    Home {
        /// The variable.
        var: VarId,
        /// Which frame of a recursive function.
        instance: u32,
    },
    /// Contents of memory: the scalars or bytes of a slot, by object (and offset, if there are several in an object).
    Slot {
        /// The region.
        region: RegionId,
        /// The slot.
        slot: u32,
        /// Which part of the scalars.
        part: Part,
    },
    /// The number that the next new object of a region gets.
    Counter(RegionId),
    /// The sizes of a region's new objects.
    Sizes(RegionId),
    /// 1 for objects that are alive, in a region where some die.
    Alive(RegionId),
    /// 1 for new objects that are on the heap, in a region where some are.
    Heap(RegionId),
    /// The addresses of objects as integers, which never change.
    Bases(RegionId),
    /// What a cell was when the current function was entered: summaries of functions speak of it.
    Old(Box<Cell>),
}

/// The cells of a scalar, or of an array of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The value; the object, for a pointer.
    pub base: BaseId,
    /// The offset of a pointer.
    pub offset: Option<BaseId>,
    /// Whether it was written, where that is followed.
    pub written: Option<BaseId>,
    /// The type of the scalar, or of one element.
    pub ty: TypeId,
    /// The width of a bit-field.
    pub bits: Option<u32>,
    /// It is an array of such scalars.
    pub array: bool,
    /// It is a pointer, which points into this region (into none, if it is never used).
    pub pointer: Option<Option<RegionId>>,
}

impl Cell {
    /// The function whose frame the cell is in, and which of its frames.
    pub fn frame(&self, program: &Program) -> Option<(FnId, u32)> {
        match self {
            Cell::Var { var, instance, .. }
            | Cell::Origin { var, instance, .. }
            | Cell::Home { var, instance } => program.vars[*var].function().map(|f| (f, *instance)),
            Cell::Slot { .. }
            | Cell::Counter(_)
            | Cell::Sizes(_)
            | Cell::Alive(_)
            | Cell::Heap(_)
            | Cell::Bases(_) => None,
            Cell::Old(cell) => cell.frame(program),
        }
    }

    /// The variable whose value it is a part of.
    pub fn variable(&self) -> Option<VarId> {
        match self {
            Cell::Var { var, .. } => Some(*var),
            _ => None,
        }
    }

    /// The same cell in another frame of its function.
    #[must_use]
    pub fn in_frame(&self, of: u32) -> Cell {
        let mut cell = self.clone();
        match &mut cell {
            Cell::Var { instance, .. } | Cell::Origin { instance, .. } | Cell::Home { instance, .. } => {
                *instance = of;
            }
            Cell::Slot { .. }
            | Cell::Counter(_)
            | Cell::Sizes(_)
            | Cell::Alive(_)
            | Cell::Heap(_)
            | Cell::Bases(_) => {}
            Cell::Old(cell) => **cell = cell.in_frame(of),
        }
        cell
    }
}

impl Encoder<'_> {
    /// The variable of a cell of a function's frame, in another frame of the function.
    pub fn in_frame(&mut self, terms: &mut Terms, base: BaseId, instance: u32) -> BaseId {
        let Some(cell) = self.cell_of(base).map(|cell| cell.in_frame(instance)) else { return base };
        self.alike(terms, base, cell)
    }

    /// The variable of what a cell was when the current function was entered.
    pub fn old(&mut self, terms: &mut Terms, base: BaseId) -> BaseId {
        let Some(cell) = self.cell_of(base).map(|cell| Cell::Old(Box::new(cell.clone()))) else {
            return base;
        };
        self.alike(terms, base, cell)
    }

    /// The cells whose old values were spoken of, with their variables.
    pub fn olds(&self) -> impl Iterator<Item = (BaseId, &Cell)> {
        let old = |cell: &Option<Cell>| match cell {
            Some(Cell::Old(cell)) => self.bases.get_key_value(&**cell).map(|(cell, base)| (*base, cell)),
            _ => None,
        };
        self.cells.iter().filter_map(old)
    }

    /// The variable of a cell, of the same sort as another one.
    fn alike(&mut self, terms: &mut Terms, base: BaseId, cell: Cell) -> BaseId {
        let (sort, signed) = (terms.base(base).sort, terms.base(base).signed);
        self.base(terms, cell, sort, signed)
    }

    /// The variable of a cell, if it was spoken of.
    pub fn base_of(&self, cell: &Cell) -> Option<BaseId> {
        self.bases.get(cell).copied()
    }

    /// The sort of a scalar type that is no pointer.
    pub fn sort(&self, ty: TypeId) -> Encode<Sort> {
        let types = &self.program.types;
        Ok(match &types[ty] {
            Type::Int(_) | Type::Enum(_) => match types.int_type(ty) {
                Some(int) => Sort::BitVec(int.bits),
                None => return unsupported("type", "an integer type of unknown width"),
            },
            Type::Pointer(_) => Sort::BitVec(OBJECT_BITS + self.pointer_bits()),
            Type::Float(FloatKind::Float) => Sort::Float(FloatSort::F32),
            Type::Float(FloatKind::Double) => Sort::Float(FloatSort::F64),
            Type::Float(FloatKind::LongDouble | FloatKind::Float128) => {
                return unsupported("long-double", format!("arithmetic in `{}`", self.program.show_type(ty)));
            }
            Type::Void | Type::Array(..) | Type::Record(_) | Type::Function(_) => {
                return unsupported("type", format!("a value of type `{}`", self.program.show_type(ty)));
            }
            Type::Opaque { name, .. } => return unsupported("type", format!("a value of type `{name}`")),
        })
    }

    /// Bits of a pointer in memory.
    pub(super) fn pointer_bits(&self) -> u32 {
        self.program.model.pointer_bits()
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Pointer(_))
    }

    /// The declared variable of a cell.
    pub(super) fn base(&mut self, terms: &mut Terms, cell: Cell, sort: Sort, signed: bool) -> BaseId {
        if let Some(&base) = self.bases.get(&cell) {
            return base;
        }
        let base = self.declare(terms, &self.cell_name(&cell), sort, signed);
        self.cells[base] = Some(cell.clone());
        self.bases.insert(cell, base);
        base
    }

    /// The cells of a scalar of a variable that is not in memory. `at` is where it lies.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn leaf(
        &mut self,
        terms: &mut Terms,
        var: VarId,
        instance: u32,
        fields: &SmallVec<[u32; 2]>,
        at: Position,
        ty: TypeId,
        bits: Option<u32>,
        array: bool,
    ) -> Encode<Leaf> {
        let index = self.pointer_bits();
        let arrayed = |scalar: Sort| match scalar.as_elem() {
            Some(elem) if array => Sort::Array { index, elem },
            _ => scalar,
        };
        let cell = |part: Part| Cell::Var { var, instance, fields: fields.clone(), part };
        let written = self.regions.written().is_followed(Holder::Var(var));
        let bit = arrayed(Sort::BitVec(1));
        let written = written.then(|| self.base(terms, cell(Part::Written), bit, false));
        if !self.is_pointer(ty) {
            let scalar = match bits {
                Some(bits) => Sort::BitVec(bits),
                None => self.sort(ty)?,
            };
            let signed = self.program.types.int_type(ty).is_some_and(|int| int.signed);
            let base = self.base(terms, cell(Part::Value), arrayed(scalar), signed);
            return Ok(Leaf { base, offset: None, written, ty, bits, array, pointer: None });
        }
        let (Home::Cells(home) | Home::Object(home, _) | Home::Fresh(home)) = self.regions.home(var);
        let home = &self.regions[home];
        let at = Position { size: u64::from(index), ..at };
        let content = home.slot(at, Scalar::Pointer).and_then(|slot| home.slots[slot].content);
        let base = self.base(terms, cell(Part::Object), arrayed(Sort::BitVec(OBJECT_BITS)), false);
        let moves = content.is_some_and(|region| self.regions[region].stride != 0);
        let offset = moves.then(|| self.base(terms, cell(Part::Offset), arrayed(Sort::BitVec(index)), true));
        Ok(Leaf { base, offset, written, ty, bits, array, pointer: Some(content) })
    }

    /// A name that no other cell has: `x`, `f::x`, `f::x#1.field`. The id keeps homonyms apart.
    fn cell_name(&self, cell: &Cell) -> String {
        let part = |part: Part| match part {
            Part::Value => "",
            Part::Object => ".object",
            Part::Offset => ".offset",
            Part::Written => ".written",
        };
        match cell {
            Cell::Var { var, instance, fields, part: of } => {
                self.var_name(*var, *instance, fields) + part(*of)
            }
            Cell::Origin { var, instance, part: of } => {
                format!("pointer {}{}", self.var_name(*var, *instance, &[]), part(*of))
            }
            Cell::Home { var, instance } => format!("&{}", self.var_name(*var, *instance, &[])),
            Cell::Slot { region, slot, part: of } => format!("memory{}.{slot}{}", region.index(), part(*of)),
            Cell::Counter(region) => format!("objects{}", region.index()),
            Cell::Sizes(region) => format!("size{}", region.index()),
            Cell::Alive(region) => format!("alive{}", region.index()),
            Cell::Heap(region) => format!("heap{}", region.index()),
            Cell::Bases(region) => format!("address{}", region.index()),
            Cell::Old(cell) => format!("old({})", self.cell_name(cell)),
        }
    }

    fn var_name(&self, var: VarId, instance: u32, fields: &[u32]) -> String {
        let variable = &self.program.vars[var];
        let mut name = match variable.function() {
            Some(f) => format!("{}::{}", self.program.functions[f].name, variable.name),
            None => match variable.storage {
                Storage::StaticLocal(f) => format!("{}::{}", self.program.functions[f].name, variable.name),
                _ => variable.name.clone(),
            },
        };
        name += &format!("${}", var.index());
        if instance > 0 {
            name += &format!("#{instance}");
        }
        let mut ty = variable.ty.ty;
        for &field in fields {
            while let Some((of, _)) = self.program.types.element(ty) {
                ty = of.ty;
            }
            let Type::Record(record) = &self.program.types[ty] else { break };
            let field = &self.program.types.records[*record].fields[field as usize];
            name += ".";
            name += field.name.as_deref().unwrap_or("_");
            ty = field.ty.ty;
        }
        name
    }

    /// All cells of the part `fields` of a variable, which lies at `at`; `ty` is the type of that part.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn leaves(
        &mut self,
        terms: &mut Terms,
        var: VarId,
        instance: u32,
        fields: &[u32],
        at: Position,
        ty: TypeId,
        in_array: bool,
    ) -> Encode<Vec<Leaf>> {
        let mut leaves = Vec::new();
        let mut work = vec![(SmallVec::<[u32; 2]>::from_slice(fields), at, ty, in_array, None)];
        while let Some((fields, at, ty, array, bits)) = work.pop() {
            match &self.program.types[ty] {
                Type::Array(of, _) => work.push((fields, at, of.ty, true, bits)),
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    if record.kind == RecordKind::Union && record.fields.len() > 1 {
                        return unsupported(
                            "union",
                            format!("a value of type `{}`", self.program.show_type(ty)),
                        );
                    }
                    for (i, field) in record.fields.iter().enumerate().rev() {
                        let mut fields = fields.clone();
                        fields.push(i as u32);
                        let at = at.field(field.offset * 8);
                        work.push((fields, at, field.ty.ty, array, field.bits.map(|b| b.width)));
                    }
                }
                _ => leaves.push(self.leaf(terms, var, instance, &fields, at, ty, bits, array)?),
            }
        }
        Ok(leaves)
    }

    /// All cells of a variable that is not in memory; none if it is.
    pub fn leaves_of(&mut self, terms: &mut Terms, var: VarId, instance: u32) -> Encode<Vec<Leaf>> {
        match self.regions.home(var) {
            Home::Cells(_) => {
                let ty = self.program.vars[var].ty.ty;
                self.leaves(terms, var, instance, &[], Position::START, ty, false)
            }
            Home::Object(..) | Home::Fresh(_) => Ok(Vec::new()),
        }
    }
}
