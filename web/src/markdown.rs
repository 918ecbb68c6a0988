//! Markdown as a tree of inert pieces. HTML stays text, links and images keep their address as text: a lesson is
//! somebody else's writing, and nothing in it may act.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Nesting beyond this is shown flat: the text of a lesson must not exhaust the stack.
const DEPTH: usize = 12;

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

/// Parses a text. Cost: linear in its length.
pub fn parse(text: &str) -> Vec<Block> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader {
        events: Parser::new_ext(text, options),
    };
    reader.blocks(0)
}

/// The first 300 bytes or so of a text, without its markup and on one line.
pub fn plain(text: &str) -> String {
    const ENOUGH: usize = 300;
    let mut out = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(part) | Event::Code(part) => out.push_str(&part),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_)) => out.push(' '),
            _ => {}
        }
        if out.len() > ENOUGH {
            out.truncate(out.floor_char_boundary(ENOUGH));
            break;
        }
    }
    visible(out.trim_end())
}

/// Characters that hide or reorder text, shown by their code point.
pub fn visible(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("⟦U+{:04X}⟧", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200C}' | '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}'
        | '\u{061C}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
        || (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
}

struct Reader<'a> {
    events: Parser<'a>,
}

impl<'a> Reader<'a> {
    /// Reads blocks up to the end of the enclosing one. Inline pieces that stand alone become a paragraph.
    fn blocks(&mut self, depth: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut loose = Vec::new();
        while let Some(event) = self.events.next() {
            let block = match event {
                Event::End(_) => break,
                Event::Rule => Block::Rule,
                Event::Start(tag) => match self.block(tag, depth, &mut loose) {
                    Some(block) => block,
                    None => continue,
                },
                other => {
                    push(&mut loose, other);
                    continue;
                }
            };
            settle(&mut loose, &mut blocks);
            blocks.push(block);
        }
        settle(&mut loose, &mut blocks);
        blocks
    }

    fn block(&mut self, tag: Tag<'a>, depth: usize, loose: &mut Vec<Inline>) -> Option<Block> {
        if depth >= DEPTH {
            loose.push(Inline::Text(self.flat()));
            return None;
        }
        Some(match tag {
            Tag::Paragraph => Block::Paragraph(self.inlines(depth)),
            Tag::Heading { level, .. } => Block::Heading(number(level), self.inlines(depth)),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)
            | Tag::HtmlBlock
            | Tag::MetadataBlock(_) => Block::Code(self.flat().trim_end().to_owned()),
            Tag::BlockQuote(_) => Block::Quote(self.blocks(depth + 1)),
            Tag::List(start) => Block::List(start, self.parts(|reader| reader.blocks(depth + 1))),
            Tag::Table(_) => {
                Block::Table(self.parts(|reader| reader.parts(|reader| reader.inlines(depth + 1))))
            }
            inline @ (Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. }) => {
                let piece = self.inline(inline, depth);
                loose.push(piece);
                return None;
            }
            _ => Block::Quote(self.blocks(depth + 1)),
        })
    }

    /// Reads the parts of a list, table or row, each by `part`.
    fn parts<T>(&mut self, mut part: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut parts = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::Start(_) => parts.push(part(self)),
                Event::End(_) => break,
                _ => {}
            }
        }
        parts
    }

    fn inlines(&mut self, depth: usize) -> Vec<Inline> {
        let mut pieces = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::End(_) => break,
                Event::Start(tag) if depth < DEPTH => {
                    let piece = self.inline(tag, depth);
                    pieces.push(piece);
                }
                Event::Start(_) => pieces.push(Inline::Text(self.flat())),
                other => push(&mut pieces, other),
            }
        }
        pieces
    }

    fn inline(&mut self, tag: Tag<'a>, depth: usize) -> Inline {
        let inner = self.inlines(depth + 1);
        match tag {
            Tag::Strong => Inline::Strong(inner),
            Tag::Strikethrough => Inline::Struck(inner),
            Tag::Link { dest_url, .. } => Inline::Link(inner, visible(&dest_url)),
            Tag::Image { dest_url, .. } => Inline::Image(inner, visible(&dest_url)),
            _ => Inline::Emphasis(inner),
        }
    }

    /// The text up to the end of the enclosing piece, without its structure.
    fn flat(&mut self) -> String {
        let mut open = 0_usize;
        let mut text = String::new();
        for event in self.events.by_ref() {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) if open == 0 => break,
                Event::End(_) => open -= 1,
                Event::Text(part)
                | Event::Code(part)
                | Event::Html(part)
                | Event::InlineHtml(part) => text.push_str(&part),
                Event::SoftBreak | Event::HardBreak => text.push('\n'),
                _ => {}
            }
        }
        visible(&text)
    }
}

