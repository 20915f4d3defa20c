//! From words of bits to integers.

use super::arrays;
use super::linear::Linear;
use crate::term::{Op, Sort, Symbol, TermId, Terms};
use rustc_hash::FxHashMap;

/// Wider words are not looked at.
/// Their arithmetic is that of `i128`.
const MAX_BITS: u32 = 64;

/// What a term is among the integers.
#[derive(Clone)]
enum View {
    Bool(TermId),
    /// A word, modulo the power of two of its width.
    Word(Linear),
    /// Something else: an array, a float, a word that is too wide.
    Beyond,
}

/// A conjunction about integers.
pub struct Question {
    /// The formulas that were asked for, in order.
    pub formulas: Vec<TermId>,
    /// What holds for their variables: ranges, and what is read from arrays.
    pub facts: Vec<TermId>,
}

/// The integers to an arena of terms.
#[derive(Default)]
pub struct Translation {
    /// The integers.
    pub ints: Terms,
    views: FxHashMap<TermId, View>,
    /// The least and the greatest value of integer terms in sums.
    ranges: FxHashMap<TermId, (i128, i128)>,
    /// The variables that integer variables stand for.
    variables: FxHashMap<Symbol, Symbol>,
    made_up: usize,
    /// How many reads of one array are compared with each other.
    pub(super) max_reads: usize,
}

impl Translation {
    pub fn new(max_reads: usize) -> Translation {
        Translation { max_reads, ..Translation::default() }
    }

    /// The variable that an integer variable stands for.
    pub fn variable(&self, symbol: Symbol) -> Option<Symbol> {
        self.variables.get(&symbol).copied()
    }

    /// Formulas about integers that are satisfiable if these are.
    pub fn question(&mut self, terms: &Terms, asked: &[TermId]) -> Question {
        for term in terms.postorder(asked) {
            if !self.views.contains_key(&term) {
                let view = self.view(terms, term);
                self.views.insert(term, view);
            }
        }
        let formulas: Vec<TermId> = asked
            .iter()
            .map(|formula| match self.views[formula] {
                View::Bool(formula) => formula,
                View::Word(_) | View::Beyond => unreachable!("a formula is true or false"),
            })
            .collect();
        let mut facts = arrays::facts(self, terms, asked);
        let all: Vec<TermId> = formulas.iter().chain(&facts).copied().collect();
        let leaves: Vec<TermId> = self
            .ints
            .postorder(&all)
            .into_iter()
            .filter(|t| matches!(self.ints.op(*t), Op::Var(_)) && self.ints.sort(*t) == Sort::Int)
            .collect();
        for leaf in leaves {
            let (low, high) = self.ranges[&leaf];
            let (low, high) = (self.ints.int(low), self.ints.int(high));
            facts.push(self.ints.int_le(low, leaf));
            facts.push(self.ints.int_le(leaf, high));
        }
        Question { formulas, facts }
    }

    fn view(&mut self, terms: &Terms, term: TermId) -> View {
        match terms.sort(term) {
            Sort::Bool => View::Bool(self.truth(terms, term)),
            Sort::BitVec(bits @ ..=MAX_BITS) => {
                let word = self.word(terms, term, bits).map(|word| word.reduced(bits));
                View::Word(word.unwrap_or_else(|| self.any_word(bits)))
            }
            Sort::BitVec(_) | Sort::Int | Sort::Float(_) | Sort::Array { .. } => View::Beyond,
        }
    }

    /// The formula for a formula.
    fn truth(&mut self, terms: &Terms, term: TermId) -> TermId {
        let args = terms.args(term);
        if let Op::Const(_) = terms.op(term) {
            return self.ints.bool(term == terms.yes());
        }
        if let Op::Var(symbol) = terms.op(term) {
            let made = self.make_up(Sort::Bool);
            if let Some(own) = self.ints.as_symbol(made) {
                self.variables.insert(own, symbol);
            }
            return made;
        }
        let found = match terms.op(term) {
            op @ (Op::Not | Op::And | Op::Or | Op::Eq | Op::Ite)
                if args.iter().all(|a| terms.sort(*a) == Sort::Bool) =>
            {
                let args: Vec<TermId> = args.iter().filter_map(|a| self.bool(*a)).collect();
                Some(self.ints.build(op, &args))
            }
            Op::Eq => self.equal(terms, args[0], args[1]),
            Op::BvUle => self.at_most(terms, args[0], args[1], false),
            Op::BvSle => self.at_most(terms, args[0], args[1], true),
            _ => None,
        };
        found.unwrap_or_else(|| self.make_up(Sort::Bool))
    }

