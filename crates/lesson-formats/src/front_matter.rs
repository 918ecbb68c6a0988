//! YAML front matter: what stands between `---` and `---` at the start of a markdown file.
//!
//! Anchors and aliases are refused rather than expanded, so that no few lines of YAML can grow
//! without bound; depth, size and the number of values are bounded.

use super::node::{Fault, Node, Value, line_number, shown};
use granit_parser::{Event, Options, Parser, ScalarStyle};
use std::collections::BTreeSet;

/// Deeper nesting than this is refused.
const DEPTH: usize = 16;
/// Larger front matter than this is refused, in bytes.
const SIZE: usize = 4 << 20;
/// More values than this are refused.
const VALUES: usize = 10_000;

/// A file in its two parts.
pub(super) struct Split<'a> {
    /// The YAML, with the number of its first line.
    pub front: Option<(&'a str, u32)>,
    /// What comes after it.
    pub body: &'a str,
    /// The number of the body's first line.
    pub body_line: u32,
}

/// Splits a file, whose line breaks are `\n`, at its front matter.
pub(super) fn split(content: &str) -> Result<Split<'_>, Fault> {
    let mut lines = content.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Ok(Split {
            front: None,
            body: content,
            body_line: 1,
        });
    }
    let start = first.len();
    let mut end = start;
    for (number, line) in (2_u32..).zip(lines) {
        if matches!(line.trim_end(), "---" | "...") {
            return Ok(Split {
                front: Some((&content[start..end], 2)),
                body: &content[end + line.len()..],
                body_line: number.saturating_add(1),
            });
        }
        end += line.len();
    }
    // A rule (`---`) may open a file that has no front matter: then what follows is no `key: …`.
    let next = content[start..]
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default();
    let key = next.split(':').next().unwrap_or_default();
    if next.contains(':')
        && !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    {
        return Err(Fault {
            line: 1,
            code: "front_matter",
            message: "the front matter that begins here is never closed; put `---` on a line of its own after it".to_owned(),
        });
    }
    Ok(Split {
        front: None,
        body: content,
        body_line: 1,
    })
}

/// Reads front matter into a map; empty front matter is an empty map.
pub(super) fn read(yaml: &str, first_line: u32) -> Result<Node, Fault> {
    let shift = first_line.saturating_sub(1);
    let fault = |line: u32, message: String| Fault {
        line: line.saturating_add(shift),
        code: "front_matter",
        message,
    };
    if yaml.len() > SIZE {
        return Err(fault(
            1,
            format!(
                "the front matter is larger than {} MiB; move text into the body",
                SIZE >> 20
            ),
        ));
    }
    let mut options = Options::default();
    options.flow_nesting_limit = DEPTH;
    options.block_nesting_limit = DEPTH;
    options.emit_unresolved_aliases = true;
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(yaml, options) {
        let (event, span) = next.map_err(|error| {
            let line = line_number(error.marker().line().max(1));
            // A tab is met while the line before it is read to its end.
            let tab = yaml
                .lines()
                .zip(1_u32..)
                .skip(line as usize - 1)
                .take(2)
                .find(|(text, _)| text.trim_start_matches(' ').starts_with('\t'));
            let (text, line, remedy) = match tab {
                Some((text, line)) => (text, line, "indent with spaces, not tabs"),
                None => (
                    yaml.lines().nth(line as usize - 1).unwrap_or_default(),
                    line,
                    QUOTE,
                ),
            };
            let text = shown(text.trim());
            fault(
                line,
                format!("not valid YAML ({}) at `{text}`; {remedy}", error.kind()),
            )
        })?;
        let line = line_number(span.start.line().max(1)).saturating_add(shift);
        builder.take(event, line)?;
    }
    match builder.root {
        None => Ok(Node {
            line: first_line,
            value: Value::Map(Vec::new()),
        }),
        Some(node) if node.is_null() => Ok(Node {
            line: first_line,
            value: Value::Map(Vec::new()),
        }),
        Some(node) if matches!(node.value, Value::Map(_)) => Ok(node),
        Some(node) => Err(Fault {
            line: node.line,
            code: "front_matter",
            message: format!(
                "the front matter is {}; write `key: value` lines",
                node.kind()
            ),
        }),
    }
}

/// Builds the tree from events, without recursion.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    values: usize,
}

struct Open {
    line: u32,
    /// Entries of a map; items of a list have an empty name.
    entries: Vec<(String, Node)>,
    /// None for a list.
    names: Option<BTreeSet<String>>,
    /// A key that waits for its value.
    key: Option<String>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: u32) -> Result<(), Fault> {
        let fault = |message: &str| Fault {
            line,
            code: "front_matter",
            message: message.to_owned(),
        };
        match event {
            Event::Scalar(text, style, anchor, _) => {
                if anchor != 0 {
                    return Err(fault(ANCHOR));
                }
                let value = if style == ScalarStyle::Plain {
                    Value::Plain(text.into_owned())
                } else {
                    Value::Text(text.into_owned())
                };
                self.add(Node { line, value })
            }
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _)
                if anchor != 0 =>
            {
                Err(fault(ANCHOR))
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if self.open.len() >= DEPTH {
                    return Err(fault(
                        "nested too deeply; front matter is `key: value` and lists",
                    ));
                }
                let map = matches!(event, Event::MappingStart(..));
                self.open.push(Open {
                    line,
                    entries: Vec::new(),
                    names: map.then(BTreeSet::new),
                    key: None,
                });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let value = if open.names.is_some() {
                        Value::Map(open.entries)
                    } else {
                        Value::List(open.entries.into_iter().map(|(_, node)| node).collect())
                    };
                    self.add(Node {
                        line: open.line,
                        value,
                    })
                }
                None => Ok(()),
            },
            Event::Alias(_) | Event::UnresolvedAlias(_) => Err(fault(ANCHOR)),
            Event::DocumentStart(..) if self.root.is_some() => Err(fault(
                "a second YAML document begins here; front matter is one",
            )),
            _ => Ok(()),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), Fault> {
        let line = node.line;
        let fault = |message: String| Fault {
            line,
            code: "front_matter",
            message,
        };
        self.values += 1;
        if self.values > VALUES {
            return Err(fault(format!(
                "more than {VALUES} values; move text into the body"
            )));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        let Some(names) = &mut open.names else {
            open.entries.push((String::new(), node));
            return Ok(());
        };
        match open.key.take() {
            Some(key) => open.entries.push((key, node)),
            None => {
                let (Value::Plain(key) | Value::Text(key)) = node.value else {
                    return Err(fault("a list or map can't be a key here".to_owned()));
                };
                if !names.insert(key.clone()) {
                    return Err(fault(format!("`{}` stands twice; keep one", shown(&key))));
                }
                open.key = Some(key);
            }
        }
        Ok(())
    }
}

const ANCHOR: &str = "YAML anchors and aliases (`&name`, `*name`) are not taken; write the value out, or put it in quotes";
const QUOTE: &str = "quote values that hold `: ` or `#`, or begin with a quote, `[`, `{`, `*`, `&`, `!`, `@` or a backtick";
