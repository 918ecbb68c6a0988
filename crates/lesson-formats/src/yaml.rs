//! YAML, strictly: a tree whose parts know their line.
//!
//! Anchors and aliases are refused rather than expanded, so that no few lines of YAML can grow without bound; depth and the
//! number of values are bounded.

use super::node::{Fault, Node, Value, line_number, shown};
use granit_parser::{Event, Options, Parser, ScalarStyle};
use std::collections::BTreeSet;

/// Deeper nesting than this is refused.
const DEPTH: usize = 16;

/// Reads one YAML document of at most `most` values, whose first line is number `first_line`; `None` when it says nothing.
///
/// # Errors
/// The first line that is no YAML, with a remedy; a key that stands twice; a second document.
pub(super) fn read(yaml: &str, first_line: u32, most: usize) -> Result<Option<Node>, Fault> {
    let shift = first_line.saturating_sub(1);
    let fault = |line: u32, message: String| Fault {
        line: line.saturating_add(shift),
        code: "yaml",
        message,
    };
    let mut options = Options::default();
    options.flow_nesting_limit = DEPTH;
    options.block_nesting_limit = DEPTH;
    options.emit_unresolved_aliases = true;
    let mut builder = Builder {
        most,
        ..Builder::default()
    };
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
    Ok(builder.root.filter(|root| !root.is_null()))
}

/// Builds the tree from events, without recursion.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    values: usize,
    most: usize,
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
            code: "yaml",
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
                    return Err(fault("nested too deeply; flatten it"));
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
                "a second YAML document begins here; a file holds one",
            )),
            _ => Ok(()),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), Fault> {
        let line = node.line;
        let fault = |message: String| Fault {
            line,
            code: "yaml",
            message,
        };
        self.values += 1;
        if self.values > self.most {
            return Err(fault(format!(
                "more than {} values; split the file",
                self.most
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