fn push(pieces: &mut Vec<Inline>, event: Event<'_>) {
    let piece = match event {
        Event::Code(text) => Inline::Code(visible(&text)),
        Event::HardBreak => Inline::Break,
        Event::SoftBreak => return add_text(pieces, " "),
        Event::TaskListMarker(done) => return add_text(pieces, if done { "☑ " } else { "☐ " }),
        Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
            return add_text(pieces, &visible(&text));
        }
        _ => return,
    };
    pieces.push(piece);
}

fn add_text(pieces: &mut Vec<Inline>, text: &str) {
    if let Some(Inline::Text(before)) = pieces.last_mut() {
        before.push_str(text);
    } else {
        pieces.push(Inline::Text(text.to_owned()));
    }
}

fn settle(loose: &mut Vec<Inline>, blocks: &mut Vec<Block>) {
    if !loose.is_empty() {
        blocks.push(Block::Paragraph(std::mem::take(loose)));
    }
}

fn number(level: HeadingLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(t: &str) -> Inline {
        Inline::Text(t.to_owned())
    }

    #[test]
    fn structure_is_kept() {
        let cases: [(&str, Vec<Block>); 6] = [
            (
                "# A *b*",
                vec![Block::Heading(
                    1,
                    vec![text("A "), Inline::Emphasis(vec![text("b")])],
                )],
            ),
            ("one\ntwo", vec![Block::Paragraph(vec![text("one two")])]),
            (
                "```sql\nselect 1\n```",
                vec![Block::Code("select 1".into())],
            ),
            (
                "3. x\n4. y",
                vec![Block::List(
                    Some(3),
                    vec![
                        vec![Block::Paragraph(vec![text("x")])],
                        vec![Block::Paragraph(vec![text("y")])],
                    ],
                )],
            ),
            (
                "> q",
                vec![Block::Quote(vec![Block::Paragraph(vec![text("q")])])],
            ),
            (
                "|a|b|\n|-|-|\n|1|2|",
                vec![Block::Table(vec![
                    vec![vec![text("a")], vec![text("b")]],
                    vec![vec![text("1")], vec![text("2")]],
                ])],
            ),
        ];
        for (markdown, blocks) in cases {
            assert_eq!(parse(markdown), blocks, "{markdown}");
        }
    }

    #[test]
    fn what_could_act_is_inert() {
        assert_eq!(
            parse("<script>alert(1)</script>"),
            [Block::Code("<script>alert(1)</script>".into())]
        );
        assert_eq!(
            parse("a <img src=x onerror=y> b"),
            [Block::Paragraph(vec![text("a <img src=x onerror=y> b")])]
        );
        assert_eq!(
            parse("[go](javascript:alert(1))"),
            [Block::Paragraph(vec![Inline::Link(
                vec![text("go")],
                "javascript:alert(1)".into()
            )])]
        );
    }

    #[test]
    fn a_summary_has_no_markup_and_ends() {
        assert_eq!(
            plain("A **policy** in\n`where` [x](y).\n\n- one\n- two"),
            "A policy in where x. one two"
        );
        assert_eq!(plain(&"ü".repeat(10_000)).len(), 300);
    }

    #[test]
    fn hidden_characters_are_shown() {
        assert_eq!(visible("a\u{202E}b\u{200B}"), "a⟦U+202E⟧b⟦U+200B⟧");
        assert_eq!(visible("plain\n\ttext ü"), "plain\n\ttext ü");
    }

    #[test]
    fn deep_nesting_is_flattened() {
        let deep = format!("{}x", ">".repeat(5_000));
        fn depth(blocks: &[Block]) -> usize {
            blocks
                .iter()
                .map(|block| {
                    if let Block::Quote(inner) = block {
                        1 + depth(inner)
                    } else {
                        0
                    }
                })
                .max()
                .unwrap_or(0)
        }
        let blocks = parse(&deep);
        assert!(depth(&blocks) <= DEPTH, "{}", depth(&blocks));
    }
}
