//! Where objects lie. C does not say, but for their alignment: a program that looks at addresses may go right in one layout
//! and wrong in another, so that a hunt for bugs tries several.

use super::image::Image;
use super::memory::{ALIGN, Memory};
use tour_ir::program::{DataModel, FnId, Type, VarId};

/// How variables and functions are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// With room between variables, so that the end of one is never the beginning of another.
    #[default]
    Apart,
    /// As close together as their alignments allow, in the order of their declarations.
    Forward,
    /// As close together, in the opposite order.
    Backward,
}

impl Layout {
    /// All of them.
    pub const ALL: [Layout; 3] = [Layout::Apart, Layout::Forward, Layout::Backward];
}

/// Where the first variable of a frame, or of the static ones, begins in a close layout at the earliest: one that has to be
/// aligned to nothing is not.
const SKEW: u64 = 1;
/// The addresses of functions in a close layout are this number of bytes behind a multiple of [`ALIGN`].
const FUNCTION_SKEW: u64 = 9;

impl Image<'_> {
    /// Lays the variables and functions out in another way.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        if layout == Layout::Apart {
            return self;
        }
        let program = self.program;
        let order = |count: usize| -> Vec<usize> {
            if layout == Layout::Forward { (0..count).collect() } else { (0..count).rev().collect() }
        };
        let alignment = |var: VarId| {
            let of = &program.vars[var];
            let natural = program.types.qual_align(of.ty).unwrap_or(1).max(of.align.unwrap_or(1));
            // By the ABI of x86-64, larger arrays are aligned as if for vectors.
            let array = matches!(program.types[of.ty.ty], Type::Array(..))
                && program.types.size(of.ty.ty) >= Some(16);
            if array && program.model == DataModel::Lp64 { natural.max(ALIGN) } else { natural }
        };
        let shape = self.shape_mut();
        for frame in &mut shape.frames {
            let mut end = SKEW;
            for i in order(frame.objects.len()) {
                let object = &mut frame.objects[i];
                let Some(size) = object.size else { continue };
                object.offset = end.next_multiple_of(alignment(object.var));
                end = object.offset.saturating_add(size);
            }
            frame.size = end;
        }
        let mut end = SKEW
            + match program.model {
                DataModel::Lp64 => 0x5555_5555_8010,
                DataModel::Ilp32 => 0x8000_0010,
            };
        for i in order(shape.statics.len()) {
            let object = &mut shape.statics[i];
            if object.literal.is_none() {
                let address = end.next_multiple_of(alignment(object.var));
                object.address = Some(address);
                end = address.saturating_add(object.size.unwrap_or(0));
            }
        }
        self
    }

    /// The address of a function.
    pub(super) fn function_address(&self, function: FnId) -> u64 {
        self.functions_at() + self.function_place(function.index()) as u64 * ALIGN
    }

    /// The function at an address.
    pub(super) fn function_at(&self, address: u64) -> Option<FnId> {
        let offset = address.checked_sub(self.functions_at())?;
        let place = usize::try_from(offset / ALIGN).ok()?;
        let is_function = offset % ALIGN == 0 && place < self.program.functions.len();
        is_function.then(|| FnId::new(self.function_place(place)))
    }

    /// The place of a function among all, or the function at a place.
    fn function_place(&self, index: usize) -> usize {
        match self.layout {
            Layout::Apart | Layout::Forward => index,
            Layout::Backward => self.program.functions.len() - 1 - index,
        }
    }

    fn functions_at(&self) -> u64 {
        match (self.layout, self.program.model) {
            (Layout::Apart, _) => Memory::FUNCTIONS,
            (_, DataModel::Lp64) => 0x5555_5554_0000 + FUNCTION_SKEW,
            (_, DataModel::Ilp32) => 0x7000_0000 + FUNCTION_SKEW,
        }
    }
}
