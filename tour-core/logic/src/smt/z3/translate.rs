//! From our terms to Z3's, each once per context.

use super::context::Context;
use crate::smt::Unknown;
use crate::term::{Cone, Elem, FloatSort, Op, Sort, Symbol, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::ffi::CString;
use z3_sys::*;

/// What has been translated. Everything in it is kept as long as the context lives.
#[derive(Default)]
pub struct Translation {
    /// The arena that the ids are of.
    arena: Option<u64>,
    terms: Vec<Option<Z3_ast>>,
    /// In which of them a part of an array is replaced by another: see [`Translation::is_coarse`].
    coarse: Vec<bool>,
    /// Such a term was needed since [`Translation::take_met_coarse`] was asked.
    met_coarse: bool,
    /// Such terms are refused: someone else knows more about them.
    pub refuses_coarse: bool,
    sorts: FxHashMap<Sort, Z3_sort>,
    /// Back from Z3's constants to variables.
    symbols: FxHashMap<Z3_ast, Symbol>,
    modes: Option<(Z3_ast, Z3_ast)>,
}

/// What is needed of a part of a formula.
#[derive(Clone, Copy)]
enum Part {
    /// Nothing: it holds, one way or another.
    Nothing,
    /// All of it.
    Whole(TermId),
    /// This.
    Rest(Z3_ast),
}

fn part(terms: &Terms, cone: &Cone, made: &FxHashMap<TermId, Part>, term: TermId) -> Part {
    match made.get(&term) {
        Some(part) => *part,
        None if cone.is_left_out(terms, term) => Part::Nothing,
        None => Part::Whole(term),
    }
}

impl Translation {
    /// Z3's term for ours.
    pub fn term(&mut self, context: &Context, terms: &Terms, root: TermId) -> Result<Z3_ast, Unknown> {
        self.check(terms)?;
        if self.terms.len() < terms.len() {
            self.terms.resize(terms.len(), None);
            self.coarse.resize(terms.len(), false);
        }
        let mut stack = vec![root];
        let mut args: Vec<Z3_ast> = Vec::new();
        while let Some(&term) = stack.last() {
            if self.terms[term.index()].is_some() {
                stack.pop();
                continue;
            }
            args.clear();
            let waiting = stack.len();
            for &arg in terms.args(term) {
                match self.terms[arg.index()] {
                    Some(ast) => args.push(ast),
                    None => stack.push(arg),
                }
            }
            if stack.len() == waiting {
                stack.pop();
                let ast = self.node(context, terms, term, &args)?;
                self.terms[term.index()] = Some(ast);
                self.coarse[term.index()] =
                    terms.op(term) == Op::Splice || terms.args(term).iter().any(|arg| self.is_coarse(*arg));
            }
        }
        if self.is_coarse(root) {
            if self.refuses_coarse {
                return Err(Unknown::Incomplete("a part of an array is replaced by another".into()));
            }
            self.met_coarse = true;
        }
        self.terms[root.index()].ok_or_else(|| Unknown::Error("a term was not translated".into()))
    }

    /// Z3's term for it says less than ours: an array of any contents stands where a part of an array is replaced by another.
    /// So it has all our models, and more.
    pub fn is_coarse(&self, term: TermId) -> bool {
        self.coarse.get(term.index()).copied().unwrap_or(false)
    }

    /// Whether a coarse term was needed since this was asked last.
    pub fn take_met_coarse(&mut self) -> bool {
        std::mem::take(&mut self.met_coarse)
    }

    /// All terms must be of one arena.
    pub fn check(&mut self, terms: &Terms) -> Result<(), Unknown> {
        match *self.arena.get_or_insert(terms.arena()) == terms.arena() {
            true => Ok(()),
            false => Err(Unknown::Error("terms of two arenas in one solver".into())),
        }
    }

    /// Z3's terms for what is needed of formulas.
    pub fn cone(&mut self, context: &Context, terms: &Terms, cone: &Cone) -> Result<Vec<Z3_ast>, Unknown> {
        let mut made: FxHashMap<TermId, Part> = FxHashMap::default();
        for &connective in cone.connectives() {
            let parts: Vec<Part> =
                terms.args(connective).iter().map(|arg| part(terms, cone, &made, *arg)).collect();
            let is_and = terms.op(connective) == Op::And;
            let new = if parts.iter().all(|part| matches!(part, Part::Whole(_))) {
                Part::Whole(connective)
            } else if !is_and && parts.iter().any(|part| matches!(part, Part::Nothing)) {
                Part::Nothing
            } else {
                let mut args = Vec::with_capacity(parts.len());
                for part in parts {
                    args.extend(self.part(context, terms, part)?);
                }
                match args[..] {
                    [] => Part::Nothing,
                    [only] => Part::Rest(only),
                    _ => Part::Rest(self.connective(context, is_and, &args)?),
                }
            };
            made.insert(connective, new);
        }
        let mut roots = Vec::with_capacity(cone.roots().len());
        for &root in cone.roots() {
            roots.extend(self.part(context, terms, part(terms, cone, &made, root))?);
        }
        Ok(roots)
    }

    fn part(&mut self, context: &Context, terms: &Terms, part: Part) -> Result<Option<Z3_ast>, Unknown> {
        match part {
            Part::Nothing => Ok(None),
            Part::Whole(term) => self.term(context, terms, term).map(Some),
            Part::Rest(ast) => Ok(Some(ast)),
        }
    }

    fn connective(&self, context: &Context, is_and: bool, args: &[Z3_ast]) -> Result<Z3_ast, Unknown> {
        let (c, n) = (context.raw(), args.len() as u32);
        // SAFETY: see `context`.
        context.keep(unsafe {
            if is_and { Z3_mk_and(c, n, args.as_ptr()) } else { Z3_mk_or(c, n, args.as_ptr()) }
        })
    }

    /// The variable that a constant of Z3 stands for.
    pub fn symbol_of(&self, ast: Z3_ast) -> Option<Symbol> {
        self.symbols.get(&ast).copied()
    }

    pub fn sort(&mut self, context: &Context, sort: Sort) -> Result<Z3_sort, Unknown> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let c = context.raw();
        // SAFETY: see `context`.
        let made = unsafe {
            match sort {
                Sort::Bool => Z3_mk_bool_sort(c),
                Sort::Int => Z3_mk_int_sort(c),
                Sort::BitVec(bits) => Z3_mk_bv_sort(c, bits),
                Sort::Float(FloatSort::F32) => Z3_mk_fpa_sort_32(c),
                Sort::Float(FloatSort::F64) => Z3_mk_fpa_sort_64(c),
                Sort::Array { index, elem } => {
                    let index = self.sort(context, Sort::BitVec(index))?;
                    let elem = match elem {
                        Elem::BitVec(bits) => self.sort(context, Sort::BitVec(bits))?,
                        Elem::Float(format) => self.sort(context, Sort::Float(format))?,
                    };
                    Z3_mk_array_sort(c, index, elem)
                }
            }
        };
        let made = context.ok(made)?;
        // SAFETY: see `context`.
        context.keep(unsafe { Z3_sort_to_ast(c, made) })?;
        self.sorts.insert(sort, made);
        Ok(made)
    }

    /// A constant of Z3 as a numeral of a sort.
    pub fn value(&mut self, context: &Context, value: &Value) -> Result<Z3_ast, Unknown> {
        let c = context.raw();
        match value {
            // SAFETY: see `context`.
            Value::Bool(true) => context.keep(unsafe { Z3_mk_true(c) }),
            // SAFETY: see `context`.
            Value::Bool(false) => context.keep(unsafe { Z3_mk_false(c) }),
            Value::Bv(bv) => self.numeral(context, Sort::BitVec(bv.bits), &bv.value.to_string()),
            Value::Int(value) => self.numeral(context, Sort::Int, &value.to_string()),
            Value::Float(float) => {
                let bits = Sort::BitVec(float.sort.bits());
                let bits = self.numeral(context, bits, &float.bits().to_string())?;
                let sort = self.sort(context, Sort::Float(float.sort))?;
                // SAFETY: see `context`.
                context.keep(unsafe { Z3_mk_fpa_to_fp_bv(c, bits, sort) })
            }
            Value::Array(_) => Err(Unknown::Error("an array is no numeral".into())),
        }
    }

    fn numeral(&mut self, context: &Context, sort: Sort, digits: &str) -> Result<Z3_ast, Unknown> {
        let sort = self.sort(context, sort)?;
        let digits = CString::new(digits).map_err(|e| Unknown::Error(e.to_string()))?;
        // SAFETY: see `context`.
        context.keep(unsafe { Z3_mk_numeral(context.raw(), digits.as_ptr(), sort) })
    }

    /// Rounding to nearest even, and towards zero.
    fn modes(&mut self, context: &Context) -> Result<(Z3_ast, Z3_ast), Unknown> {
        if let Some(modes) = self.modes {
            return Ok(modes);
        }
        // SAFETY: see `context`.
        let nearest = context.keep(unsafe { Z3_mk_fpa_rne(context.raw()) })?;
        // SAFETY: see `context`.
        let zero = context.keep(unsafe { Z3_mk_fpa_rtz(context.raw()) })?;
        self.modes = Some((nearest, zero));
        Ok((nearest, zero))
    }

    fn node(
        &mut self,
        context: &Context,
        terms: &Terms,
        term: TermId,
        args: &[Z3_ast],
    ) -> Result<Z3_ast, Unknown> {
        let c = context.raw();
        let count = args.len() as u32;
        // SAFETY: see `context`. The arguments are kept, and their number and sorts are those of the operator.
        let made = unsafe {
            match terms.op(term) {
                Op::Var(symbol) => {
                    let sort = self.sort(context, terms.sort(term))?;
                    let name = context.symbol(&format!("v{}_{}", symbol.base.index(), symbol.index))?;
                    let ast = context.keep(Z3_mk_const(c, name, sort))?;
                    self.symbols.insert(ast, symbol);
                    return Ok(ast);
                }
                Op::Const(_) => {
                    let Some(value) = terms.value(term) else { unreachable!("a constant has a value") };
                    return self.value(context, value);
                }
                Op::Not => Z3_mk_not(c, args[0]),
                Op::And => Z3_mk_and(c, count, args.as_ptr()),
                Op::Or => Z3_mk_or(c, count, args.as_ptr()),
                Op::Eq => Z3_mk_eq(c, args[0], args[1]),
                Op::Ite => Z3_mk_ite(c, args[0], args[1], args[2]),
                Op::BvNeg => Z3_mk_bvneg(c, args[0]),
                Op::BvNot => Z3_mk_bvnot(c, args[0]),
                Op::BvAdd => Z3_mk_bvadd(c, args[0], args[1]),
                Op::BvMul => Z3_mk_bvmul(c, args[0], args[1]),
                Op::BvUdiv => Z3_mk_bvudiv(c, args[0], args[1]),
                Op::BvUrem => Z3_mk_bvurem(c, args[0], args[1]),
                Op::BvSdiv => Z3_mk_bvsdiv(c, args[0], args[1]),
                Op::BvSrem => Z3_mk_bvsrem(c, args[0], args[1]),
                Op::BvAnd => Z3_mk_bvand(c, args[0], args[1]),
                Op::BvOr => Z3_mk_bvor(c, args[0], args[1]),
                Op::BvXor => Z3_mk_bvxor(c, args[0], args[1]),
                Op::BvShl => Z3_mk_bvshl(c, args[0], args[1]),
                Op::BvLshr => Z3_mk_bvlshr(c, args[0], args[1]),
                Op::BvAshr => Z3_mk_bvashr(c, args[0], args[1]),
                Op::BvUle => Z3_mk_bvule(c, args[0], args[1]),
                Op::BvSle => Z3_mk_bvsle(c, args[0], args[1]),
                Op::Concat => Z3_mk_concat(c, args[0], args[1]),
                Op::Extract { hi, lo } => Z3_mk_extract(c, hi, lo, args[0]),
                Op::ZeroExt(by) => Z3_mk_zero_ext(c, by, args[0]),
                Op::SignExt(by) => Z3_mk_sign_ext(c, by, args[0]),
                Op::Select => Z3_mk_select(c, args[0], args[1]),
                Op::Store => Z3_mk_store(c, args[0], args[1], args[2]),
                Op::ConstArray(index) => {
                    let index = self.sort(context, Sort::BitVec(index))?;
                    Z3_mk_const_array(c, index, args[0])
                }
                // Lambda terms would say it, but Z3 4.8.12 gives wrong models of them, and 4.15.4 gives up on a third of
                // those that 5.4 decides. Any array has more models.
                Op::Splice => {
                    let sort = self.sort(context, terms.sort(term))?;
                    let name = context.symbol(&format!("splice_{}", term.index()))?;
                    Z3_mk_const(c, name, sort)
                }
                Op::FpNeg => Z3_mk_fpa_neg(c, args[0]),
                Op::FpEq => Z3_mk_fpa_eq(c, args[0], args[1]),
                Op::FpLt => Z3_mk_fpa_lt(c, args[0], args[1]),
                Op::FpLe => Z3_mk_fpa_leq(c, args[0], args[1]),
                Op::FpFromBits(to) => {
                    let to = self.sort(context, Sort::Float(to))?;
                    Z3_mk_fpa_to_fp_bv(c, args[0], to)
                }
                Op::FpSqrt | Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv | Op::FpToFp(_) => {
                    return self.rounded(context, terms.op(term), args);
                }
                Op::FpFromSigned(_) | Op::FpFromUnsigned(_) | Op::FpToSigned(_) | Op::FpToUnsigned(_) => {
                    return self.rounded(context, terms.op(term), args);
                }
                Op::IntAdd => Z3_mk_add(c, count, args.as_ptr()),
                Op::IntMul => Z3_mk_mul(c, count, args.as_ptr()),
                Op::IntDiv => Z3_mk_div(c, args[0], args[1]),
                Op::IntMod => Z3_mk_mod(c, args[0], args[1]),
                Op::IntLe => Z3_mk_le(c, args[0], args[1]),
            }
        };
        context.keep(made)
    }

    /// The floating-point operators that round.
    fn rounded(&mut self, context: &Context, op: Op, args: &[Z3_ast]) -> Result<Z3_ast, Unknown> {
        let c = context.raw();
        let (nearest, zero) = self.modes(context)?;
        let to = match op {
            Op::FpToFp(to) | Op::FpFromSigned(to) | Op::FpFromUnsigned(to) => to,
            _ => FloatSort::F64,
        };
        let to = self.sort(context, Sort::Float(to))?;
        // SAFETY: as in `node`.
        let made = unsafe {
            match op {
                Op::FpSqrt => Z3_mk_fpa_sqrt(c, nearest, args[0]),
                Op::FpAdd => Z3_mk_fpa_add(c, nearest, args[0], args[1]),
                Op::FpSub => Z3_mk_fpa_sub(c, nearest, args[0], args[1]),
                Op::FpMul => Z3_mk_fpa_mul(c, nearest, args[0], args[1]),
                Op::FpDiv => Z3_mk_fpa_div(c, nearest, args[0], args[1]),
                Op::FpToFp(_) => Z3_mk_fpa_to_fp_float(c, nearest, args[0], to),
                Op::FpFromSigned(_) => Z3_mk_fpa_to_fp_signed(c, nearest, args[0], to),
                Op::FpFromUnsigned(_) => Z3_mk_fpa_to_fp_unsigned(c, nearest, args[0], to),
                Op::FpToSigned(bits) => Z3_mk_fpa_to_sbv(c, zero, args[0], bits),
                Op::FpToUnsigned(bits) => Z3_mk_fpa_to_ubv(c, zero, args[0], bits),
                _ => unreachable!("{op:?} does not round"),
            }
        };
        context.keep(made)
    }
}
