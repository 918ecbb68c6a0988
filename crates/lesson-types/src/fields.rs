//! The fields of requests, as tables made of their types by `#[derive(Fields)]`. The router reads parameters by them,
//! validation refuses `null` by them, and the service redacts texts by them.

/// A field of a request, or a parameter of its query.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its type.
    pub of: FieldType,
}

/// The kind of a field. A list is of the kind of its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A number. JSON writes NaN and the infinities as `null`, so `null` is no absent number.
    Number,
    /// True or false.
    Flag,
    /// A word of a closed vocabulary.
    Word,
    /// A text.
    Text(TextUse),
    /// Open JSON, which its handler checks.
    Open,
    /// Fields of its own.
    Fields(&'static [Field]),
}

/// The use of a text that a request brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUse {
    /// It is stored, or what is stored is made of it: secrets are redacted.
    Stored,
    /// It is stored, and tells things apart for other agents: secrets are redacted, and it is refused where it addresses
    /// its reader.
    Name,
    /// It is a lesson's, which is screened where the lesson is made, so that people read what was found.
    Lesson,
    /// It is compared or looked up, and kept nowhere: queries, slugs, ids, cursors.
    Sought,
    /// A person's own word that has to stay as it is: names of people and keys, credentials, codes.
    Verbatim,
}

/// A type with a table of its fields.
pub trait Fields {
    /// Its fields, in the order of their declaration.
    const FIELDS: &'static [Field];
}

/// A type of a field. Texts have none: what becomes of one is said at the field.
#[diagnostic::on_unimplemented(
    message = "nothing says what becomes of this field's text",
    label = "add #[field(stored)], #[field(name)], #[field(lesson)], #[field(sought)] or #[field(verbatim)]; see lesson_types::TextUse",
    note = "another type than a text derives `Fields`"
)]
pub trait Typed {
    /// The kind of its fields.
    const TYPE: FieldType;
}

macro_rules! kinds {
    ($($type:ty: $kind:ident),*) => {
        $(impl Typed for $type {
            const TYPE: FieldType = FieldType::$kind;
        })*
    };
}

kinds!(u32: Number, f64: Number, bool: Flag, serde_json::Value: Open);

impl<T: Typed> Typed for Option<T> {
    const TYPE: FieldType = T::TYPE;
}

impl<T: Typed> Typed for Vec<T> {
    const TYPE: FieldType = T::TYPE;
}
