//! `#[derive(Arbitrary)]`

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemStruct};

/// Fields take their values in the order of their declaration, as the verifier does.
pub(crate) fn derive(item: &Item) -> TokenStream {
    let Item::Struct(ItemStruct { ident: name, generics, fields, .. }) = item else {
        return syn::Error::new_spanned(item, "only a struct can derive `Arbitrary`").to_compile_error();
    };
    if let Some(param) = generics.params.first() {
        return syn::Error::new_spanned(param, "a generic struct can't be an input").to_compile_error();
    }
    let fields = fields.members().zip(fields).map(|(member, field)| {
        let ty = &field.ty;
        quote! { #member: <#ty as ::tour::harness::Arbitrary>::take(source) }
    });
    quote! {
        impl ::tour::harness::Arbitrary for #name {
            fn take(source: &mut ::tour::harness::Source) -> Self {
                let _ = &source;
                #name { #(#fields),* }
            }
        }
    }
}
