//! Checks proofs that clauses are not satisfiable together: each step is a clause that follows from others by unit
//! propagation, in the order that the step names; the last one is empty.
//!
//! Proofs are in the binary form of FRAT [FRAT]: a letter, the number of a clause, its literals, and, behind `l`, the
//! numbers of clauses from which it follows.

use rustc_hash::FxHashMap;

/// Does the proof show that the clauses are not satisfiable together? An error says why not.
pub fn check(clauses: &[Vec<i32>], proof: &[u8]) -> Result<(), &'static str> {
    let mut checker = Checker::default();
    let mut given = clauses.iter();
    let mut rest = Reader { bytes: proof };
    while let Some(step) = rest.byte() {
        let id = rest.number()?;
        let literals = rest.literals()?;
        match step {
            b'o' => {
                let clause = given.next().filter(|clause| set(clause) == set(&literals));
                checker.known.insert(id, clause.ok_or("a clause that was not given")?.clone());
            }
            b'a' => {
                checker.follows(&literals, &rest.hints()?)?;
                if literals.is_empty() {
                    return Ok(());
                }
                checker.known.insert(id, literals);
            }
            b'd' => _ = checker.known.remove(&id),
            b'f' => {}
            _ => return Err("an unknown step"),
        }
    }
    Err("the empty clause is not derived")
}

/// The literals of a clause, in one order, each once.
fn set(clause: &[i32]) -> Vec<i32> {
    let mut all = clause.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// Clauses that are given or were derived.
#[derive(Default)]
struct Checker {
    known: FxHashMap<u64, Vec<i32>>,
    /// Literals that are assigned, by variable: whether it is true.
    values: FxHashMap<i32, bool>,
}

impl Checker {
    /// If no literal of the clause is true, some known clause has no literal that can be: these clauses say so, each of
    /// which leaves one literal or none.
    fn follows(&mut self, clause: &[i32], hints: &[u64]) -> Result<(), &'static str> {
        self.values.clear();
        for literal in clause {
            if self.values.insert(literal.abs(), *literal < 0) == Some(*literal > 0) {
                return Ok(());
            }
        }
        for hint in hints {
            let premise = self.known.get(hint).ok_or("an unknown clause is used")?;
            let mut open = premise.iter().filter(|l| self.values.get(&l.abs()) != Some(&(**l < 0)));
            match (open.next(), open.next()) {
                (None, _) => return Ok(()),
                (Some(unit), None) => _ = self.values.insert(unit.abs(), *unit > 0),
                (Some(_), Some(_)) => return Err("a clause that is used leaves two literals"),
            }
        }
        Err("a clause does not follow")
    }
}

/// Reads a proof.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self) -> Result<u64, &'static str> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte().ok_or("the proof is cut off")?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number is too large")
    }

    /// Up to a zero.
    fn literals(&mut self) -> Result<Vec<i32>, &'static str> {
        let mut all = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(all),
                code => {
                    let variable = i32::try_from(code / 2).map_err(|_| "a number is too large")?;
                    all.push(if code % 2 == 0 { variable } else { -variable });
                }
            }
        }
    }

    /// The numbers of clauses, each doubled, up to a zero.
    fn hints(&mut self) -> Result<Vec<u64>, &'static str> {
        if self.byte() != Some(b'l') {
            return Err("a step without a reason");
        }
        let mut all = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(all),
                code => all.push(code / 2),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cadical::refute;
    use super::*;
    use tour_ir::limits::Interrupt;

    /// No two of `n + 1` pigeons are in one of `n` holes.
    fn pigeons(n: i32) -> Vec<Vec<i32>> {
        let at = |pigeon: i32, hole: i32| pigeon * n + hole + 1;
        let mut clauses: Vec<Vec<i32>> = (0..=n).map(|p| (0..n).map(|h| at(p, h)).collect()).collect();
        for hole in 0..n {
            for second in 0..=n {
                clauses.extend((0..second).map(|first| vec![-at(first, hole), -at(second, hole)]));
            }
        }
        clauses
    }

    #[test]
    fn proofs_hold_of_their_clauses_alone() {
        let none: Vec<Vec<i32>> = vec![vec![1], vec![2, -1], vec![-2, -2]];
        for clauses in [none, pigeons(2), pigeons(6)] {
            let proof = refute(&Interrupt::default(), &clauses, 20_000).expect("a proof");
            assert_eq!(check(&clauses, &proof), Ok(()));
            assert_eq!(check(&clauses[1..], &proof), Err("a clause that was not given"));
        }
    }

    #[test]
    fn there_is_no_proof_of_what_is_satisfiable() {
        let mut clauses = pigeons(4);
        clauses.pop();
        assert_eq!(refute(&Interrupt::default(), &clauses, 20_000), None);
    }

    #[test]
    fn steps_are_checked() {
        let clauses = [vec![1, 2], vec![1, -2], vec![-1, 2], vec![-1, -2]];
        // A step of a proof: letter, number, literals, reasons.
        let step = |letter: u8, id: u8, literals: &[i32], reasons: &[u8]| {
            let mut bytes = vec![letter, id];
            bytes.extend(literals.iter().map(|l| 2 * l.unsigned_abs() as u8 + u8::from(*l < 0)));
            bytes.push(0);
            if letter == b'a' {
                bytes.push(b'l');
                bytes.extend(reasons.iter().map(|id| 2 * id));
                bytes.push(0);
            }
            bytes
        };
        let given: Vec<u8> =
            clauses.iter().zip(1..).flat_map(|(clause, id)| step(b'o', id, clause, &[])).collect();
        let holds = |steps: &[Vec<u8>]| check(&clauses, &[&given[..], &steps.concat()].concat());
        let one = step(b'a', 5, &[1], &[1, 2]);
        assert_eq!(holds(&[one.clone(), step(b'a', 6, &[], &[5, 3, 4])]), Ok(()));
        let cases = [
            (vec![], "the empty clause is not derived"),
            (vec![one.clone()], "the empty clause is not derived"),
            (vec![step(b'a', 5, &[1], &[1])], "a clause does not follow"),
            (vec![step(b'a', 5, &[], &[1, 2])], "a clause that is used leaves two literals"),
            (vec![step(b'a', 5, &[], &[7])], "an unknown clause is used"),
            (
                vec![one.clone(), step(b'd', 5, &[1], &[]), step(b'a', 6, &[], &[5])],
                "an unknown clause is used",
            ),
            (vec![step(b'o', 5, &[1], &[])], "a clause that was not given"),
            (vec![step(b'x', 5, &[1], &[])], "an unknown step"),
            (vec![one[..3].to_vec()], "the proof is cut off"),
        ];
        for (steps, why) in cases {
            assert_eq!(holds(&steps), Err(why));
        }
    }
}
