//! `#[derive(Fields)]`: the table of a request's fields, made of its type.
//!
//! A field is of the kind of its type (`lesson_types::Typed`), but for texts, which have none: each says by an attribute
//! what becomes of it, such as `#[field(stored)]`. So a text that nobody thought about does not compile.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, parse_macro_input};

/// The uses of a text: the words of the attribute, and the variants of `lesson_types::TextUse`.
const TEXTS: [(&str, &str); 5] = [
    ("stored", "Stored"),
    ("name", "Name"),
    ("lesson", "Lesson"),
    ("sought", "Sought"),
    ("verbatim", "Verbatim"),
];

/// Makes the table of a struct's fields; an enum without fields is a closed vocabulary.
#[proc_macro_derive(Fields, attributes(field))]
pub fn fields(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implemented(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn implemented(input: &DeriveInput) -> Result<Tokens, Error> {
    let name = &input.ident;
    match &input.data {
        Data::Struct(data) => {
            let Fields::Named(named) = &data.fields else {
                return Err(Error::new_spanned(
                    name,
                    "only a struct with named fields has a table",
                ));
            };
            let rows = named.named.iter().map(row).collect::<Result<Vec<_>, _>>()?;
            Ok(quote! {
                impl crate::Fields for #name {
                    const FIELDS: &'static [crate::Field] = &[#(#rows),*];
                }
                impl crate::Typed for #name {
                    const TYPE: crate::FieldType = crate::FieldType::Fields(<Self as crate::Fields>::FIELDS);
                }
            })
        }
        Data::Enum(_) => Ok(quote! {
            impl crate::Typed for #name {
                const TYPE: crate::FieldType = crate::FieldType::Word;
            }
        }),
        Data::Union(_) => Err(Error::new_spanned(name, "a union has no table")),
    }
}

fn row(field: &Field) -> Result<Tokens, Error> {
    let name = field.ident.as_ref().map(Ident::to_string);
    let name = name.ok_or_else(|| Error::new_spanned(field, "the field has no name"))?;
    let of = match text(field)? {
        Some(text) => quote! { crate::FieldType::Text(crate::TextUse::#text) },
        None => {
            let ty = &field.ty;
            quote! { <#ty as crate::Typed>::TYPE }
        }
    };
    Ok(quote! { crate::Field { name: #name, of: #of } })
}

/// The variant of `TextUse` that a field's attribute names.
fn text(field: &Field) -> Result<Option<Ident>, Error> {
    for attribute in &field.attrs {
        if !attribute.path().is_ident("field") {
            continue;
        }
        let word: Ident = attribute.parse_args()?;
        let known = TEXTS.iter().find(|(known, _)| word == known);
        let Some((_, variant)) = known else {
            let words = TEXTS.map(|(word, _)| word).join(", ");
            return Err(Error::new_spanned(
                &word,
                format!("`{word}` is none of {words}"),
            ));
        };
        return Ok(Some(Ident::new(variant, word.span())));
    }
    Ok(None)
}
