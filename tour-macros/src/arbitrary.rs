//! `#[derive(Arbitrary)]`

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

/// Fields take their values in the order of their declaration, as the verifier does.
pub(crate) fn derive(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    if let Some(param) = item.generics.params.first() {
        return syn::Error::new_spanned(param, "a generic struct can't be an input").to_compile_error();
    }
    let Data::Struct(data) = &item.data else {
        return syn::Error::new_spanned(name, "only a struct can derive `Arbitrary`").to_compile_error();
    };
    let fields = data.fields.members().zip(&data.fields).map(|(member, field)| {
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
