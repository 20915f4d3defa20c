//! Which constructs a harness or a `#[spec]` function can contain.
//!
//! This looks at the syntax alone: types and names are looked at when the harness is verified.

use crate::names;
use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Block, Expr, ExprMacro, FnArg, GenericArgument, ItemFn, Lit, Local, Macro, Member, Pat, Path,
    PathArguments, ReturnType, Signature, Stmt, Token, Type, UnOp,
};

/// Something that is not supported.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What, and what is supported instead.
    pub message: String,
}

/// What is not supported in a function marked `#[verify]`.
pub fn check_harness(function: &ItemFn) -> Vec<Problem> {
    let mut checker = Checker::default();
    checker.signature(&function.sig);
    for input in &function.sig.inputs {
        if let FnArg::Typed(param) = input {
            checker.input_type(&param.ty);
        }
    }
    match &function.sig.output {
        ReturnType::Type(_, ty) if !is_unit(ty) => {
            checker.problem(ty, "a harness returns nothing: make claims with `assert!`");
        }
        _ => {}
    }
    checker.block(&function.block);
    checker.problems
}

/// What is not supported in a function marked `#[spec]`.
pub fn check_spec(function: &ItemFn) -> Vec<Problem> {
    let mut checker = Checker::default();
    checker.signature(&function.sig);
    if let ReturnType::Type(_, ty) = &function.sig.output {
        checker.ty(ty);
    }
    checker.block(&function.block);
    checker.problems
}

#[derive(Default)]
struct Checker {
    problems: Vec<Problem>,
}

const EXPRESSIONS: &str =
    "integers, booleans, arrays, `#[repr(C)]` structs, pointers, `if`, `match`, loops, \
                           calls of `extern \"C\"` and `#[spec]` functions, and assertions are";

impl Checker {
    fn problem(&mut self, node: &impl Spanned, message: impl Into<String>) {
        self.problems.push(Problem { span: node.span(), message: message.into() });
    }

    fn unsupported(&mut self, node: &impl Spanned, what: &str) {
        self.problem(node, format!("{what} not supported in a harness; {EXPRESSIONS}"));
    }

