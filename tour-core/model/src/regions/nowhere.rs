//! Pointers that nothing ever sets: what is taken for granted of them where accesses are not checked.

use super::Regions;
use tour_ir::program::{Assumption, ExprKind, PlaceKind, Program};

/// What a proof takes for granted if accesses are not checked: that to follow a pointer which no object's address goes to
/// reads some value, changes no object of the program, or ends the run (see [`super::Region::is_nowhere`]).
pub fn taken_for_granted(program: &Program) -> Option<Assumption> {
    let followed = || {
        program.places.iter().filter_map(|place| match place.kind {
            PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
                ExprKind::AddrOf(_) => None,
                _ => Some((pointer, place.span)),
            },
            _ => None,
        })
    };
    followed().next()?;
    let regions = Regions::of(program);
    let nowhere = |pointer| regions.pointee(pointer).is_some_and(|region| regions[region].is_nowhere());
    let (_, span) = followed().find(|(pointer, _)| nowhere(*pointer))?;
    let text = "through a pointer that the program never sets, to read gives any value and to write changes nothing else, or \
                the run ends";
    Some(Assumption { text: text.into(), span })
}
