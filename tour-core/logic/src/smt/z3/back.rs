//! From Z3's terms back to ours.
//!
//! Operators are told by their names, which are the same in all of Z3's versions (unlike their numbers).

use super::context::Context;
use super::translate::Translation;
use crate::smt::Unknown;
use crate::term::{FloatSort, Op, Sort, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use z3_sys::*;

/// Our term for a quantifier-free one of Z3, which is held by the caller.
pub fn term(
    context: &Context,
    translation: &Translation,
    terms: &mut Terms,
    root: Z3_ast,
) -> Result<TermId, Unknown> {
    let mut done: FxHashMap<Z3_ast, TermId> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&ast) = stack.last() {
        if done.contains_key(&ast) {
            stack.pop();
            continue;
        }
        if let Some(symbol) = translation.symbol_of(ast) {
            done.insert(ast, terms.symbol(symbol));
            continue;
        }
        if let Some(value) = constant(context, ast)? {
            done.insert(ast, terms.constant(value));
            continue;
        }
        let app = application(context, ast)?;
        let waiting = stack.len();
        stack.extend(app.args.iter().copied().filter(|arg| !done.contains_key(arg)));
        if stack.len() == waiting {
            let args: Vec<TermId> = app.args.iter().map(|arg| done[arg]).collect();
            let made = build(context, terms, ast, &app, &args)?;
            done.insert(ast, made);
        }
    }
    Ok(done[&root])
}

/// An operator with arguments, as Z3 has it.
struct Application {
    decl: Z3_func_decl,
    name: String,
    args: Vec<Z3_ast>,
}

fn application(context: &Context, ast: Z3_ast) -> Result<Application, Unknown> {
    let c = context.raw();
    // SAFETY: see `context`; the term is held, and so are its parts.
    unsafe {
        if Z3_get_ast_kind(c, ast) != AstKind::App {
            return Err(Unknown::Incomplete("the solver answered with a quantifier".into()));
        }
        let app = context.ok(Z3_to_app(c, ast))?;
        let decl = context.ok(Z3_get_app_decl(c, app))?;
        let symbol = context.ok(Z3_get_decl_name(c, decl))?;
        let name = context.text(Z3_get_symbol_string(c, symbol));
        let count = Z3_get_app_num_args(c, app);
        let args = (0..count).map(|i| context.ok(Z3_get_app_arg(c, app, i)));
        Ok(Application { decl, name, args: args.collect::<Result<_, _>>()? })
    }
}

/// The value of a numeral or truth value; `None` for other terms.
pub fn constant(context: &Context, ast: Z3_ast) -> Result<Option<Value>, Unknown> {
    let c = context.raw();
    // SAFETY: see `context`; the term is held.
    unsafe {
        match Z3_get_bool_value(c, ast) {
            Z3_L_TRUE => return Ok(Some(Value::Bool(true))),
            Z3_L_FALSE => return Ok(Some(Value::Bool(false))),
            _ => {}
        }
        let sort = sort_of(context, ast)?;
        match sort {
            Some(Sort::BitVec(bits)) if Z3_is_numeral_ast(c, ast) => {
                let digits = context.text(Z3_get_numeral_string(c, ast));
                let value = digits.parse().map_err(|_| unreadable(&digits))?;
                Ok(Some(Value::bv(bits, value)))
            }
            Some(Sort::Int) if Z3_is_numeral_ast(c, ast) => {
                let digits = context.text(Z3_get_numeral_string(c, ast));
                Ok(Some(Value::Int(digits.parse().map_err(|_| unreadable(&digits))?)))
            }
            _ => Ok(None),
        }
    }
}

/// The sort of a term; `None` if we have none like it.
pub fn sort_of(context: &Context, ast: Z3_ast) -> Result<Option<Sort>, Unknown> {
    // SAFETY: see `context`; the term is held.
    let sort = context.ok(unsafe { Z3_get_sort(context.raw(), ast) })?;
    sort_back(context, sort)
}

fn sort_back(context: &Context, sort: Z3_sort) -> Result<Option<Sort>, Unknown> {
    let c = context.raw();
    // SAFETY: see `context`; sorts are kept by the terms that have them.
    unsafe {
        Ok(match Z3_get_sort_kind(c, sort) {
            SortKind::Bool => Some(Sort::Bool),
            SortKind::Int => Some(Sort::Int),
            SortKind::Bv => match Z3_get_bv_sort_size(c, sort) {
                bits @ 1..=128 => Some(Sort::BitVec(bits)),
                _ => None,
            },
            SortKind::FloatingPoint => {
                let shape = (Z3_fpa_get_ebits(c, sort), Z3_fpa_get_sbits(c, sort));
                [FloatSort::F32, FloatSort::F64].into_iter().find(|f| f.format() == shape).map(Sort::Float)
            }
            SortKind::Array => {
                let index = sort_back(context, context.ok(Z3_get_array_sort_domain(c, sort))?)?;
                let elem = sort_back(context, context.ok(Z3_get_array_sort_range(c, sort))?)?;
                match (index, elem.and_then(Sort::as_elem)) {
                    (Some(Sort::BitVec(index)), Some(elem)) => Some(Sort::Array { index, elem }),
                    _ => None,
                }
            }
            _ => None,
        })
    }
}

fn unreadable(what: &str) -> Unknown {
    Unknown::Incomplete(format!("the solver answered with `{what}`"))
}

