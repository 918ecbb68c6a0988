//! The formats that files come in.

/// Format that a file is to be read in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// By name and content of each file.
    #[default]
    Auto,
    /// Markdown, with YAML front matter or without.
    Markdown,
    /// Records of the source systems: lessons, one, an array, or `{"lessons": […]}`; or tools
    /// that worked.
    Json,
    /// This product's ledger, or one lesson record a line.
    Jsonl,
    /// ACE playbooks with helpful and harmful counts, as text or JSON.
    Ace,
    /// `.claude/reflections` files.
    Reflections,
}
