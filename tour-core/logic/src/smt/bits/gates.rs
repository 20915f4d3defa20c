//! Circuits: gates over literals, each made once.
//!
//! A gate is found again by its kind and inputs, which are brought into a canonical form first; constants and plain
//! repetitions fold away. Nothing is sent to a SAT solver here: see [`super::cnf`].

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Not;

/// The output of a gate, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Lit(u32);

impl Lit {
    pub const NO: Lit = Lit(0);
    pub const YES: Lit = Lit(1);

    pub fn constant(value: bool) -> Lit {
        if value { Lit::YES } else { Lit::NO }
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The gate.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if so.
    pub fn negate_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }

    fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What computes a literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// The constant `false`: the first gate.
    Constant,
    /// Anything.
    Input,
    And(Lit, Lit),
    /// A conjunction of three or more, see [`Gates::wide`].
    Wide(u32),
    /// `a != b`; inputs are positive.
    Xor(Lit, Lit),
    /// An odd number of three; inputs are positive.
    Xor3(Lit, Lit, Lit),
    /// `a ? b : c`; `a` and `b` are positive.
    Ite(Lit, Lit, Lit),
    /// At least two of three; at most one is negated.
    Majority(Lit, Lit, Lit),
}

/// All gates.
pub struct Gates {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, u32>,
    wide: Vec<Box<[Lit]>>,
    known_wide: FxHashMap<Box<[Lit]>, u32>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates {
            gates: vec![Gate::Constant],
            known: FxHashMap::default(),
            wide: Vec::new(),
            known_wide: FxHashMap::default(),
        }
    }
}