    fn signature(&mut self, sig: &Signature) {
        if let Some(token) = &sig.asyncness {
            self.problem(token, "an `async` function can't be verified");
        }
        if let Some(param) = sig.generics.params.first() {
            self.problem(param, "a generic function can't be verified: write one for each type");
        }
        if let Some(token) = &sig.variadic {
            self.problem(token, "a variadic function can't be verified");
        }
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    self.problem(receiver, "a method can't be verified: write a function");
                }
                FnArg::Typed(param) => {
                    self.binding(&param.pat, "a parameter is a plain name");
                    self.ty(&param.ty);
                }
            }
        }
    }

    /// Parameters of a harness are values of any kind that inputs can have.
    fn input_type(&mut self, ty: &Type) {
        match ty {
            Type::Reference(_) | Type::Ptr(_) => self.problem(
                ty,
                "a harness parameter is a symbolic input: take a value (an integer, `bool`, an array or a struct) \
                 and pass its address to the C",
            ),
            Type::Array(array) => self.input_type(&array.elem),
            _ => {}
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() => self.path_type(&path.path),
            Type::Array(array) => {
                self.ty(&array.elem);
                self.expr(&array.len);
            }
            Type::Reference(reference) => self.ty(&reference.elem),
            Type::Ptr(pointer) => self.ty(&pointer.elem),
            Type::Slice(slice) => self.ty(&slice.elem),
            Type::Paren(inner) => self.ty(&inner.elem),
            Type::Group(inner) => self.ty(&inner.elem),
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| self.ty(ty)),
            Type::Infer(_) | Type::Never(_) => {}
            _ => self.problem(
                ty,
                "this type is not supported in a harness; integers, `bool`, arrays, slices, tuples, `#[repr(C)]` \
                 structs, references and raw pointers are",
            ),
        }
    }

    fn path_type(&mut self, path: &Path) {
        let Some(last) = path.segments.last() else { return };
        let name = last.ident.to_string();
        match name.as_str() {
            "f32" | "f64" | "c_float" | "c_double" => self.problem(
                path,
                "floating-point numbers are not supported in a harness yet; the C may use them",
            ),
            "char" | "str" | "String" => {
                self.problem(path, "text is not supported in a harness: use bytes (`u8`, `[u8; N]`)");
            }
            "Vec" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" => self.problem(
                path,
                format!("`{name}` allocates and is not supported in a harness: use an array `[T; N]`"),
            ),
            _ => {}
        }
        if let PathArguments::AngleBracketed(args) = &last.arguments {
            for arg in &args.args {
                if let GenericArgument::Type(ty) = arg {
                    self.ty(ty);
                }
            }
        }
    }

    fn binding(&mut self, pat: &Pat, otherwise: &str) {
        match pat {
            Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => {}
            Pat::Wild(_) => {}
            _ => self.problem(pat, otherwise),
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, _) => self.expr(expr),
                Stmt::Macro(stmt) => self.mac(&stmt.mac),
                Stmt::Item(item) => match item {
                    syn::Item::ForeignMod(_)
                    | syn::Item::Const(_)
                    | syn::Item::Use(_)
                    | syn::Item::Struct(_)
                    | syn::Item::Type(_)
                    | syn::Item::Fn(_) => {}
                    _ => self.problem(item, "this item is not supported inside of a harness: move it out"),
                },
            }
        }
    }

    fn local(&mut self, local: &Local) {
        if let Some((_, diverge)) = local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            return self
                .problem(diverge, "`let … else` is not supported in a harness: use `match` or `if let`");
        }
        match &local.pat {
            Pat::Type(typed) => {
                self.let_pattern(&typed.pat);
                self.ty(&typed.ty);
            }
            pat => self.let_pattern(pat),
        }
        if let Some(init) = &local.init {
            self.expr(&init.expr);
        }
    }

    fn let_pattern(&mut self, pat: &Pat) {
        match pat {
            Pat::Tuple(tuple) => {
                for pat in &tuple.elems {
                    self.binding(pat, "patterns inside of a tuple are plain names here");
                }
            }
            _ => self.binding(pat, "`let` takes a plain name, `_` or a tuple of names in a harness"),
        }
    }

    /// A pattern of `match` or `if let`.
    fn pattern(&mut self, pat: &Pat) {
        match pat {
            Pat::Wild(_) | Pat::Path(_) => {}
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {}
            Pat::Lit(lit) => self.literal(&lit.lit),
            Pat::Range(range) => {
                for end in [&range.start, &range.end].into_iter().flatten() {
                    self.expr(end);
                }
            }
            Pat::Or(or) => or.cases.iter().for_each(|pat| self.pattern(pat)),
            Pat::Paren(inner) => self.pattern(&inner.pat),
            Pat::TupleStruct(some) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                self.pattern(&some.elems[0]);
            }
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|pat| self.pattern(pat)),
            _ => self.problem(
                pat,
                "this pattern is not supported in a harness; integers, ranges, booleans, constants, `Some`, `None`, \
                 tuples, names and `_` are",
            ),
        }
    }

    fn literal(&mut self, lit: &Lit) {
        match lit {
            Lit::Int(_) | Lit::Bool(_) | Lit::Byte(_) | Lit::ByteStr(_) | Lit::CStr(_) => {}
            Lit::Float(_) => self.unsupported(lit, "floating-point numbers are"),
            Lit::Char(_) | Lit::Str(_) => {
                self.problem(
                    lit,
                    "text is not supported in a harness: use bytes (`b'a'`, `b\"text\"`, `c\"text\"`)",
                );
            }
            _ => self.unsupported(lit, "this literal is"),
        }
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Lit(lit) => self.literal(&lit.lit),
            Expr::Path(_) => {}
            Expr::Paren(inner) => self.expr(&inner.expr),
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Array(array) => self.exprs(&array.elems),
            Expr::Repeat(repeat) => self.exprs([&*repeat.expr, &*repeat.len]),
            Expr::Tuple(tuple) => self.exprs(&tuple.elems),
            Expr::Assign(assign) => {
                match &*assign.left {
                    Expr::Infer(_) => {}
                    Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) => self.problem(
                        &assign.left,
                        "destructuring assignments are not supported in a harness: assign one by one",
                    ),
                    left => self.expr(left),
                }
                self.expr(&assign.right);
            }
            Expr::Binary(binary) => self.exprs([&*binary.left, &*binary.right]),
            Expr::Unary(unary) => {
                self.expr(&unary.expr);
                if !matches!(unary.op, UnOp::Deref(_) | UnOp::Not(_) | UnOp::Neg(_)) {
                    self.unsupported(expr, "this operator is");
                }
            }
            Expr::Cast(cast) => {
                self.expr(&cast.expr);
                self.ty(&cast.ty);
            }
            Expr::Reference(reference) => self.expr(&reference.expr),
            Expr::RawAddr(raw) => self.expr(&raw.expr),
            Expr::Field(field) => {
                self.expr(&field.base);
                let (Member::Named(_) | Member::Unnamed(_)) = field.member;
            }
            Expr::Index(index) => {
                self.expr(&index.expr);
                match &*index.index {
                    Expr::Range(range) => {
                        self.exprs([&range.start, &range.end].into_iter().flatten().map(|e| &**e));
                    }
                    other => self.expr(other),
                }
            }
            Expr::Struct(literal) => {
                self.exprs(literal.fields.iter().map(|field| &field.expr));
                if let Some(rest) = &literal.rest {
                    self.expr(rest);
                }
            }
            Expr::Block(block) => self.block(&block.block),
            Expr::Unsafe(block) => self.block(&block.block),
            Expr::If(branch) => {
                self.condition(&branch.cond);
                self.block(&branch.then_branch);
                if let Some((_, other)) = &branch.else_branch {
                    self.expr(other);
                }
            }
            Expr::Match(branch) => {
                self.expr(&branch.expr);
                for arm in &branch.arms {
                    self.pattern(&arm.pat);
                    if let Some((_, guard)) = &arm.guard {
                        self.expr(guard);
                    }
                    self.expr(&arm.body);
                }
            }
            Expr::While(repeat) => {
                self.condition(&repeat.cond);
                self.block(&repeat.body);
            }
            Expr::Loop(repeat) => self.block(&repeat.body),
            Expr::ForLoop(repeat) => {
                self.binding(&repeat.pat, "the variable of a `for` loop is a plain name or `_` in a harness");
                self.iteration(&repeat.expr);
                self.block(&repeat.body);
            }
            Expr::Break(exit) => self.exprs(exit.expr.as_deref()),
            Expr::Continue(_) => {}
            Expr::Return(exit) => self.exprs(exit.expr.as_deref()),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if !names::is_method(&name) {
                    self.problem(
                        &call.method,
                        format!(
                            "the method `{name}` is not supported in a harness; the methods of integers are \
                             `wrapping_*`, `checked_*`, `saturating_*`, `overflowing_*`, `min`, `max`, `abs` and a few \
                             more, those of arrays and slices `len`, `as_ptr` and `as_mut_ptr`"
                        ),
                    );
                }
                self.expr(&call.receiver);
                // The text of `expect` is only for people.
                if name != "expect" {
                    self.exprs(&call.args);
                }
            }
            Expr::Macro(ExprMacro { mac, .. }) => self.mac(mac),
            Expr::Let(_) => self.unsupported(expr, "`let` in this place is"),
            Expr::Range(_) => {
                self.problem(expr, "a range is supported in `for` loops, patterns and slices only");
            }
            Expr::Closure(_) => self.unsupported(expr, "closures are"),
            Expr::Async(_) | Expr::Await(_) => self.unsupported(expr, "`async` and `await` are"),
            Expr::Try(_) => {
                self.problem(expr, "`?` is not supported in a harness: use `unwrap` or `match`");
            }
            _ => self.unsupported(expr, "this expression is"),
        }
    }

    /// A condition may bind.
    fn condition(&mut self, cond: &Expr) {
        match cond {
            Expr::Let(binding) => {
                self.pattern(&binding.pat);
                self.expr(&binding.expr);
            }
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                self.condition(&binary.left);
                self.condition(&binary.right);
            }
            _ => self.expr(cond),
        }
    }

    /// `a..b`, `a..=b`, `(a..b).rev()`
    fn iteration(&mut self, expr: &Expr) {
        match expr {
            Expr::Range(range) => {
                if range.start.is_none() || range.end.is_none() {
                    self.problem(range, "a range of a `for` loop has both ends in a harness: `0..n`");
                }
                self.exprs([&range.start, &range.end].into_iter().flatten().map(|e| &**e));
            }
            Expr::Paren(inner) => self.iteration(&inner.expr),
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                self.iteration(&call.receiver);
            }
            _ => self.problem(
                expr,
                "a `for` loop runs over a range in a harness: `for i in 0..n`, with `a[i]` for the elements of an \
                 array",
            ),
        }
    }

    fn call(&mut self, call: &syn::ExprCall) {
        match &*call.func {
            Expr::Path(path) => {
                if path.qself.is_some() {
                    self.problem(path, "this path is not supported in a harness: name the function itself");
                }
            }
            other => self.problem(other, "only functions can be called in a harness, not values"),
        }
        self.exprs(&call.args);
    }

    fn mac(&mut self, mac: &Macro) {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        if !names::MACROS.contains(&name.as_str()) {
            self.problem(
                &mac.path,
                format!(
                    "the macro `{name}!` is not supported in a harness; `assert!`, `assert_eq!`, `assert_ne!`, \
                     `panic!` and `unreachable!` are"
                ),
            );
            return;
        }
        let claims = match name.as_str() {
            "assert" | "debug_assert" | "addr_of" | "addr_of_mut" => 1,
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 2,
            _ => 0,
        };
        match arguments(mac.tokens.clone()) {
            Ok(args) => self.exprs(args.iter().take(claims)),
            Err(error) => self.problems.push(Problem { span: error.span(), message: error.to_string() }),
        }
    }
}

