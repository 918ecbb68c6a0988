//! Prints the TypeScript declarations of the interface: the types of every row, of what the page and the engine's worker
//! say to each other, and all that these are made of. `cargo xtask build` puts them into `lessonloop.d.ts`.

use lesson_types::{ErrorBody, FromWorker, ToWorker, endpoints};
use std::collections::BTreeMap;
use ts_rs::{Config, TS, TypeVisitor};

/// Any JSON, declared below.
const JSON: &str = "JsonValue";

/// Declarations by name.
struct Declared {
    config: Config,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declared {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types of the language itself have no place of their own.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        if name == JSON || self.by_name.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let text = format!("{docs}export {}\n", T::decl(&self.config));
        self.by_name.insert(name, text);
        T::visit_dependencies(self);
    }
}

macro_rules! visit_all {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        fn visit_rows(declared: &mut Declared) {
            $(
                $(declared.visit::<lesson_types::$query>();)?
                $(declared.visit::<lesson_types::$body>();)?
                $(declared.visit::<lesson_types::$answer>();)?
            )*
        }
    };
}

endpoints!(visit_all);

fn main() {
    let mut declared = Declared {
        config: Config::default().with_large_int("number"),
        by_name: BTreeMap::new(),
    };
    visit_rows(&mut declared);
    declared.visit::<ErrorBody>();
    declared.visit::<ToWorker>();
    declared.visit::<FromWorker>();
    for text in declared.by_name.values() {
        println!("{text}");
    }
    // A field that is absent may be written as `undefined`.
    println!(
        "export type {JSON} = number | string | boolean | {JSON}[] | {{ [key: string]: {JSON} | undefined }} | null;"
    );
}
