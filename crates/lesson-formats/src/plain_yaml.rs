//! Front matter as people and programs write it, line by line: `key: rest of the line` is a text, `- item` an entry of a list,
//! indented lines go with their key.
//!
//! Each field is tried as strict YAML first, so that one bad line changes nothing of the others.

use super::fields::snake;
use super::front_matter_names::{Note, WORDS, is_known, is_text};
use super::node::{Node, Value, line_number};
use super::yaml;
use lesson_core::is_slug;

/// More values than this in one field are a text.
const VALUES: usize = 10_000;
/// Longest name of a field, in bytes.
const KEY: usize = 64;
/// Deeper maps are texts.
const DEPTH: usize = 3;

/// Contents of the lines of front matter.
#[derive(Default)]
pub(super) struct Plain {
    /// The fields in their order; a name may come twice.
    pub fields: Vec<(String, Node)>,
    /// The fields that strict YAML reads otherwise, or not at all.
    pub notes: Vec<Note>,
    /// Lines before the first field.
    pub strays: String,
}

/// A field in its lines.
struct Chunk<'a> {
    line: u32,
    key: &'a str,
    rest: &'a str,
    /// All of its lines.
    text: &'a str,
    /// Those after the first.
    block: &'a str,
    /// The first of them that continues the value without an indent.
    unindented: Option<u32>,
}

/// Reads front matter. With what strict YAML made of it, only texts that YAML would cut or take for something else are read
/// anew.
pub(super) fn read(text: &str, first_line: u32, strict: Option<Vec<(String, Node)>>) -> Plain {
    let mut plain = Plain::default();
    let (chunks, strays) = chunks(text, first_line);
    if let Some(entries) = strict {
        for (key, node) in entries {
            let chunk = is_mended(&key)
                .then(|| chunks.iter().find(|chunk| chunk.key == key))
                .flatten();
            let node = match chunk {
                Some(chunk) => mended(chunk, node, &mut plain),
                None => node,
            };
            plain.fields.push((key, node));
        }
        return plain;
    }
    plain.strays = strays;
    for chunk in chunks.into_iter().take(VALUES) {
        let node = match yaml::read(chunk.text, chunk.line, VALUES) {
            Ok(None) => Some(Node {
                line: chunk.line,
                value: Value::Plain(String::new()),
            }),
            Ok(Some(Node {
                value: Value::Map(mut entries),
                ..
            })) if entries.len() == 1 && entries[0].0 == chunk.key => {
                entries.pop().map(|(_, node)| node)
            }
            _ => None,
        };
        let node = match node {
            Some(node) => mended(&chunk, node, &mut plain),
            None => {
                plain.note(
                    chunk.line,
                    chunk.key,
                    "is no YAML and was read as it stands",
                );
                Node {
                    line: chunk.line,
                    value: value(&chunk, 0),
                }
            }
        };
        if let Some(line) = chunk.unindented {
            plain.note(line, chunk.key, "goes on here without an indent");
        }
        plain.fields.push((chunk.key.to_owned(), node));
    }
    plain
}

impl Plain {
    fn note(&mut self, line: u32, field: &str, message: &str) {
        self.notes.push(Note {
            line,
            field: field.to_owned(),
            message: message.to_owned(),
        });
    }
}

/// The name of the field that begins on a line, and what stands after its colon.
pub(super) fn key(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let (key, rest) = match line.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted
            .split_once(['"', '\''])
            .and_then(|(key, rest)| Some((key, rest.strip_prefix(':')?)))?,
        None => line.split_once(':')?,
    };
    let is_name = !key.is_empty()
        && key.len() <= KEY
        && key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '));
    let is_known = || is_known(key);
    let is_apart = rest.is_empty() || rest.starts_with([' ', '\t']);
    let may_be = match (is_apart, key.contains(' ')) {
        (true, false) => true,
        (true, true) => is_known(),
        (false, false) => is_known() && !rest.starts_with("//"),
        (false, true) => false,
    };
    (is_name && may_be).then_some((key, rest.trim()))
}

/// The fields of a text in their lines, and what stands before the first.
fn chunks(text: &str, first_line: u32) -> (Vec<Chunk<'_>>, String) {
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    let mut strays = String::new();
    let (mut start, mut after) = (0, 0);
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let begin = at;
        at += line.len();
        let number = first_line.saturating_add(line_number(number));
        if let Some((key, rest)) = key(line) {
            (start, after) = (begin, at);
            chunks.push(Chunk {
                line: number,
                key,
                rest,
                text: &text[begin..at],
                block: "",
                unindented: None,
            });
            continue;
        }
        let Some(open) = chunks.last_mut() else {
            if !line.trim().is_empty() && !line.starts_with('#') {
                strays.push_str(line);
            }
            continue;
        };
        open.text = &text[start..at];
        open.block = &text[after..at];
        if !line.trim().is_empty() && !line.starts_with([' ', '\t', '-', '#', ']', '}']) {
            open.unindented = open.unindented.or(Some(number));
        }
    }
    (chunks, strays)
}

fn is_mended(key: &str) -> bool {
    let plain = snake(key);
    is_text(&plain) || WORDS.contains(&plain.as_str())
}

