//! Markdown as a tree of inert pieces. HTML stays text, links and images keep their address as text: a lesson is
//! somebody else's writing, and nothing in it may act.

mod block;
mod html;
mod inline;
mod tree;
mod visible;

pub use tree::{Block, Inline};
pub use visible::visible;

/// Parses a text. Cost: linear in its length.
pub fn parse(text: &str) -> Vec<Block> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    block::blocks(&lines)
}

/// The first 300 bytes or so of a text, without its markup and on one line.
pub fn plain(text: &str) -> String {
    const ENOUGH: usize = 300;
    // Markup takes room, too.
    let start = &text[..text.floor_char_boundary(4 * ENOUGH)];
    let mut out = String::new();
    words(&parse(start), ENOUGH, &mut out);
    out.truncate(out.floor_char_boundary(ENOUGH));
    out.truncate(out.trim_end().len());
    out
}

fn words(blocks: &[Block], enough: usize, out: &mut String) {
    for block in blocks {
        if out.len() > enough {
            return;
        }
        match block {
            Block::Heading(_, inner) | Block::Paragraph(inner) => inline::words(inner, out),
            Block::Code(text) => out.push_str(&text.replace('\n', " ")),
            Block::Quote(inner) => words(inner, enough, out),
            Block::List(_, items) => items.iter().for_each(|item| words(item, enough, out)),
            Block::Table(rows) => {
                for cell in rows.iter().flatten() {
                    inline::words(cell, out);
                    out.push(' ');
                }
            }
            Block::Rule => {}
        }
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tree::{BLOCKS, DEPTH};
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn text(t: &str) -> Inline {
        Inline::Text(t.to_owned())
    }

    #[test]
    fn structure_is_kept() {
        let cases: Vec<(&str, Vec<Block>)> = vec![
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

    /// Blocks in few signs, for tables of what is read.
    fn drawn(blocks: &[Block]) -> String {
        let all: Vec<String> = blocks
            .iter()
            .map(|block| match block {
                Block::Heading(level, inner) => format!("h{level}({})", line(inner)),
                Block::Paragraph(inner) => format!("p({})", line(inner)),
                Block::Code(text) => format!("code({})", text.replace('\n', "⏎")),
                Block::Quote(inner) => format!("quote({})", drawn(inner)),
                Block::List(start, items) => {
                    let items: Vec<String> = items.iter().map(|item| drawn(item)).collect();
                    let start = start.map_or("-".to_owned(), |start| start.to_string());
                    format!("list{start}[{}]", items.join(" | "))
                }
                Block::Table(rows) => {
                    let rows: Vec<String> = rows
                        .iter()
                        .map(|row| {
                            row.iter()
                                .map(|cell| line(cell))
                                .collect::<Vec<_>>()
                                .join(",")
                        })
                        .collect();
                    format!("table({})", rows.join(";"))
                }
                Block::Rule => "rule".to_owned(),
            })
            .collect();
        all.join(" ")
    }

    fn line(pieces: &[Inline]) -> String {
        pieces
            .iter()
            .map(|piece| match piece {
                Inline::Text(text) => text.clone(),
                Inline::Code(text) => format!("`{text}`"),
                Inline::Emphasis(inner) => format!("<em {}>", line(inner)),
                Inline::Strong(inner) => format!("<b {}>", line(inner)),
                Inline::Struck(inner) => format!("<s {}>", line(inner)),
                Inline::Link(inner, address) => format!("<a {} {address}>", line(inner)),
                Inline::Image(inner, address) => format!("<img {} {address}>", line(inner)),
                Inline::Break => "⏎".to_owned(),
            })
            .collect()
    }

    #[test]
    fn blocks_are_read_as_commonmark_reads_them() {
        for (markdown, expected) in [
            ("", ""),
            ("Title\n=====\ntext", "h1(Title) p(text)"),
            ("Two\nlines\n---\n", "h2(Two lines)"),
            ("# a #\n####### b\n#c", "h1(a) p(####### b #c)"),
            ("a\n\n***\n\nb", "p(a) rule p(b)"),
            ("    code\n\n    more\ntext", "code(code⏎⏎more) p(text)"),
            ("~~~\na\n```\n~~~\nb", "code(a⏎```) p(b)"),
            ("```\nnever closed", "code(never closed)"),
            ("> a\nlazy\n\nb", "quote(p(a lazy)) p(b)"),
            ("> a\n> > b\n> - c", "quote(p(a) quote(p(b)) list-[p(c)])"),
            (
                "- a\n- b\n  - c\n    more\n- d",
                "list-[p(a) | p(b) list-[p(c more)] | p(d)]",
            ),
            ("- a\n\n  b\n\n- c\n\nd", "list-[p(a) p(b) | p(c)] p(d)"),
            ("1. a\n2. b\n\n7) c", "list1[p(a) | p(b)] list7[p(c)]"),
            (
                "text\n2. not a list\n1. a list",
                "p(text 2. not a list) list1[p(a list)]",
            ),
            ("- a\n\n      code", "list-[p(a) code(code)]"),
            ("- [ ] do\n- [x] done", "list-[p(☐ do) | p(☑ done)]"),
            ("* a\n* * *\n* b", "list-[p(a)] rule list-[p(b)]"),
            ("-\n- b", "list-[ | p(b)]"),
            ("a|b\n:-|-:\n1|`x|y`|3\n\nz", "table(a,b;1,`x|y`) p(z)"),
            ("a | b\nno table", "p(a | b no table)"),
            (
                "<div>\n*a*\n</div>\n\n*b*",
                "code(<div>⏎*a*⏎</div>) p(<em b>)",
            ),
            ("<!-- a -->\n- b", "code(<!-- a -->) list-[p(b)]"),
            (
                "a\n<!-- b\n\n*c* -->\nd\n",
                "p(a) code(<!-- b⏎⏎*c* -->) p(d)",
            ),
            ("<!-- a\n\n*b*", "code(<!-- a⏎⏎*b*)"),
            ("a\r\nb\r\n", "p(a b)"),
        ] {
            assert_eq!(drawn(&parse(markdown)), expected, "{markdown:?}");
        }
    }

    #[test]
    fn pieces_are_read_as_commonmark_reads_them() {
        for (markdown, expected) in [
            (
                "*a* _b_ **c** __d__ ~~e~~",
                "<em a> <em b> <b c> <b d> <s e>",
            ),
            ("***a** b*", "<em <b a> b>"),
            ("***a***", "<em <b a>>"),
            ("**a *b** c*", "<em <em a <em b>> c>"),
            ("snake_case_name and 2*3*4", "snake_case_name and 2<em 3>4"),
            ("* a * b", "list"),
            ("a * b * c", "a * b * c"),
            ("`a ``b` c``", "`a ``b` c``"),
            ("`` `x` ``", "``x``"),
            ("`a", "`a"),
            ("\\*a\\* \\q", "*a* \\q"),
            ("a  \nb\\\nc\nd", "a⏎b⏎c d"),
            ("[a *b*](u \"t\") [x] (y)", "<a a <em b> u> [x] (y)"),
            ("![a](b(c)d) [](<e f>)", "<img a b(c)d> <a  e f>"),
            ("[a [b](c) d](e)", "[a <a b c> d](e)"),
            ("[![i](j)](k)", "<a <img i j> k>"),
            ("*a [b*](c)", "*a <a b* c>"),
            ("[a](b", "[a](b"),
            (
                "<https://a.b/c> <m@a.b> <b> < x",
                "<a https://a.b/c https://a.b/c> <a m@a.b m@a.b> <b> < x",
            ),
            ("&lt;&amp;&#65;&#x42;&copy;&;", "<&AB&copy;&;"),
            ("!a] *", "!a] *"),
        ] {
            let blocks = parse(markdown);
            let found = match blocks.as_slice() {
                [Block::Paragraph(inner)] => line(inner),
                [Block::List(..)] => "list".to_owned(),
                other => drawn(other),
            };
            assert_eq!(found, expected, "{markdown:?}");
        }
    }

    #[test]
    fn no_text_takes_long_or_nests_deeply() {
        let parts = [
            "*a ", "**", "_a*", "a* ", "~a~", "[", "](", "![a](", "]", "`", "``a", "<", "&", "> ",
            "- ", "1. ", "\\", "|a", "\n", "  ", "*a_ ", "[a](b)", "a**b", "_ ", "<a:",
        ];
        for first in parts {
            for second in parts {
                // A browser is asked whether it still lives every half minute.
                let bytes = if first == second { 20_000 } else { 1_500 };
                for third in ["", "x"] {
                    let part = format!("{first}{second}{third}");
                    let text = part.repeat(bytes / part.len());
                    drawn(&parse(&text));
                }
            }
        }
        let nested = format!("{}a{}", "*a **".repeat(5_000), "** a*".repeat(5_000));
        let shown = drawn(&parse(&nested));
        assert!(shown.matches("<b ").count() <= DEPTH, "{}", &shown[..200]);
    }

    #[test]
    fn many_blocks_become_few_elements() {
        fn count(blocks: &[Block]) -> usize {
            let inner = blocks.iter().map(|block| match block {
                Block::Quote(inner) => count(inner),
                Block::List(_, items) => items.iter().map(|item| 1 + count(item)).sum(),
                _ => 0,
            });
            blocks.len() + inner.sum::<usize>()
        }
        for (part, end) in [
            ("```\n", "```"),
            ("- ```\n", "- ```"),
            ("> - a\n\nb\n", "b"),
            ("- a\n\n", "- a"),
        ] {
            let blocks = parse(&part.repeat(20_000));
            // A block that the rest was put into at each level, too.
            assert!(
                count(&blocks) <= BLOCKS + DEPTH,
                "{part:?}: {}",
                count(&blocks)
            );
            let Some(Block::Code(rest)) = blocks.last() else {
                panic!("{part:?}: the rest is shown as it is written");
            };
            assert!(rest.ends_with(end), "{part:?}");
        }
    }

    #[test]
    fn blank_lines_in_a_list_are_looked_at_once() {
        // A million lines: looked at again for each one before it, they would take half an hour.
        let text = format!("- a{}  b", "\n".repeat(1_000_000));
        assert_eq!(drawn(&parse(&text)), "list-[p(a) p(b)]");
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
