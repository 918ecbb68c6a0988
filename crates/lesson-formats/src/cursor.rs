//! Cursor's rules: `.mdc` files with `description`, `globs` and `alwaysApply`, and `.cursorrules`.

use super::applies_to;
use super::file_name::{file_name, folder, stem};
use super::markdown::{Document, Titles, document, finish};
use super::record::{self, Place};
use super::sink::Sink;
use lesson_core::Millis;

/// True if a file is Cursor's, by its path.
pub(super) fn is_rule(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let name = file_name(&path);
    let is_markdown = name.ends_with(".md");
    name.ends_with(".mdc")
        || name == ".cursorrules"
        || (is_markdown && (path.contains(".cursor/rules/")))
}

/// Reads one rule.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let Document {
        mut fields,
        title,
        body,
        line,
    } = document(content, 1, Titles::First, sink);
    applies_to::take(&mut fields);
    finish(&mut fields, title, &body, line);
    let path = sink.path;
    // Since 2.2 a rule may be a folder with a RULE.md.
    let slug = match file_name(path) {
        "RULE.md" | "RULE.mdc" => folder(path).unwrap_or("rule"),
        _ => stem(path),
    };
    let place = Place {
        slug: Some(slug),
        ..Place::at(1, "cursor", now)
    };
    record::take(fields, &place, sink);
}