    /// The sum for a word; `None` if it can't be told.
    fn word(&mut self, terms: &Terms, term: TermId, bits: u32) -> Option<Linear> {
        let args = terms.args(term);
        let width = |i: usize| terms.width(args[i]);
        let constant = |i: usize| terms.as_bv(args[i]);
        match terms.op(term) {
            Op::Var(symbol) => {
                let half = 1i128 << (bits - 1);
                let signed = terms.base(symbol.base).signed;
                let range = if signed { (-half, half - 1) } else { (0, 2 * half - 1) };
                let made = self.make_up(Sort::Int);
                if let Some(own) = self.ints.as_symbol(made) {
                    self.variables.insert(own, symbol);
                }
                Some(self.atom(made, range))
            }
            Op::Const(_) => terms.as_bv(term).map(|bv| Linear::constant(bv.signed())),
            Op::Ite => {
                let condition = self.bool(args[0])?;
                let (yes, no) = (self.linear(args[1])?, self.linear(args[2])?);
                self.choice(condition, &yes, &no)
            }
            Op::BvNeg => Linear::default().plus(&self.linear(args[0])?, -1),
            Op::BvNot => Linear::constant(-1).plus(&self.linear(args[0])?, -1),
            Op::BvAdd => self.linear(args[0])?.plus(&self.linear(args[1])?, 1),
            Op::BvMul => {
                let (factor, other) = match (constant(0), constant(1)) {
                    (Some(factor), _) => (factor, args[1]),
                    (_, Some(factor)) => (factor, args[0]),
                    (None, None) => return None,
                };
                Linear::default().plus(&self.linear(other)?, factor.signed())
            }
            Op::BvShl => {
                let by = constant(1)?.value;
                let factor = if by < u128::from(bits) { 1i128 << by } else { 0 };
                Linear::default().plus(&self.linear(args[0])?, factor)
            }
            Op::BvLshr | Op::BvAshr => {
                let by = constant(1)?.value.min(u128::from(bits));
                let word = self.linear(args[0])?;
                let value = self.in_range(&word, bits, terms.op(term) == Op::BvAshr)?;
                self.quotient(&value, 1 << by)
            }
            Op::BvUdiv | Op::BvUrem => {
                let by = constant(1)?.value as i128;
                let word = self.linear(args[0])?;
                let value = self.in_range(&word, bits, false)?;
                if by == 0 {
                    return None;
                }
                let quotient = self.quotient(&value, by)?;
                if terms.op(term) == Op::BvUdiv { Some(quotient) } else { value.plus(&quotient, -by) }
            }
            Op::BvSdiv | Op::BvSrem => {
                let by = constant(1)?.signed();
                let word = self.linear(args[0])?;
                let value = self.in_range(&word, bits, true)?;
                if by == 0 {
                    return None;
                }
                let quotient = self.towards_zero(&value, by.abs())?;
                match terms.op(term) {
                    Op::BvSdiv => Linear::default().plus(&quotient, by.signum()),
                    _ => value.plus(&quotient, -by.abs()),
                }
            }
            Op::BvAnd => {
                let (mask, other) = match (constant(0), constant(1)) {
                    (Some(mask), _) => (mask, args[1]),
                    (_, Some(mask)) => (mask, args[0]),
                    (None, None) => return None,
                };
                let word = self.linear(other)?;
                let ones = mask.value.trailing_ones();
                let zeros = mask.value.trailing_zeros();
                if mask.value.count_ones() == ones {
                    return if ones == 0 {
                        Some(Linear::default())
                    } else {
                        self.in_range(&word, ones, false)
                    };
                }
                // All bits but the lowest ones.
                if zeros > 0 && mask.value.count_ones() + zeros == bits {
                    let low = self.in_range(&word, zeros, false)?;
                    return word.plus(&low, -1);
                }
                None
            }
            Op::Concat => {
                let (high, low) = (self.linear(args[0])?, self.linear(args[1])?);
                let high = self.in_range(&high, width(0), false)?;
                let low = self.in_range(&low, width(1), false)?;
                low.plus(&high, 1i128 << width(1))
            }
            Op::Extract { hi, lo: 0 } => Some(self.linear(args[0])?.reduced(hi + 1)),
            Op::Extract { hi, lo } => {
                let word = self.linear(args[0])?;
                let value = self.in_range(&word, hi + 1, false)?;
                self.quotient(&value, 1i128 << lo)
            }
            Op::ZeroExt(_) => {
                let word = self.linear(args[0])?;
                self.in_range(&word, width(0), false)
            }
            Op::SignExt(_) => {
                let word = self.linear(args[0])?;
                self.in_range(&word, width(0), true)
            }
            _ => None,
        }
    }

