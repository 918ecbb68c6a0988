//! The tree that markdown is read into, and its bounds.

/// Nesting beyond this is shown flat: the text of a lesson must not exhaust the stack.
pub(super) const DEPTH: usize = 12;

/// Blocks and list items that a text is shown with; what follows them is one block, as it is written.
pub(super) const BLOCKS: usize = 1_000;

/// A block of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading and its level, 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Code or other text that keeps its lines.
    Code(String),
    /// A quotation.
    Quote(Vec<Block>),
    /// A list; its first number when it is numbered.
    List(Option<u64>, Vec<Vec<Block>>),
    /// A table: its rows, the head first.
    Table(Vec<Vec<Vec<Inline>>>),
    /// A line across.
    Rule,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Inline {
    /// Text.
    Text(String),
    /// Code.
    Code(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Struck out.
    Struck(Vec<Inline>),
    /// A link: its words and its address.
    Link(Vec<Inline>, String),
    /// An image: its description and its address.
    Image(Vec<Inline>, String),
    /// A forced end of line.
    Break,
}
