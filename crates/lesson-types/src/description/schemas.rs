//! JSON Schema of requests and answers, out of the Rust types.

use super::flatten::{Plain, Side};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A type of the interface.
#[derive(Clone, Copy)]
pub(super) struct Type {
    /// Its name.
    pub name: &'static str,
    define: fn(&mut SchemaGenerator),
    whole: fn(SchemaGenerator) -> Schema,
    reads: fn(Value) -> Result<(), String>,
}

impl Type {
    /// A type with its schema and how it is read.
    pub fn of<T: JsonSchema + DeserializeOwned>() -> Self {
        Self {
            name: std::any::type_name::<T>()
                .rsplit("::")
                .next()
                .unwrap_or_default(),
            define: |generator| drop(generator.subschema_for::<T>()),
            whole: SchemaGenerator::into_root_schema_for::<T>,
            reads: |value| {
                serde_json::from_value::<T>(value)
                    .map(drop)
                    .map_err(|error| error.to_string())
            },
        }
    }

    /// Fails when the value is none of this type.
    #[track_caller]
    pub fn check(&self, value: &Value) {
        if let Err(cause) = (self.reads)(value.clone()) {
            panic!(
                "an example of {} does not read: {cause}\n{value:#}",
                self.name
            );
        }
    }
}

fn settings(side: Side) -> SchemaSettings {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .with_transform(Plain(side));
    match side {
        Side::Request => settings.for_deserialize(),
        Side::Answer => settings.for_serialize(),
    }
}

/// The schemas of these types and of those within them, by name. References between them read
/// `#/components/schemas/Name`.
pub(super) fn schemas(types: &[Type], side: Side) -> Map<String, Value> {
    let mut generator = settings(side).into_generator();
    for one in types {
        (one.define)(&mut generator);
    }
    generator.take_definitions(true)
}

/// The schema of one type with everything written where it is used, and no reference left.
pub(super) fn whole(one: Type, side: Side) -> Schema {
    let settings = settings(side).with(|settings| settings.inline_subschemas = true);
    let mut schema = (one.whole)(settings.into_generator());
    schema.remove("title");
    schema
}