fn build(
    context: &Context,
    terms: &mut Terms,
    ast: Z3_ast,
    app: &Application,
    args: &[TermId],
) -> Result<TermId, Unknown> {
    // SAFETY: see `context`; the declaration is kept by the term.
    let param = |i: u32| unsafe { Z3_get_decl_int_parameter(context.raw(), app.decl, i) as u32 };
    let t = terms;
    let name = app.name.as_str();
    Ok(match (name, args) {
        ("not", &[a]) => t.not(a),
        ("and", _) => t.and(args),
        ("or", _) => t.or(args),
        ("=>", &[a, b]) => t.implies(a, b),
        ("=" | "iff", &[a, b]) => t.eq(a, b),
        ("xor", &[a, b]) => {
            let same = t.eq(a, b);
            t.not(same)
        }
        ("distinct", _) => {
            let mut all = Vec::new();
            for (i, &a) in args.iter().enumerate() {
                for &b in &args[i + 1..] {
                    let same = t.eq(a, b);
                    all.push(t.not(same));
                }
            }
            t.and(&all)
        }
        ("if" | "ite", &[a, b, c]) => t.ite(a, b, c),
        ("bvneg", &[a]) => t.bv_neg(a),
        ("bvnot", &[a]) => t.bv_not(a),
        ("bvadd", &[first, ref rest @ ..]) => rest.iter().fold(first, |sum, &b| t.bv_add(sum, b)),
        ("bvmul", &[first, ref rest @ ..]) => rest.iter().fold(first, |product, &b| t.bv_mul(product, b)),
        ("bvand", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &b| t.bv_and(all, b)),
        ("bvor", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &b| t.bv_or(all, b)),
        ("bvxor", &[first, ref rest @ ..]) => rest.iter().fold(first, |all, &b| t.bv_xor(all, b)),
        ("concat", &[first, ref rest @ ..]) => {
            let mut width = t.width(first);
            let mut whole = first;
            for &b in rest {
                width += t.width(b);
                if width > 128 {
                    return Err(unreadable("concat"));
                }
                whole = t.concat(whole, b);
            }
            whole
        }
        ("bvsub", &[a, b]) => t.bv_sub(a, b),
        ("bvudiv" | "bvudiv_i", &[a, b]) => t.bv_udiv(a, b),
        ("bvurem" | "bvurem_i", &[a, b]) => t.bv_urem(a, b),
        ("bvsdiv" | "bvsdiv_i", &[a, b]) => t.bv_sdiv(a, b),
        ("bvsrem" | "bvsrem_i", &[a, b]) => t.bv_srem(a, b),
        ("bvshl", &[a, b]) => t.bv_shl(a, b),
        ("bvlshr", &[a, b]) => t.bv_lshr(a, b),
        ("bvashr", &[a, b]) => t.bv_ashr(a, b),
        ("bvule", &[a, b]) => t.bv_ule(a, b),
        ("bvult", &[a, b]) => t.bv_ult(a, b),
        ("bvuge", &[a, b]) => t.bv_ule(b, a),
        ("bvugt", &[a, b]) => t.bv_ult(b, a),
        ("bvsle", &[a, b]) => t.bv_sle(a, b),
        ("bvslt", &[a, b]) => t.bv_slt(a, b),
        ("bvsge", &[a, b]) => t.bv_sle(b, a),
        ("bvsgt", &[a, b]) => t.bv_slt(b, a),
        ("extract", &[a]) => t.extract(a, param(0), param(1)),
        ("zero_extend", &[a]) if t.width(a) + param(0) <= 128 => t.zero_ext(a, param(0)),
        ("sign_extend", &[a]) if t.width(a) + param(0) <= 128 => t.sign_ext(a, param(0)),
        ("bit2bool", &[a]) => {
            let (bit, one) = (t.extract(a, param(0), param(0)), t.bv(1, 1));
            t.eq(bit, one)
        }
        ("select", &[a, i]) => t.select(a, i),
        ("store", &[a, i, v]) => t.store(a, i, v),
        ("const", &[v]) => match sort_of(context, ast)? {
            Some(Sort::Array { index, .. }) => t.const_array(index, v),
            _ => return Err(unreadable(name)),
        },
        ("+", &[first, ref rest @ ..]) => rest.iter().fold(first, |sum, &b| t.int_add(sum, b)),
        ("*", &[first, ref rest @ ..]) => rest.iter().fold(first, |product, &b| t.int_mul(product, b)),
        ("-", &[a]) => t.int_neg(a),
        ("-", &[a, b]) => t.int_sub(a, b),
        ("div" | "div0", &[a, b]) => t.int_div(a, b),
        ("mod" | "mod0", &[a, b]) => t.int_mod(a, b),
        ("<=", &[a, b]) if t.sort(a) == Sort::Int => t.int_le(a, b),
        ("<", &[a, b]) if t.sort(a) == Sort::Int => t.int_lt(a, b),
        (">=", &[a, b]) if t.sort(a) == Sort::Int => t.int_le(b, a),
        (">", &[a, b]) if t.sort(a) == Sort::Int => t.int_lt(b, a),
        ("fp.eq", &[_, _]) => t.build(Op::FpEq, args),
        ("fp.lt", &[_, _]) => t.build(Op::FpLt, args),
        ("fp.leq", &[_, _]) => t.build(Op::FpLe, args),
        ("fp.neg", &[_]) => t.build(Op::FpNeg, args),
        _ => return Err(unreadable(name)),
    })
}