    /// The formula that a formula became.
    pub fn bool(&self, term: TermId) -> Option<TermId> {
        match &self.views[&term] {
            View::Bool(formula) => Some(*formula),
            View::Word(_) | View::Beyond => None,
        }
    }

    /// The sum that a word became.
    pub fn linear(&self, term: TermId) -> Option<Linear> {
        match &self.views[&term] {
            View::Word(word) => Some(word.clone()),
            View::Bool(_) | View::Beyond => None,
        }
    }

    /// Words are equal if their difference is a multiple of `2^bits`.
    pub fn equal(&mut self, terms: &Terms, a: TermId, b: TermId) -> Option<TermId> {
        let (x, y) = (self.linear(a)?, self.linear(b)?);
        self.equal_words(&x, &y, terms.width(a))
    }

    /// The same of sums.
    pub fn equal_words(&mut self, a: &Linear, b: &Linear, bits: u32) -> Option<TermId> {
        let difference = a.plus(b, -1)?;
        let modulus = 1i128 << bits;
        let (low, high) = self.range(&difference)?;
        let (first, last) =
            (low.div_euclid(modulus) + i128::from(low.rem_euclid(modulus) != 0), high.div_euclid(modulus));
        if last - first < 4 {
            let sum = difference.build(&mut self.ints);
            let mut cases = Vec::new();
            for multiple in first..=last {
                let multiple = self.ints.int(multiple * modulus);
                cases.push(self.ints.eq(sum, multiple));
            }
            return Some(self.ints.or(&cases));
        }
        let low = self.in_range(&difference, bits, true)?.build(&mut self.ints);
        let zero = self.ints.int(0);
        Some(self.ints.eq(low, zero))
    }

    fn at_most(&mut self, terms: &Terms, a: TermId, b: TermId, signed: bool) -> Option<TermId> {
        let bits = terms.width(a);
        let (a, b) = (self.linear(a)?, self.linear(b)?);
        let (a, b) = (self.in_range(&a, bits, signed)?, self.in_range(&b, bits, signed)?);
        let difference = a.plus(&b, -1)?.build(&mut self.ints);
        let zero = self.ints.int(0);
        Some(self.ints.int_le(difference, zero))
    }

    /// The value of a word: the number in its range that the sum equals modulo `2^bits`.
    fn in_range(&mut self, word: &Linear, bits: u32, signed: bool) -> Option<Linear> {
        let modulus = 1i128 << bits;
        let (least, most) = if signed { (-(modulus / 2), modulus / 2 - 1) } else { (0, modulus - 1) };
        let (low, high) = self.range(word)?;
        if least <= low && high <= most {
            return Some(word.clone());
        }
        if let Some(value) = word.as_constant() {
            return Some(Linear::constant((value - least).rem_euclid(modulus) + least));
        }
        // How often the modulus has to be taken away at most, and at least.
        let (first, last) = ((low - least).div_euclid(modulus), (high - least).div_euclid(modulus));
        let sum = word.build(&mut self.ints);
        if last - first <= 2 {
            let mut wraps = Linear::constant(first);
            for times in first + 1..=last {
                let bound = self.ints.int(least + times * modulus);
                let reached = self.ints.int_le(bound, sum);
                let (one, zero) = (self.ints.int(1), self.ints.int(0));
                let more = self.ints.ite(reached, one, zero);
                wraps = wraps.plus(&self.atom(more, (0, 1)), 1)?;
            }
            let value = word.plus(&wraps, -modulus)?;
            let term = value.build(&mut self.ints);
            return Some(self.atom(term, (least, most)));
        }
        let (least_term, modulus_term) = (self.ints.int(-least), self.ints.int(modulus));
        let shifted = self.ints.int_add(sum, least_term);
        let low = self.ints.int_mod(shifted, modulus_term);
        self.atom(low, (0, modulus - 1)).plus(&Linear::constant(least), 1)
    }

