//! The names of fields that front matter has, and remarks on its lines.

use super::fields::snake;
use super::record::{CONTEXT, RECOMMENDATION};

/// A remark on a line of front matter.
pub(super) struct Note {
    pub line: u32,
    /// The field, where one can be named.
    pub field: String,
    pub message: String,
}

/// Fields that are texts beside those of a context and of a recommendation.
const TEXTS: &[&str] = &[
    "title",
    "headline",
    "name",
    "description",
    "summary",
    "problem",
    "when_to_use",
];
/// Fields that are words, which may begin with a `#`.
pub(super) const WORDS: &[&str] = &["tags", "keywords", "labels"];
/// Fields that are patterns of files.
pub(super) const PATTERNS: &[&str] = &["globs", "glob", "apply_to", "paths", "file_match_pattern"];
/// The others that tell front matter from other text between rules: those of lessons, rules, skills and memories.
const OTHERS: &[&str] = &[
    "slug",
    "id",
    "match",
    "category",
    "domain",
    "kind",
    "type",
    "status",
    "confidence",
    "frequency",
    "source",
    "author",
    "created_at",
    "created",
    "date",
    "updated_at",
    "updated",
    "project_types",
    "tech_stacks",
    "tech_stack",
    "always_apply",
    "allowed_tools",
    "license",
    "metadata",
    "archived",
    "trust",
    "permalink",
    "aliases",
    "version",
    "priority",
    "scope",
    "reference_name",
];

/// True if a field of this name, in snake case, is a text: a list, a map or a remark in one is a part of the text.
pub(super) fn is_text(name: &str) -> bool {
    [TEXTS, CONTEXT, RECOMMENDATION]
        .iter()
        .any(|names| names.contains(&name))
}

/// True if a field of this name is one that front matter has.
pub(super) fn is_known(key: &str) -> bool {
    let plain = snake(key);
    is_text(&plain)
        || [WORDS, PATTERNS, OTHERS]
            .iter()
            .any(|names| names.contains(&plain.as_str()))
}

/// True if a field of this name is a pattern of files.
pub(super) fn is_pattern(key: &str) -> bool {
    PATTERNS.contains(&snake(key).as_str())
}
