//! Blocks, statements, conditions, patterns and loops.

use super::{Read, Reader};
use crate::harness::items::Thing;
use crate::harness::lower::hir::{Arm, Cond, Expr, For, Kind, Pattern, Stmt};
use crate::harness::lower::ty::Ty;
use syn::{Expr as Syn, Lit, Pat, RangeLimits};

impl Reader<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Read<Expr> {
        self.scope.enter();
        let result = self.block_parts(block);
        self.scope.leave();
        result
    }

    fn block_parts(&mut self, block: &syn::Block) -> Read<Expr> {
        let mut stmts = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        for (i, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut stmts)?,
                syn::Stmt::Item(_) => {}
                syn::Stmt::Expr(expr, None) if i + 1 == block.stmts.len() => {
                    tail = Some(Box::new(self.expr(expr)?));
                }
                syn::Stmt::Expr(expr, _) => {
                    let value = self.expr(expr)?;
                    diverges |= never_ends(&value);
                    stmts.push(Stmt::Expr(value));
                }
                syn::Stmt::Macro(stmt) => {
                    let value = self.macro_call(&stmt.mac, &stmt.mac)?;
                    if stmt.semi_token.is_none() && i + 1 == block.stmts.len() {
                        tail = Some(Box::new(value));
                    } else {
                        diverges |= never_ends(&value);
                        stmts.push(Stmt::Expr(value));
                    }
                }
            }
        }
        let ty = match &tail {
            Some(value) => value.ty.clone(),
            // What never ends has any type.
            None if diverges => self.types.fresh(),
            None => Ty::Unit,
        };
        Ok(self.make(Kind::Block(stmts, tail), ty, block))
    }

    fn local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> Read<()> {
        let (pat, wanted) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(self.ty(&typed.ty)?)),
            pat => (pat, None),
        };
        let value = match (&local.init, &wanted) {
            (Some(init), Some(wanted)) => Some(self.expect(&init.expr, wanted)?),
            (Some(init), None) => Some(self.expr(&init.expr)?),
            (None, _) => None,
        };
        let ty = match (wanted, &value) {
            (Some(ty), _) => ty,
            (None, Some(value)) => value.ty.clone(),
            (None, None) => self.types.fresh(),
        };
        match (pat, value) {
            (Pat::Ident(name), mut value) => {
                // An input is shown under the name of its variable.
                if let Some(Expr { kind: Kind::Any(label), .. }) = &mut value {
                    *label = name.ident.to_string();
                }
                let id = self.scope.declare(&name.ident.to_string(), ty, self.span(&name.ident));
                stmts.push(Stmt::Let(id, value));
            }
            (Pat::Wild(_), Some(value)) => stmts.push(Stmt::Expr(value)),
            (Pat::Wild(_), None) => {}
            (Pat::Tuple(tuple), Some(value)) => {
                let Ty::Tuple(of) = self.types.head(&ty) else {
                    return self.error("this is no tuple", pat, "here");
                };
                let mut ids = Vec::new();
                for (pat, ty) in tuple.elems.iter().zip(of) {
                    ids.push(match pat {
                        Pat::Ident(name) => {
                            Some(self.scope.declare(&name.ident.to_string(), ty, self.span(&name.ident)))
                        }
                        _ => None,
                    });
                }
                stmts.push(Stmt::LetTuple(ids, value));
            }
            _ => return self.error("this pattern is not supported in a harness", pat, "use a plain name"),
        }
        Ok(())
    }

    pub(super) fn branch(&mut self, branch: &syn::ExprIf) -> Read<Expr> {
        self.scope.enter();
        let cond = self.condition(&branch.cond);
        let then = cond.and_then(|cond| Ok((cond, self.block(&branch.then_branch)?)));
        self.scope.leave();
        let (cond, then) = then?;
        let Some((_, other)) = &branch.else_branch else {
            return Ok(self.make(Kind::If(cond, Box::new(then), None), Ty::Unit, branch));
        };
        let other = self.expr(other)?;
        let ty = self.types.fresh();
        let then = self.coerce(then, &ty)?;
        let other = self.coerce(other, &ty)?;
        Ok(self.make(Kind::If(cond, Box::new(then), Some(Box::new(other))), ty, branch))
    }

    fn condition(&mut self, cond: &Syn) -> Read<Cond> {
        match cond {
            Syn::Let(binding) => {
                let value = self.expr(&binding.expr)?;
                let pattern = self.pattern(&binding.pat, &value.ty.clone())?;
                Ok(Cond::Let(pattern, Box::new(value)))
            }
            Syn::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                let left = self.condition(&binary.left)?;
                let right = self.condition(&binary.right)?;
                Ok(Cond::And(Box::new(left), Box::new(right)))
            }
            _ => Ok(Cond::Expr(Box::new(self.expect(cond, &Ty::Bool)?))),
        }
    }

    pub(super) fn select(&mut self, branch: &syn::ExprMatch) -> Read<Expr> {
        let value = self.expr(&branch.expr)?;
        let value = self.by_value(value);
        let ty = self.types.fresh();
        let mut arms = Vec::new();
        for arm in &branch.arms {
            self.scope.enter();
            let read = self.arm(arm, &value.ty.clone(), &ty);
            self.scope.leave();
            arms.push(read?);
        }
        Ok(self.make(Kind::Match(Box::new(value), arms), ty, branch))
    }

    fn arm(&mut self, arm: &syn::Arm, scrutinee: &Ty, ty: &Ty) -> Read<Arm> {
        let pattern = self.pattern(&arm.pat, scrutinee)?;
        let guard = match &arm.guard {
            Some((_, guard)) => Some(self.expect(guard, &Ty::Bool)?),
            None => None,
        };
        let body = self.expr(&arm.body)?;
        let body = self.coerce(body, ty)?;
        Ok(Arm { pattern, guard, body })
    }

    fn pattern(&mut self, pat: &Pat, ty: &Ty) -> Read<Pattern> {
        match pat {
            Pat::Wild(_) => Ok(Pattern::Wild),
            Pat::Paren(inner) => self.pattern(&inner.pat, ty),
            Pat::Lit(lit) => match &lit.lit {
                Lit::Bool(bool) => {
                    self.unify(ty, &Ty::Bool, self.span(pat))?;
                    Ok(Pattern::Bool(bool.value))
                }
                _ => {
                    let int = self.types.fresh_int();
                    self.unify(ty, &int, self.span(pat))?;
                    let expr = Syn::Lit(lit.clone());
                    self.number(&expr)
                }
            },
            Pat::Range(range) => {
                let int = self.types.fresh_int();
                self.unify(ty, &int, self.span(pat))?;
                let low = range.start.as_ref().map(|end| self.constant(end)).transpose()?;
                let mut high = range.end.as_ref().map(|end| self.constant(end)).transpose()?;
                if let RangeLimits::HalfOpen(_) = range.limits {
                    high = match high {
                        Some(end) => match end.checked_sub(1) {
                            Some(end) => Some(end),
                            None => return self.error("this range is empty", pat, "here"),
                        },
                        None => None,
                    };
                }
                Ok(Pattern::Range(low, high))
            }
            Pat::Ident(name) => {
                let path: syn::Path = name.ident.clone().into();
                if name.ident == "None" && !matches!(self.types.head(ty), Ty::Int(_)) {
                    return self.none(ty, pat);
                }
                if self.lookup(&path, |thing| matches!(thing, Thing::Const(_)))?.is_some() {
                    return self.number(&Syn::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path }));
                }
                let id = self.scope.declare(&name.ident.to_string(), ty.clone(), self.span(&name.ident));
                Ok(Pattern::Bind(id))
            }
            Pat::Path(path) if path.path.is_ident("None") => self.none(ty, pat),
            Pat::Path(path) => self.number(&Syn::Path(path.clone())),
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                let of = self.types.fresh();
                self.unify(ty, &Ty::Option(Box::new(of.clone())), self.span(pat))?;
                Ok(Pattern::Some(Box::new(self.pattern(&some.elems[0], &of)?)))
            }
            Pat::Tuple(tuple) => {
                let of: Vec<Ty> = tuple.elems.iter().map(|_| self.types.fresh()).collect();
                self.unify(ty, &Ty::Tuple(of.clone()), self.span(pat))?;
                let parts = tuple.elems.iter().zip(&of).map(|(pat, ty)| self.pattern(pat, ty));
                Ok(Pattern::Tuple(parts.collect::<Read<_>>()?))
            }
            Pat::Or(or) => {
                let cases = or.cases.iter().map(|pat| self.pattern(pat, ty)).collect::<Read<Vec<_>>>()?;
                if cases.iter().any(binds) {
                    return self.error("names inside of `|` are not supported in a harness", pat, "here");
                }
                Ok(Pattern::Or(cases))
            }
            _ => self.error("this pattern is not supported in a harness", pat, "here"),
        }
    }

    fn none(&mut self, ty: &Ty, pat: &Pat) -> Read<Pattern> {
        let of = self.types.fresh();
        self.unify(ty, &Ty::Option(Box::new(of)), self.span(pat))?;
        Ok(Pattern::None)
    }

    /// A constant as a pattern.
    fn number(&mut self, expr: &Syn) -> Read<Pattern> {
        let value = self.constant(expr)?;
        // A literal above the largest signed number wrapped around.
        let positive = matches!(expr, Syn::Lit(lit)
            if matches!(&lit.lit, Lit::Int(int) if !int.base10_digits().starts_with('-')));
        if positive && value < 0 {
            return Ok(Pattern::Large(value as u128));
        }
        Ok(Pattern::Range(Some(value), Some(value)))
    }

    pub(super) fn repetition(&mut self, expr: &Syn) -> Read<Expr> {
        let name = |label: &Option<syn::Label>| label.as_ref().map(|label| label.name.ident.to_string());
        match expr {
            Syn::While(repeat) => {
                let id = self.scope.open(name(&repeat.label), Ty::Unit, true);
                self.scope.enter();
                let cond = self.condition(&repeat.cond);
                let body = cond.and_then(|cond| Ok((cond, self.block(&repeat.body)?)));
                self.scope.leave();
                self.scope.close();
                let (cond, body) = body?;
                Ok(self.make(Kind::While(id, cond, Box::new(body)), Ty::Unit, expr))
            }
            Syn::Loop(repeat) => {
                let result = self.types.fresh();
                let id = self.scope.open(name(&repeat.label), result.clone(), true);
                let body = self.block(&repeat.body);
                self.scope.close();
                Ok(self.make(Kind::Loop(id, Box::new(body?)), result, expr))
            }
            Syn::ForLoop(repeat) => self.for_loop(repeat, name(&repeat.label)),
            _ => self.error("this loop is not supported in a harness", expr, "here"),
        }
    }

    fn for_loop(&mut self, repeat: &syn::ExprForLoop, label: Option<String>) -> Read<Expr> {
        let mut reversed = false;
        let mut over = &*repeat.expr;
        let range = loop {
            match over {
                Syn::Range(range) => break range,
                Syn::Paren(inner) => over = &inner.expr,
                Syn::Group(inner) => over = &inner.expr,
                Syn::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                    reversed = !reversed;
                    over = &call.receiver;
                }
                other => {
                    return self.error(
                        "a `for` loop runs over a range in a harness",
                        other,
                        "write `for i in 0..n`",
                    );
                }
            }
        };
        let (Some(low), Some(high)) = (&range.start, &range.end) else {
            return self.error("this range has no end", range, "write `low..high`");
        };
        let low = self.expr(low)?;
        let high = self.expect(high, &low.ty.clone())?;
        if !self.types.is_integer(&low.ty) {
            let int = self.types.fresh_int();
            self.unify(&low.ty.clone(), &int, low.span)?;
        }
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let id = self.scope.open(label, Ty::Unit, true);
        self.scope.enter();
        let local = match &*repeat.pat {
            Pat::Ident(name) => {
                Some(self.scope.declare(&name.ident.to_string(), low.ty.clone(), self.span(&name.ident)))
            }
            _ => None,
        };
        let body = self.block(&repeat.body);
        self.scope.leave();
        self.scope.close();
        let mutable = matches!(&*repeat.pat, Pat::Ident(name) if name.mutability.is_some());
        let parts = For { id, local, mutable, low, high, inclusive, reversed, body: body? };
        Ok(self.make(Kind::For(Box::new(parts)), Ty::Unit, repeat))
    }

    pub(super) fn exit(&mut self, expr: &Syn) -> Read<Expr> {
        let ty = self.types.fresh();
        let kind = match expr {
            Syn::Return(exit) => {
                let ret = self.ret.clone();
                Kind::Return(match &exit.expr {
                    Some(value) => Some(Box::new(self.expect(value, &ret)?)),
                    None => None,
                })
            }
            Syn::Break(exit) => {
                let label = exit.label.as_ref().map(|label| label.ident.to_string());
                let Some(open) = self.scope.target(label.as_deref()).cloned() else {
                    return self.error("there is no loop to leave", expr, "here");
                };
                let value = match &exit.expr {
                    Some(value) => Some(Box::new(self.expect(value, &open.result)?)),
                    None => {
                        self.unify(&open.result, &Ty::Unit, self.span(expr))?;
                        None
                    }
                };
                Kind::Break(open.id, value)
            }
            Syn::Continue(exit) => {
                let label = exit.label.as_ref().map(|label| label.ident.to_string());
                let Some(open) = self.scope.target(label.as_deref()).cloned() else {
                    return self.error("there is no loop to go on with", expr, "here");
                };
                Kind::Continue(open.id)
            }
            _ => return self.error("this expression is not supported in a harness", expr, "here"),
        };
        Ok(self.make(kind, ty, expr))
    }
}

/// It jumps away, whatever its type was inferred to be.
fn never_ends(value: &Expr) -> bool {
    match &value.kind {
        Kind::Break(..) | Kind::Continue(_) | Kind::Return(_) | Kind::Panic(_) => true,
        Kind::Block(stmts, tail) => {
            tail.as_deref().is_some_and(never_ends)
                || stmts.iter().any(|stmt| matches!(stmt, Stmt::Expr(value) if never_ends(value)))
        }
        _ => false,
    }
}

fn binds(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Bind(_) => true,
        Pattern::Some(inner) => binds(inner),
        Pattern::Tuple(parts) | Pattern::Or(parts) => parts.iter().any(binds),
        Pattern::Wild | Pattern::Range(..) | Pattern::Large(_) | Pattern::Bool(_) | Pattern::None => false,
    }
}
