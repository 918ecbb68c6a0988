//! Fit of two modules that share a table of functions: what one calls in the table has the type that it
//! is called with. wasm-bindgen changes the types of some functions of the first module after the split has written
//! calls of them into the other; where a call and its function part ways, the page would fail only when it gets there.

use std::collections::HashMap;

use wasmparser::{
    BinaryReaderError, ElementItems, ElementKind, ExternalKind, FuncType, Operator, Parser,
    Payload, TypeRef,
};

/// The table's name in both modules.
const TABLE: &str = "__indirect_function_table";

/// A module, as far as calls through the table go.
#[derive(Default)]
struct Module {
    types: Vec<FuncType>,
    /// The type of each function, imported ones first.
    functions: Vec<u32>,
    /// The function in each place of the shared table.
    placed: HashMap<u32, u32>,
    /// Calls of a fixed place: which, and the type.
    calls: Vec<(u32, u32)>,
}

/// Counts the calls of the second module that lead to a function of the first, if each has the function's type; the error
/// says which does not.
pub fn fits(first: &[u8], second: &[u8]) -> Result<usize, String> {
    let read = |bytes| Module::read(bytes).map_err(|cause| cause.to_string());
    let (first, second) = (read(first)?, read(second)?);
    let mut checked = 0;
    for (place, called) in &second.calls {
        let Some(function) = first.placed.get(place) else {
            continue;
        };
        let held = first.functions.get(*function as usize);
        let held = held.and_then(|held| first.types.get(*held as usize));
        let called = second.types.get(*called as usize);
        if held != called {
            return Err(format!(
                "function {function} at place {place} of the table is called as {called:?}, but is {held:?}"
            ));
        }
        checked += 1;
    }
    Ok(checked)
}

impl Module {
    fn read(bytes: &[u8]) -> Result<Self, BinaryReaderError> {
        let mut module = Self::default();
        // Imported or its own; the first table where nothing says so.
        let mut shared = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::TypeSection(types) => {
                    for one in types.into_iter_err_on_gc_types() {
                        module.types.push(one?);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if let TypeRef::Func(of) = import?.ty {
                            module.functions.push(of);
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    for of in functions {
                        module.functions.push(of?);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ExternalKind::Table && export.name == TABLE {
                            shared = export.index;
                        }
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        let element = element?;
                        if let ElementKind::Active {
                            table_index,
                            offset_expr,
                        } = element.kind
                            && table_index.unwrap_or(0) == shared
                            && let Operator::I32Const { value } =
                                offset_expr.get_operators_reader().read()?
                        {
                            module.place(value.cast_unsigned(), element.items)?;
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let mut before = None;
                    for operator in body.get_operators_reader()? {
                        let operator = operator?;
                        if let (Some(place), Operator::CallIndirect { type_index, .. }) =
                            (before, &operator)
                        {
                            module.calls.push((place, *type_index));
                        }
                        before = match operator {
                            Operator::I32Const { value } => Some(value.cast_unsigned()),
                            _ => None,
                        };
                    }
                }
                _ => {}
            }
        }
        Ok(module)
    }

    fn place(&mut self, from: u32, items: ElementItems<'_>) -> Result<(), BinaryReaderError> {
        match items {
            ElementItems::Functions(functions) => {
                for (place, function) in (from..).zip(functions) {
                    self.placed.insert(place, function?);
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for (place, expression) in (from..).zip(expressions) {
                    if let Operator::RefFunc { function_index } =
                        expression?.get_operators_reader().read()?
                    {
                        self.placed.insert(place, function_index);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    const I32: u8 = 0x7f;
    const I64: u8 = 0x7e;

    fn module(sections: &[(u8, &[u8])]) -> Vec<u8> {
        let mut out = b"\0asm\x01\0\0\0".to_vec();
        for (id, body) in sections {
            out.extend([*id, body.len() as u8]);
            out.extend(*body);
        }
        out
    }

    /// A function that takes `takes`, in place 3 of the shared table.
    fn first(takes: u8) -> Vec<u8> {
        let name = b"__indirect_function_table";
        let mut export = vec![1, name.len() as u8];
        export.extend(name);
        export.extend([1, 0]);
        module(&[
            (1, &[1, 0x60, 1, takes, 0]),
            (3, &[1, 0]),
            (4, &[1, 0x70, 0, 8]),
            (7, &export),
            (9, &[1, 0, 0x41, 3, 0x0b, 1, 0]),
            (10, &[1, 2, 0, 0x0b]),
        ])
    }

    /// Calls `place` with an i32.
    fn second(place: u8) -> Vec<u8> {
        module(&[
            (1, &[1, 0x60, 1, I32, 0]),
            (3, &[1, 0]),
            (4, &[1, 0x70, 0, 8]),
            (10, &[1, 9, 0, 0x20, 0, 0x41, place, 0x11, 0, 0, 0x0b]),
        ])
    }

    #[test]
    fn a_call_has_the_type_of_what_it_calls() {
        assert_eq!(fits(&first(I32), &second(3)), Ok(1));
        assert_eq!(
            fits(&first(I64), &second(4)),
            Ok(0),
            "that place is not the first module's"
        );
        let said = fits(&first(I64), &second(3)).unwrap_err();
        assert!(said.contains("place 3"), "{said}");
        assert!(fits(b"no wasm", &second(3)).is_err());
    }
}
