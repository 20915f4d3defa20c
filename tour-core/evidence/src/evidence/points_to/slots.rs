//! Accesses that may touch the same bits share a slot, and the slot tells the truth about them.

use tour_model::regions::{Layout, Position, Region, Regions, Scalar};

/// `bits` is the size of a pointer.
pub(super) fn check(regions: &Regions, bits: u64) -> Result<(), String> {
    for (id, region) in regions.regions.iter_enumerated() {
        let all = region.positions();
        for (i, (a, kind, slot)) in all.iter().enumerate() {
            let of = region.slots.get(*slot as usize).ok_or("an access without a slot")?;
            if let Layout::Typed(scalar, size) = of.layout
                && (scalar != *kind || size != a.size)
            {
                return Err(format!("{id:?}: a slot has another type than an access"));
            }
            if of.layout == Layout::Word && (*kind == Scalar::Float || a.size != bits) {
                return Err(format!("{id:?}: a word has another size than an access"));
            }
            if of.layout == Layout::Bytes && *kind == Scalar::Pointer {
                return Err(format!("{id:?}: a pointer is kept as bytes"));
            }
            if of.single.is_some_and(|first| region.stride != 0 || a.step != 0 || a.first != first) {
                return Err(format!("{id:?}: a slot has more than one element"));
            }
            for (b, other_kind, other) in &all[i + 1..] {
                match meet(*a, *b, region.stride * 8) {
                    Meet::Never => {}
                    _ if slot != other => {
                        return Err(format!("{id:?}: accesses to the same bits are in different slots"));
                    }
                    Meet::Whole if kind == other_kind => {}
                    Meet::Whole if of.layout == Layout::Word => {}
                    _ if matches!(of.layout, Layout::Typed(..) | Layout::Word) => {
                        return Err(format!("{id:?}: accesses overlap in a typed slot"));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// The access is one that the slots were made for, or it touches nothing that any other does.
pub(super) fn knows(region: &Region, at: Position, scalar: Scalar) -> bool {
    let all = region.positions();
    all.iter().any(|(p, kind, _)| *p == at && *kind == scalar)
        || all.iter().all(|(p, _, _)| meet(*p, at, region.stride * 8) == Meet::Never)
}

/// Two accesses to objects of one region may have bits in common. `stride` is in bits.
pub(in crate::evidence) fn touch(a: Position, b: Position, stride: u64) -> bool {
    meet(a, b, stride) != Meet::Never
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meet {
    Never,
    /// In all bits, or in none.
    Whole,
    Partly,
}

/// The first bits of an access are `first + k·step`, up to `last`, from a pointer that is a multiple of `stride` bits
/// into its object.
fn meet(a: Position, b: Position, stride: u64) -> Meet {
    if a.size == 0 || b.size == 0 {
        return Meet::Never;
    }
    let unit = [a.step, b.step, stride].into_iter().fold(0, gcd);
    if unit == 0 {
        let apart = a.first.saturating_add(a.size) <= b.first || b.first.saturating_add(b.size) <= a.first;
        return match apart {
            true => Meet::Never,
            false if (a.first, a.size) == (b.first, b.size) => Meet::Whole,
            false => Meet::Partly,
        };
    }
    // As remainders: the bits of one begin where those of the other have ended, and the other way round.
    let (x, y) = (a.first % unit, b.first % unit);
    let ahead = (y + unit - x) % unit;
    if ahead >= a.size && unit - ahead >= b.size {
        return Meet::Never;
    }
    let from_to = |p: Position| Some((p.first, p.last.checked_add(p.size).filter(|_| p.last != u64::MAX)?));
    let never = match (from_to(a), from_to(b), stride) {
        (Some((a, a_end)), Some((b, b_end)), 0) => a_end <= b || b_end <= a,
        (Some((_, end)), None, 0) => end <= b.first,
        (None, Some((_, end)), 0) => end <= a.first,
        // Both stay in their own part of one period.
        (Some((a, a_end)), Some((b, b_end)), _) => {
            let ((a, a_end), (b, b_end)) =
                ((a % stride, a % stride + (a_end - a)), (b % stride, b % stride + (b_end - b)));
            a_end <= stride && b_end <= stride && (a_end <= b || b_end <= a)
        }
        _ => false,
    };
    match never {
        true => Meet::Never,
        false if ahead == 0 && a.size == b.size && a.size <= unit => Meet::Whole,
        false => Meet::Partly,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying all positions.
    fn meets(a: Position, b: Position, stride: u64) -> bool {
        let firsts = |p: Position| (p.first..=p.last).step_by(p.step.max(1) as usize).collect::<Vec<_>>();
        let moved: Vec<u64> = if stride == 0 { vec![0] } else { (0..8).map(|k| k * stride).collect() };
        firsts(a).iter().any(|x| {
            firsts(b).iter().any(|y| {
                moved.iter().any(|i| {
                    moved.iter().any(|j| {
                        let (x, y) = (x + i, y + j);
                        x < y + b.size && y < x + a.size
                    })
                })
            })
        })
    }

    #[test]
    fn what_meets_is_seen_to_meet() {
        let positions = || {
            let firsts = [0u64, 8, 16, 32, 40, 64];
            let steps = [(0u64, 0u64), (8, 3), (32, 2), (64, 1)];
            firsts.into_iter().flat_map(move |first| {
                steps.into_iter().flat_map(move |(step, count)| {
                    [8, 16, 32].map(|size| Position { first, last: first + step * count, step, size })
                })
            })
        };
        for stride in [0, 8, 32, 64, 96] {
            for a in positions() {
                for b in positions() {
                    if meet(a, b, stride) == Meet::Never {
                        assert!(!meets(a, b, stride), "{a:?} {b:?} {stride}");
                    }
                }
            }
        }
    }
}