impl Gates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// The gate with an index, see [`Lit::node`].
    pub fn gate(&self, node: usize) -> Gate {
        self.gates[node]
    }

    /// The inputs of a wide conjunction.
    pub fn wide(&self, index: u32) -> &[Lit] {
        &self.wide[index as usize]
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Lit {
        let node = self.gates.len() as u32;
        assert!(node < u32::MAX >> 2, "a circuit of a billion gates");
        self.gates.push(gate);
        Lit(node << 1)
    }

    fn find(&mut self, gate: Gate) -> Lit {
        if let Some(&node) = self.known.get(&gate) {
            return Lit(node << 1);
        }
        let lit = self.push(gate);
        self.known.insert(gate, lit.node() as u32);
        lit
    }

    /// The inputs of a conjunction of two, if a literal is one.
    fn parts(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.gates[lit.node()] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// `a && b`
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::NO, _) => return Lit::NO,
            (Lit::YES, _) => return b,
            _ if a == b => return a,
            _ if a == !b => return Lit::NO,
            _ => {}
        }
        // One of the two is a conjunction that has the other, or its negation, in it.
        for (one, other) in [(a, b), (b, a)] {
            let Some((x, y)) = self.parts(other) else { continue };
            match other.is_negated() {
                false if x == one || y == one => return other,
                false if x == !one || y == !one => return Lit::NO,
                true if x == one => return self.and(one, !y),
                true if y == one => return self.and(one, !x),
                true if x == !one || y == !one => return one,
                _ => {}
            }
        }
        self.find(Gate::And(a, b))
    }

    /// `a || b`
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of all.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut all: SmallVec<[Lit; 16]> = lits.into_iter().filter(|lit| *lit != Lit::YES).collect();
        all.sort_unstable();
        all.dedup();
        // A literal and its negation are neighbours.
        if all.first() == Some(&Lit::NO) || all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::NO;
        }
        match all[..] {
            [] => Lit::YES,
            [one] => one,
            [a, b] => self.and(a, b),
            _ => {
                if let Some(&node) = self.known_wide.get(&all[..]) {
                    return Lit(node << 1);
                }
                let lit = self.push(Gate::Wide(self.wide.len() as u32));
                self.wide.push(all[..].into());
                self.known_wide.insert(all[..].into(), lit.node() as u32);
                lit
            }
        }
    }

    /// The disjunction of all.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(lits.into_iter().map(|lit| !lit))
    }

    /// `a != b`
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        let positive = match (a, b) {
            (Lit::NO, _) => b,
            _ if a == b => Lit::NO,
            _ => self.find(Gate::Xor(a, b)),
        };
        positive.negate_if(negate)
    }

    /// `a == b`
    pub fn same(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// Whether an odd number of three is true: the sum of a full adder.
    pub fn xor3(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let negate = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut lits = [a.positive(), b.positive(), c.positive()];
        lits.sort_unstable();
        let [a, b, c] = lits;
        let positive = if a == Lit::NO {
            self.xor(b, c)
        } else if a == b {
            c
        } else if b == c {
            a
        } else {
            self.find(Gate::Xor3(a, b, c))
        };
        positive.negate_if(negate)
    }

    /// Whether at least two of three are true: the carry of a full adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut lits = [a, b, c];
        lits.sort_unstable();
        let [a, b, c] = lits;
        if a == Lit::NO {
            return self.and(b, c);
        } else if a == Lit::YES {
            return self.or(b, c);
        } else if a == b || b == !c {
            return a;
        } else if a == !b || b == c {
            return c;
        }
        // The negation of all negates the result.
        let negate = lits.iter().filter(|lit| lit.is_negated()).count() >= 2;
        let [a, b, c] = lits.map(|lit| lit.negate_if(negate));
        self.find(Gate::Majority(a, b, c)).negate_if(negate)
    }

    /// `cond ? yes : no`
    pub fn ite(&mut self, cond: Lit, yes: Lit, no: Lit) -> Lit {
        let (cond, yes, no) = if cond.is_negated() { (!cond, no, yes) } else { (cond, yes, no) };
        if cond == Lit::NO {
            return no;
        } else if yes == no {
            return yes;
        } else if yes == !no {
            return self.same(cond, yes);
        } else if yes == Lit::YES || yes == cond {
            return self.or(cond, no);
        } else if yes == Lit::NO || yes == !cond {
            return self.and(!cond, no);
        } else if no == Lit::NO || no == cond {
            return self.and(cond, yes);
        } else if no == Lit::YES || no == !cond {
            return self.or(!cond, yes);
        }
        // A choice within a choice by the same condition.
        if let Gate::Ite(inner, _, other) = self.gates[no.node()]
            && inner == cond
        {
            return self.ite(cond, yes, other.negate_if(no.is_negated()));
        }
        if let Gate::Ite(inner, other, _) = self.gates[yes.node()]
            && inner == cond
        {
            return self.ite(cond, other.negate_if(yes.is_negated()), no);
        }
        let negate = yes.is_negated();
        self.find(Gate::Ite(cond, yes.negate_if(negate), no.negate_if(negate))).negate_if(negate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a literal for values of the inputs.
    fn eval(gates: &Gates, lit: Lit, inputs: &[(Lit, bool)]) -> bool {
        let value = |lit: Lit| eval(gates, lit, inputs);
        let positive = match gates.gate(lit.node()) {
            Gate::Constant => false,
            Gate::Input => inputs.iter().any(|(input, value)| input.node() == lit.node() && *value),
            Gate::And(a, b) => value(a) && value(b),
            Gate::Wide(index) => gates.wide(index).iter().all(|lit| value(*lit)),
            Gate::Xor(a, b) => value(a) ^ value(b),
            Gate::Xor3(a, b, c) => value(a) ^ value(b) ^ value(c),
            Gate::Ite(a, b, c) => {
                if value(a) {
                    value(b)
                } else {
                    value(c)
                }
            }
            Gate::Majority(a, b, c) => u8::from(value(a)) + u8::from(value(b)) + u8::from(value(c)) >= 2,
        };
        positive != lit.is_negated()
    }

    #[test]
    fn gates_compute_what_they_are_named_for() {
        let mut gates = Gates::default();
        let inputs: Vec<Lit> = (0..3).map(|_| gates.input()).collect();
        let (x, y) = (inputs[0], inputs[1]);
        // Whatever the arguments are: constants, inputs, gates, negated or not, equal or not.
        let (both, chosen) = (gates.and(x, y), gates.ite(inputs[2], x, y));
        let plain = [Lit::NO, x, y, inputs[2], both, chosen];
        let some: Vec<Lit> = plain.iter().flat_map(|lit| [*lit, !*lit]).collect();
        for (&a, &b, &c) in some
            .iter()
            .flat_map(|a| some.iter().map(move |b| (a, b)))
            .flat_map(|(a, b)| some.iter().map(move |c| (a, b, c)))
        {
            let made = [
                gates.and(a, b),
                gates.or(a, b),
                gates.xor(a, b),
                gates.and_all([a, b, c]),
                gates.or_all([a, b, c]),
                gates.xor3(a, b, c),
                gates.majority(a, b, c),
                gates.ite(a, b, c),
            ];
            for code in 0..8 {
                let values: Vec<(Lit, bool)> =
                    inputs.iter().enumerate().map(|(i, l)| (*l, code >> i & 1 == 1)).collect();
                let [u, v, w] = [a, b, c].map(|lit| eval(&gates, lit, &values));
                let two = [u, v, w].iter().filter(|value| **value).count() >= 2;
                let want =
                    [u && v, u || v, u != v, u && v && w, u || v || w, u ^ v ^ w, two, if u { v } else { w }];
                let found = made.map(|lit| eval(&gates, lit, &values));
                assert_eq!(found, want, "{a:?} {b:?} {c:?}");
            }
        }
    }

    #[test]
    fn equal_gates_are_one() {
        let mut gates = Gates::default();
        let (a, b, c) = (gates.input(), gates.input(), gates.input());
        assert_eq!(gates.and(a, b), gates.and(b, a));
        assert_eq!(gates.xor(a, !b), !gates.xor(b, a));
        assert_eq!(gates.majority(!a, !b, !c), !gates.majority(c, b, a));
        assert_eq!(gates.ite(!a, b, c), gates.ite(a, c, b));
        assert_eq!(gates.ite(a, !b, !c), !gates.ite(a, b, c));
        assert_eq!(gates.and_all([a, b, c]), gates.and_all([c, b, a, b]));
    }
}
