//! What of a Rust file other harnesses depend on.

/// A Rust file without comments, and without its harnesses and tests: a harness is part of its own result's key, and no
/// other one depends on it. `None` if it can't be parsed.
pub(super) fn meaning(text: &str) -> Option<String> {
    let mut file = syn::parse_file(text).ok()?;
    without_tests(&mut file.items);
    Some(quote::quote!(#file).to_string())
}

fn without_tests(items: &mut Vec<syn::Item>) {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "verify" || last.ident == "test")
    };
    items.retain(|item| match item {
        // Items inside of one can be found from elsewhere.
        syn::Item::Fn(function) => {
            !function.attrs.iter().any(is_test)
                || function.block.stmts.iter().any(|stmt| matches!(stmt, syn::Stmt::Item(_)))
        }
        _ => true,
    });
    for item in items {
        if let syn::Item::Mod(syn::ItemMod { content: Some((_, items)), .. }) = item {
            without_tests(items);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_harness_changes_no_meaning() {
        let of = |text: &str| meaning(text).expect("Rust");
        let base = of("const N: u8 = 1; mod proofs { #[verify] fn a() {} }");
        assert_eq!(
            base,
            of("const N: u8 = 1; // why\n mod proofs { #[tour::verify(timeout = 1)] fn b() { f() } }")
        );
        assert_ne!(base, of("const N: u8 = 2; mod proofs { #[verify] fn a() {} }"));
        assert_ne!(base, of("const N: u8 = 1; mod proofs { #[spec] fn a() {} }"));
        assert_ne!(base, of("const N: u8 = 1; mod proofs { #[verify] fn a() { const M: u8 = 1; } }"));
    }
}
