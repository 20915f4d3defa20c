//! Models: from Z3 to assignments and back.

use super::back;
use super::context::Context;
use super::translate::Translation;
use crate::smt::Unknown;
use crate::term::{ArrayValue, Assignment, Float, Op, Sort, Symbol, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use z3_sys::*;

/// A model of Z3 with a reference of its own.
pub struct Model<'c> {
    pub raw: Z3_model,
    context: &'c Context,
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        // SAFETY: the guard owns one reference.
        unsafe { Z3_model_dec_ref(self.context.raw(), self.raw) };
    }
}

impl<'c> Model<'c> {
    /// A model that Z3 has just made.
    pub fn hold(context: &'c Context, raw: Option<Z3_model>) -> Result<Model<'c>, Unknown> {
        let raw = context.ok(raw)?;
        // SAFETY: see `context`.
        unsafe { Z3_model_inc_ref(context.raw(), raw) };
        Ok(Model { raw, context })
    }

    /// A model of Z3 that gives every variable of a term the value of an assignment.
    pub fn complete(
        context: &'c Context,
        translation: &mut Translation,
        terms: &mut Terms,
        formula: TermId,
        assignment: &Assignment,
    ) -> Result<Model<'c>, Unknown> {
        let c = context.raw();
        // SAFETY: see `context`.
        let model = Model::hold(context, unsafe { Z3_mk_model(c) })?;
        for symbol in terms.free_symbols(formula) {
            let sort = terms.base(symbol.base).sort;
            let value = assignment.get(symbol).cloned().unwrap_or_else(|| Value::zero(sort));
            let value = value_term(terms, sort, &value);
            let value = translation.term(context, terms, value)?;
            let variable = terms.symbol(symbol);
            let variable = translation.term(context, terms, variable)?;
            // SAFETY: see `context`.
            unsafe {
                let app = context.ok(Z3_to_app(c, variable))?;
                let decl = context.ok(Z3_get_app_decl(c, app))?;
                Z3_add_const_interp(c, model.raw, decl, value);
            }
            context.check()?;
        }
        Ok(model)
    }

    /// The values of our variables. What Z3 made up for itself is left out.
    pub fn assignment(&self, translation: &Translation, terms: &Terms) -> Result<Assignment, Unknown> {
        let (context, c) = (self.context, self.context.raw());
        let mut assignment = Assignment::default();
        // SAFETY: see `context`; what the model has, it keeps.
        unsafe {
            for i in 0..Z3_model_get_num_consts(c, self.raw) {
                let decl = context.ok(Z3_model_get_const_decl(c, self.raw, i))?;
                let constant = context.hold(Z3_mk_app(c, decl, 0, std::ptr::null()))?;
                let Some(symbol) = translation.symbol_of(constant.ast) else { continue };
                let Some(value) = Z3_model_get_const_interp(c, self.raw, decl) else { continue };
                let value = context.hold(Some(value))?;
                let value = self.value(terms, symbol, value.ast)?;
                assignment.set(symbol, value);
            }
        }
        Ok(assignment)
    }

    fn value(&self, terms: &Terms, symbol: Symbol, ast: Z3_ast) -> Result<Value, Unknown> {
        match terms.base(symbol.base).sort {
            Sort::Array { elem, .. } => self.array(ast, elem.sort()),
            sort => self.scalar(ast, sort),
        }
    }

    fn scalar(&self, ast: Z3_ast, sort: Sort) -> Result<Value, Unknown> {
        let (context, c) = (self.context, self.context.raw());
        if let Sort::Float(format) = sort {
            let value = self.eval(ast)?;
            // The bits of NaN are not specified.
            // SAFETY: see `context`.
            if unsafe { Z3_fpa_is_numeral_nan(c, value.ast) } {
                return Ok(Value::Float(Float::round(format, f64::NAN)));
            }
            // SAFETY: see `context`.
            let bits = context.hold(unsafe { Z3_mk_fpa_to_ieee_bv(c, value.ast) })?;
            let bits = self.eval(bits.ast)?;
            return match back::constant(context, bits.ast)? {
                Some(Value::Bv(bv)) => Ok(Value::Float(Float::from_bits(format, bv.value as u64))),
                _ => Err(Unknown::Error("a float in a model has no bits".into())),
            };
        }
        let value = self.eval(ast)?;
        match back::constant(context, value.ast)? {
            Some(value) => Ok(value),
            None => Err(Unknown::Error("a model has a value that is no constant".into())),
        }
    }