/// A value that YAML reads, but not as it was meant: a title that it takes for a list or cuts at a `#`.
fn mended(chunk: &Chunk<'_>, node: Node, plain: &mut Plain) -> Node {
    let name = snake(chunk.key);
    let is_text = is_text(&name);
    let is_words = WORDS.contains(&name.as_str());
    match &node.value {
        Value::List(_) | Value::Map(_) if is_text => {
            plain.note(
                chunk.line,
                chunk.key,
                "is a text, and was read as it stands",
            );
            Node {
                line: node.line,
                value: Value::Text(raw(chunk)),
            }
        }
        Value::Plain(read) if is_text || is_words => {
            let cut = if node.is_null() {
                chunk.rest
            } else {
                chunk
                    .rest
                    .strip_prefix(read.as_str())
                    .unwrap_or_default()
                    .trim_start()
            };
            let is_remark = if is_words {
                !node.is_null() || cut.starts_with("# ")
            } else {
                name == "name" && is_slug(read) && cut.starts_with("# ")
            };
            if !cut.starts_with('#') || is_remark {
                return node;
            }
            if is_text {
                plain.note(
                    chunk.line,
                    chunk.key,
                    "holds a `#`, which YAML takes for a remark; it was read as a part of it",
                );
            }
            let text = if is_words && !chunk.rest.contains(',') {
                chunk.rest.split_whitespace().collect::<Vec<_>>().join(",")
            } else {
                chunk.rest.to_owned()
            };
            Node {
                line: node.line,
                value: Value::Text(text),
            }
        }
        _ => node,
    }
}

/// All of a value as it stands, in one text.
fn raw(chunk: &Chunk<'_>) -> String {
    let block = dedented(chunk.block);
    [chunk.rest, block.trim_end()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A value that YAML does not read.
fn value(chunk: &Chunk<'_>, depth: usize) -> Value {
    let rest = chunk.rest;
    if rest.starts_with(['|', '>'])
        && rest[1..]
            .trim_start_matches(['+', '-', '1', '2', '3', '4'])
            .trim()
            .is_empty()
    {
        let text = dedented(chunk.block);
        let text = text.trim_matches('\n').trim_end();
        return Value::Text(if rest.starts_with('|') {
            text.to_owned()
        } else {
            folded(text)
        });
    }
    if rest.is_empty() {
        return block(chunk.block, chunk.line, depth);
    }
    let name = snake(chunk.key);
    if !is_text(&name)
        && chunk.block.trim().is_empty()
        && let Some(inner) = rest
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
    {
        return Value::List(items(inner, chunk.line));
    }
    let mut text = unquoted(rest).to_owned();
    for line in chunk
        .block
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        text.push(if line.starts_with("- ") { '\n' } else { ' ' });
        text.push_str(line);
    }
    Value::Text(text)
}

/// Lines below a key: a list, a map, or a text.
fn block(text: &str, line: u32, depth: usize) -> Value {
    let text = dedented(text);
    let said: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let Some(first) = said.first() else {
        return Value::Plain(String::new());
    };
    if is_item(first) {
        let mut items: Vec<Node> = Vec::new();
        for (number, row) in text.lines().enumerate() {
            let line = line.saturating_add(line_number(number + 1));
            if is_item(row) {
                let item = unquoted(row[1..].trim());
                items.push(Node::text(line, item));
            } else if let Some(Node {
                value: Value::Text(item),
                ..
            }) = items.last_mut()
                && !row.trim().is_empty()
            {
                item.push(' ');
                item.push_str(row.trim());
            }
        }
        return Value::List(items);
    }
    if depth < DEPTH
        && said
            .iter()
            .all(|line| key(line).is_some() || line.starts_with([' ', '\t', '-']))
    {
        let (chunks, _) = chunks(&text, line.saturating_add(1));
        let entries = chunks.iter().map(|chunk| {
            (
                chunk.key.to_owned(),
                Node {
                    line: chunk.line,
                    value: value(chunk, depth + 1),
                },
            )
        });
        return Value::Map(entries.collect());
    }
    Value::Text(text.trim_end().to_owned())
}

fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ") || line.starts_with("-\t")
}

/// The entries of `[a, "b, c"]`, without its brackets.
fn items(inner: &str, line: u32) -> Vec<Node> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut quote = None;
    for c in inner.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == ',' => {
                items.push(std::mem::take(&mut item));
                continue;
            }
            None if matches!(c, '"' | '\'') && item.trim().is_empty() => quote = Some(c),
            None => {}
        }
        item.push(c);
    }
    items.push(item);
    items
        .iter()
        .map(|item| unquoted(item.trim()))
        .filter(|item| !item.is_empty())
        .map(|item| Node::text(line, item))
        .collect()
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text)
}

/// Lines without the blanks that all of them begin with.
fn dedented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.get(least..).unwrap_or_default())
        .collect();
    lines.join("\n")
}

/// Lines of a paragraph in one, paragraphs apart.
fn folded(text: &str) -> String {
    text.split("\n\n")
        .map(|part| part.lines().map(str::trim).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}
