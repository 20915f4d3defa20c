//! Values to test with: the same at all inputs first, then a mixture of boundary values, small ones, values near those
//! that were drawn already, and any.

/// The values of one run.
pub(super) struct Drawn {
    number: u64,
    random: Random,
    /// What was drawn in this run.
    seen: Vec<u128>,
}

impl Drawn {
    /// The run of a number: it is the same each time.
    pub(super) fn new(number: u64) -> Drawn {
        Drawn {
            number,
            random: Random(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x7463_6f75_7221),
            seen: Vec::new(),
        }
    }

    /// The next value; bits above the width are to be cut off.
    pub(super) fn next(&mut self, width: u32, signed: bool) -> u128 {
        let bits = match CORNERS.get(self.number as usize) {
            Some(corner) => corner(width, signed),
            None => self.mixed(width, signed),
        };
        self.seen.push(bits);
        bits
    }

    fn mixed(&mut self, width: u32, signed: bool) -> u128 {
        match self.random.below(10) {
            0 | 1 => CORNERS[self.random.below(CORNERS.len() as u64) as usize](width, signed),
            2 | 3 => u128::from(self.random.below(17)),
            // Equal values are rare among random ones, and many claims are about them.
            4 if !self.seen.is_empty() => {
                let near = self.seen[self.random.below(self.seen.len() as u64) as usize];
                near.wrapping_add(u128::from(self.random.below(3))).wrapping_sub(1)
            }
            5 => {
                let power = 1u128 << self.random.below(u64::from(width));
                power.wrapping_add(u128::from(self.random.below(3))).wrapping_sub(1)
            }
            // Of any magnitude; minus that, sometimes.
            6 | 7 => {
                let value = self.random.bits() >> (127 - self.random.below(u64::from(width)));
                if signed && self.random.below(2) == 0 {
                    value.wrapping_neg()
                } else {
                    value
                }
            }
            _ => self.random.bits(),
        }
    }
}

type Corner = fn(u32, bool) -> u128;

/// Zero, one, the largest, the smallest, all bits, and neighbours of the largest and the smallest.
const CORNERS: [Corner; 7] = [
    |_, _| 0,
    |_, _| 1,
    largest,
    |width, signed| largest(width, signed).wrapping_add(1),
    |_, _| u128::MAX,
    |width, signed| largest(width, signed).wrapping_sub(1),
    |width, signed| largest(width, signed).wrapping_add(2),
];

fn largest(width: u32, signed: bool) -> u128 {
    u128::MAX >> (128 - width + u32::from(signed && width > 1))
}

/// splitmix64: small, and good enough to test with.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bits(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn drawn(width: u32, signed: bool) -> Vec<u128> {
        let mask = u128::MAX >> (128 - width);
        (0..2000).map(|number| Drawn::new(number).next(width, signed) & mask).collect()
    }

    #[test]
    fn boundaries_come_first() {
        assert_eq!(drawn(8, false)[..7], [0, 1, 255, 0, 255, 254, 1]);
        assert_eq!(drawn(8, true)[..7], [0, 1, 0x7f, 0x80, 0xff, 0x7e, 0x81]);
        assert_eq!(drawn(1, false)[..3], [0, 1, 1]);
        assert_eq!(drawn(128, true)[2], i128::MAX as u128);
    }

    #[test]
    fn values_are_many() {
        let all: BTreeSet<u128> = drawn(8, false).into_iter().collect();
        assert!(all.len() > 220, "{}", all.len());
        let wide: BTreeSet<u128> = drawn(64, false).into_iter().collect();
        assert!(wide.len() > 1000, "{}", wide.len());
        assert_eq!(drawn(64, true), drawn(64, true), "the same each time");
    }

    #[test]
    fn equal_values_are_drawn() {
        let equal = (0..1000).filter(|number| {
            let mut drawn = Drawn::new(100 + number);
            drawn.next(64, false) == drawn.next(64, false)
        });
        assert!(equal.count() > 20);
    }
}