    /// A term's value, with arbitrary values for what the model does not name.
    pub fn eval(&self, ast: Z3_ast) -> Result<super::context::Held<'c>, Unknown> {
        let (context, c) = (self.context, self.context.raw());
        let mut value = ast;
        // SAFETY: see `context`.
        let done = unsafe { Z3_model_eval(c, self.raw, ast, true, &mut value) };
        context.hold(done.then_some(value))
    }

    /// An array's value: a chain of stores on a constant array, or a function's table.
    fn array(&self, ast: Z3_ast, elem: Sort) -> Result<Value, Unknown> {
        let (context, c) = (self.context, self.context.raw());
        let index = |ast: Z3_ast| match back::constant(context, ast)? {
            Some(Value::Bv(bv)) => Ok(bv.value),
            _ => Err(Unknown::Error("an array in a model has an index that is no constant".into())),
        };
        let mut stores: FxHashMap<u128, Value> = FxHashMap::default();
        let mut ast = ast;
        loop {
            // SAFETY: see `context`; parts of held terms are held.
            unsafe {
                if Z3_is_as_array(c, ast) {
                    let decl = context.ok(Z3_get_as_array_func_decl(c, ast))?;
                    let table = context.ok(Z3_model_get_func_interp(c, self.raw, decl))?;
                    Z3_func_interp_inc_ref(c, table);
                    let result = self.table(table, elem, &index, &mut stores);
                    Z3_func_interp_dec_ref(c, table);
                    return result.map(|default| finish(default, stores));
                }
                let app = context.ok(Z3_to_app(c, ast))?;
                match Z3_get_app_num_args(c, app) {
                    1 => {
                        let default = self.scalar(context.ok(Z3_get_app_arg(c, app, 0))?, elem)?;
                        return Ok(finish(default, stores));
                    }
                    3 => {
                        let at = index(context.ok(Z3_get_app_arg(c, app, 1))?)?;
                        let value = self.scalar(context.ok(Z3_get_app_arg(c, app, 2))?, elem)?;
                        // The outermost store is the last one.
                        stores.entry(at).or_insert(value);
                        ast = context.ok(Z3_get_app_arg(c, app, 0))?;
                    }
                    _ => return Err(Unknown::Error("an array in a model has no known form".into())),
                }
            }
        }
    }

    /// # Safety
    /// The caller holds the table.
    unsafe fn table(
        &self,
        table: Z3_func_interp,
        elem: Sort,
        index: &impl Fn(Z3_ast) -> Result<u128, Unknown>,
        stores: &mut FxHashMap<u128, Value>,
    ) -> Result<Value, Unknown> {
        let (context, c) = (self.context, self.context.raw());
        // SAFETY: see `context`.
        unsafe {
            for i in 0..Z3_func_interp_get_num_entries(c, table) {
                let entry = context.ok(Z3_func_interp_get_entry(c, table, i))?;
                Z3_func_entry_inc_ref(c, entry);
                let pair = (Z3_func_entry_get_arg(c, entry, 0), Z3_func_entry_get_value(c, entry));
                Z3_func_entry_dec_ref(c, entry);
                let at = index(context.ok(pair.0)?)?;
                let value = self.scalar(context.ok(pair.1)?, elem)?;
                stores.entry(at).or_insert(value);
            }
            match Z3_func_interp_get_else(c, table) {
                Some(default) => self.scalar(default, elem),
                None => Ok(Value::zero(elem)),
            }
        }
    }
}

fn finish(default: Value, stores: FxHashMap<u128, Value>) -> Value {
    let entries = stores.into_iter().filter(|(_, value)| *value != default).collect();
    Value::Array(Arc::new(ArrayValue { default, entries }))
}

/// A value as a term.
fn value_term(terms: &mut Terms, sort: Sort, value: &Value) -> TermId {
    match (value, sort) {
        (Value::Array(array), Sort::Array { index, .. }) => {
            let default = terms.constant(array.default.clone());
            let mut term = terms.const_array(index, default);
            for (&at, value) in &array.entries {
                let (at, value) = (terms.bv(index, at), terms.constant(value.clone()));
                term = terms.build(Op::Store, &[term, at, value]);
            }
            term
        }
        _ => terms.constant(value.clone()),
    }
}