/// The arguments of a macro that takes expressions.
pub fn arguments(tokens: TokenStream) -> syn::Result<Vec<Expr>> {
    let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
    Ok(parser.parse2(tokens)?.into_iter().collect())
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let function: ItemFn = syn::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        check_harness(&function).into_iter().map(|p| p.message).collect()
    }

    #[test]
    fn what_a_harness_is_made_of_is_let_through() {
        let text = r#"
            fn h(x: u8, mut n: usize, a: [i32; 4], r: Ring) {
                assume(n > 0 && n <= 8);
                let mut r = unsafe { ring_new(n) };
                let (sum, carry) = x.overflowing_add(1);
                let t = if carry { 1 } else { (sum as i32) << 3 };
                'outer: for i in (0..=n).rev() {
                    while let Some(y) = x.checked_add(1) { if y > 3 { break 'outer; } }
                    unsafe { ring_push(&mut r, a[i]) };
                }
                match t { 0 | 5..=9 => {} K if n == 2 => return, -1 => unreachable!("no"), _ => n += 1 }
                let p = a.as_ptr();
                assert_eq!(unsafe { *p.add(1) }, any::<i32>(), "text {}", x);
                debug_assert!(!p.is_null());
                let s = &a[1..n];
                let z = loop { break 3u64; };
                let text = b"abc";
            }"#;
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn what_is_not_supported_is_told_with_what_is() {
        let check = |body: &str, want: &str| {
            let found = problems(&format!("fn h(x: u8) {{ {body} }}"));
            assert!(found.len() == 1 && found[0].contains(want), "{body}: {found:?}");
        };
        check("let f = |y| y;", "closures are not supported in a harness; integers,");
        check("let v = vec![1, 2];", "the macro `vec!` is not supported");
        check("println!(\"{}\", x);", "the macro `println!` is not supported");
        check("let y: f64;", "floating-point numbers are not supported in a harness yet");
        check("let s = \"text\";", "use bytes");
        check("let v: Vec<u8>;", "`Vec` allocates");
        check("x.to_string();", "the method `to_string` is not supported");
        check("for i in [1, 2] {}", "runs over a range");
        check("f()?;", "`?` is not supported");
        check("let [a, b] = c;", "`let` takes a plain name");
        check("let Some(a) = b else { return };", "`let … else`");
        check("(self.f)(x);", "not values");
        check("match x { Point { x, .. } => {} }", "this pattern is not supported");
    }

    #[test]
    fn signatures_are_checked() {
        let check = |text: &str, want: &str| {
            let found = problems(text);
            assert!(found.len() == 1 && found[0].contains(want), "{text}: {found:?}");
        };
        check("async fn h() {}", "`async`");
        check("fn h<T>(x: T) {}", "generic");
        check("fn h(p: *mut u8) {}", "symbolic input");
        check("fn h((a, b): (u8, u8)) {}", "plain name");
        check("fn h() -> u8 { 3 }", "returns nothing");
        check("fn h(x: String) {}", "text is not supported");
    }
}