    /// Divided by a positive number, rounded down.
    fn quotient(&mut self, value: &Linear, by: i128) -> Option<Linear> {
        if by == 1 {
            return Some(value.clone());
        }
        if let Some(value) = value.as_constant() {
            return Some(Linear::constant(value.div_euclid(by)));
        }
        let (low, high) = self.range(value)?;
        let (value, divisor) = (value.build(&mut self.ints), self.ints.int(by));
        let quotient = self.ints.int_div(value, divisor);
        Some(self.atom(quotient, (low.div_euclid(by), high.div_euclid(by))))
    }

    /// Divided by a positive number, rounded towards zero.
    fn towards_zero(&mut self, value: &Linear, by: i128) -> Option<Linear> {
        let (low, high) = self.range(value)?;
        if low >= 0 {
            return self.quotient(value, by);
        }
        let minus = Linear::default().plus(value, -1)?;
        let down = self.quotient(&minus, by)?;
        let below = Linear::default().plus(&down, -1)?;
        if high <= 0 {
            return Some(below);
        }
        let above = self.quotient(value, by)?;
        let (sum, zero) = (value.build(&mut self.ints), self.ints.int(0));
        let positive = self.ints.int_le(zero, sum);
        let quotient = self.choice(positive, &above, &below)?.build(&mut self.ints);
        Some(self.atom(quotient, (-(-low).div_euclid(by), high.div_euclid(by))))
    }

    /// `condition ? yes : no`. What both have in common stays outside.
    fn choice(&mut self, condition: TermId, yes: &Linear, no: &Linear) -> Option<Linear> {
        let (common, yes, no) = yes.split(no);
        if yes == no {
            return common.plus(&yes, 1);
        }
        let ((a, b), (c, d)) = (self.range(&yes)?, self.range(&no)?);
        let (yes, no) = (yes.build(&mut self.ints), no.build(&mut self.ints));
        let chosen = self.ints.ite(condition, yes, no);
        common.plus(&self.atom(chosen, (a.min(c), b.max(d))), 1)
    }

    fn range(&self, sum: &Linear) -> Option<(i128, i128)> {
        sum.range(|term| self.ranges[&term])
    }

    /// An integer term as a sum, with its range.
    fn atom(&mut self, term: TermId, range: (i128, i128)) -> Linear {
        if let Some(value) = self.ints.as_int(term) {
            return Linear::constant(value);
        }
        let known = self.ranges.entry(term).or_insert(range);
        *known = (known.0.max(range.0), known.1.min(range.1));
        Linear::term(term)
    }

    /// A word of which nothing is known.
    pub fn any_word(&mut self, bits: u32) -> Linear {
        let made = self.make_up(Sort::Int);
        self.atom(made, (0, (1i128 << bits) - 1))
    }

    fn make_up(&mut self, sort: Sort) -> TermId {
        self.made_up += 1;
        let base = self.ints.declare(&format!("i{}", self.made_up), sort, true);
        self.ints.var(base, 0)
    }
}

/// What the integers say of words, given the words' values.
#[cfg(test)]
impl Translation {
    /// Nothing was made up.
    pub fn is_exact(&self) -> bool {
        self.made_up == self.variables.len()
    }

    pub fn holds(&self, formula: TermId, values: &crate::term::Assignment, terms: &Terms) -> Option<bool> {
        use crate::term::Value;
        let mut ints = crate::term::Assignment::default();
        for (own, word) in &self.variables {
            let value = values.get(*word).cloned().unwrap_or_else(|| Value::zero(terms.base(word.base).sort));
            let value = match value {
                Value::Bv(bv) if terms.base(word.base).signed => Value::Int(bv.signed()),
                Value::Bv(bv) => Value::Int(bv.value as i128),
                other => other,
            };
            ints.set(*own, value);
        }
        self.ints.holds(formula, &ints)
    }
}
