//! What `#[verify]` and `#[spec]` expand to.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned, ToTokens};
use syn::{Attribute, Expr, ExprLit, FnArg, ItemFn, Lit, Meta, MetaNameValue, Pat};
use tour_syntax::{check_harness, check_spec, Problem, VerifyArgs};

/// A test of the same name, with the body as a function of its own: the verifier is given its text, and a replay runs
/// it.
pub(crate) fn verify(args: &VerifyArgs, function: &ItemFn) -> TokenStream {
    let problems = check_harness(function);
    if !problems.is_empty() {
        return rejected(&problems, function);
    }
    let ItemFn { attrs, vis, sig, block } = function;
    let name = &sig.ident;
    let inputs = &sig.inputs;
    let unsafety = &sig.unsafety;
    let takes = inputs.iter().filter_map(|input| match input {
        FnArg::Typed(param) => {
            let (ty, name) = (&param.ty, shown(&param.pat));
            Some(quote_spanned! { sig.ident.span() => ::tour::harness::input::<#ty>(#name) })
        }
        FnArg::Receiver(_) => None,
    });
    let mut call = quote! { __tour_body(#(#takes),*) };
    if unsafety.is_some() {
        call = quote! { unsafe { #call } };
    }
    let description = description(args, function);
    let announce = announce();
    quote_spanned! { name.span() =>
        #[test]
        #(#attrs)*
        #vis fn #name() {
            #unsafety fn __tour_body(#inputs) #block
            static DESCRIPTION: ::tour::harness::Description = #description;
            #announce
            ::tour::harness::run(&DESCRIPTION, || #call);
        }
    }
}

/// Runs before `main`: a harness says that it is there when it is asked for. These tokens are of the edition of this crate,
/// in which `link_section` needs no `unsafe(…)`, which compilers before 1.82 do not know.
fn announce() -> TokenStream {
    quote! {
        const _: () = {
            extern "C" fn announce() {
                ::tour::harness::announce(&DESCRIPTION);
            }
            #[used]
            #[cfg_attr(
                any(target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "netbsd"),
                link_section = ".init_array"
            )]
            #[cfg_attr(target_vendor = "apple", link_section = "__DATA,__mod_init_func")]
            #[cfg_attr(windows, link_section = ".CRT$XCU")]
            static ANNOUNCE: extern "C" fn() = announce;
        };
    }
}

/// The name of a parameter, without `mut`.
fn shown(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(name) => name.ident.to_string(),
        other => other.to_token_stream().to_string(),
    }
}

fn description(args: &VerifyArgs, function: &ItemFn) -> TokenStream {
    let VerifyArgs { timeout, memory, tags, unwind, properties, malloc_may_fail, engine, should_fail } = args;
    let engine = engine.iter().map(|(name, value)| quote! { (#name, #value) });
    let name = function.sig.ident.to_string();
    let has = |attribute: &str| function.attrs.iter().any(|a| a.path().is_ident(attribute));
    let (should_panic, ignored) = (has("should_panic"), has("ignore"));
    let source = function.to_token_stream().to_string();
    let should_fail = should_fail.clone().or_else(|| expected_panic(&function.attrs));
    let (timeout, memory, unwind, should_fail) =
        (option(timeout), option(memory), option(unwind), option(&should_fail));
    quote! {
        ::tour::harness::Description {
            module: ::core::module_path!(),
            function: #name,
            package: ::core::env!("CARGO_PKG_NAME"),
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
            out_dir: ::core::option_env!("OUT_DIR"),
            binary: ::core::option_env!("CARGO_BIN_NAME"),
            is_integration_test: ::core::option_env!("CARGO_TARGET_TMPDIR").is_some(),
            file: ::core::file!(),
            line: ::core::line!(),
            tags: &[#(#tags),*],
            timeout: #timeout,
            memory: #memory,
            unwind: #unwind,
            properties: &[#(#properties),*],
            malloc_may_fail: #malloc_may_fail,
            engine: &[#(#engine),*],
            should_fail: #should_fail,
            should_panic: #should_panic,
            ignored: #ignored,
            source: #source,
        }
    }
}

/// The text of `#[should_panic(expected = "…")]` or `#[should_panic = "…"]`, which the test executable's own runner looks for.
fn expected_panic(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.path().is_ident("should_panic"))?;
    let value = match &attribute.meta {
        Meta::NameValue(value) => value.value.clone(),
        Meta::List(list) => list.parse_args::<MetaNameValue>().ok()?.value,
        Meta::Path(_) => return None,
    };
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn option(value: &Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote! { ::core::option::Option::Some(#value) },
        None => quote! { ::core::option::Option::None },
    }
}

/// The function as it is, once it is known that the verifier can read it.
pub(crate) fn spec(function: &ItemFn) -> TokenStream {
    let problems = check_spec(function);
    if problems.is_empty() {
        function.to_token_stream()
    } else {
        rejected(&problems, function)
    }
}

/// One error for each problem; the function stays, so that no other errors follow.
fn rejected(problems: &[Problem], function: &ItemFn) -> TokenStream {
    let errors = problems.iter().map(|p| syn::Error::new(p.span, &p.message).to_compile_error());
    quote! {
        #(#errors)*
        #[allow(dead_code, unused)]
        #function
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(text: &str) -> ItemFn {
        syn::parse_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_harness_is_a_test_of_its_name_with_its_attributes() {
        let harness = function("#[ignore] #[should_panic] fn h(x: u8, mut a: [u16; 2]) { assert!(x > 0); }");
        let text = verify(&VerifyArgs::default(), &harness).to_string();
        for part in [
            "# [test] # [ignore] # [should_panic] fn h ()",
            "fn __tour_body (x : u8 , mut a : [u16 ; 2])",
            "input :: < [u16 ; 2] > (\"a\")",
            "should_panic : true , ignored : true",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn an_expected_panic_is_how_the_harness_should_fail() {
        let check = |args: &str, attribute: &str, expected: &str| {
            let args = if args.is_empty() {
                VerifyArgs::default()
            } else {
                syn::parse_str(args).expect("arguments")
            };
            let harness = function(&format!("{attribute} fn h(x: u8) {{ assert!(x > 0); }}"));
            let text = verify(&args, &harness).to_string();
            let (_, found) = text.split_once("should_fail : ").expect("the field");
            assert!(found.starts_with(expected), "{attribute}: {found}");
        };
        check(
            "",
            "#[should_panic(expected = \"too small\")]",
            ":: core :: option :: Option :: Some (\"too small\")",
        );
        check("", "#[should_panic = \"too small\"]", ":: core :: option :: Option :: Some (\"too small\")");
        check("", "#[should_panic]", ":: core :: option :: Option :: None");
        check("", "", ":: core :: option :: Option :: None");
        let both = ":: core :: option :: Option :: Some (\"assert\")";
        check("should_fail = \"assert\"", "#[should_panic(expected = \"too small\")]", both);
    }

    #[test]
    fn problems_are_compile_errors() {
        let text = verify(&VerifyArgs::default(), &function("fn h() { let f = || 1; }")).to_string();
        assert!(text.contains("compile_error ! { \"closures are not supported"), "{text}");
        assert!(!text.contains("# [test]"), "{text}");
        let text = spec(&function("async fn s() {}")).to_string();
        assert!(text.contains("compile_error"), "{text}");
    }
}
