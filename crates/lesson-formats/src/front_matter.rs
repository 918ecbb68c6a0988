//! Front matter: what stands between `---` and `---` (YAML) or `+++` and `+++` (TOML) at the start of a text.
//!
//! Nothing in it costs a file its body. Strict YAML comes first; where that fails, its lines are read one by one
//! ([`super::plain_yaml`]). What does not look like fields, such as a letterhead between rules, stays in the body.

use super::front_matter_names::{Note, is_known};
use super::node::{Node, Value, shown};
use super::{plain_yaml, toml, yaml};
use std::borrow::Cow;

/// Larger front matter than this is a part of the body, in bytes.
const SIZE: usize = 4 << 20;
/// More values than this are not read.
pub(super) const VALUES: usize = 10_000;
/// A text in its two parts.
pub(super) struct Opened<'a> {
    /// The fields of the front matter, in their order; a name may come twice.
    pub fields: Vec<(String, Node)>,
    /// The text after it, and the lines in it that were no fields.
    pub body: Cow<'a, str>,
    /// The number of the body's first line.
    pub body_line: u32,
    /// Lines that were read otherwise than strict YAML reads them, and what was made of them.
    pub notes: Vec<Note>,
}

/// A block of front matter within a text.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub text: &'a str,
    /// The number of its first line, counted from the beginning of what was given.
    pub line: u32,
    /// Where the text after it begins.
    pub end: usize,
    /// The number of the line after it, counted as `line`.
    pub next_line: u32,
    is_toml: bool,
    is_unclosed: bool,
}

/// Opens a text whose line breaks are `\n` and whose first line is number `first_line`.
pub(super) fn open(content: &str, first_line: u32) -> Opened<'_> {
    let shift = first_line.saturating_sub(1);
    let mut opened = Opened {
        fields: Vec::new(),
        body: Cow::Borrowed(content),
        body_line: first_line,
        notes: Vec::new(),
    };
    let (mut at, mut line) = (0, 1_u32);
    let mut strays = String::new();
    // Programs that add front matter of their own put it before what is there.
    while let Some(block) = next_block(content.get(at..).unwrap_or_default(), at == 0) {
        let read = read(&block, line.saturating_add(shift));
        opened.fields.extend(read.fields);
        opened.notes.extend(read.notes);
        strays.push_str(&read.strays);
        at += block.end;
        line = line.saturating_add(block.next_line.saturating_sub(1));
        opened.body = Cow::Borrowed(content.get(at..).unwrap_or_default());
        opened.body_line = line.saturating_add(shift);
    }
    if !strays.is_empty() {
        opened.body = Cow::Owned(format!("{strays}\n{}", opened.body));
    }
    opened
}

/// The front matter at the beginning of a text, after blank lines; `None` where none begins. One that is not closed ends where
/// its fields do, if `may_be_open`.
pub(super) fn next_block(content: &str, may_be_open: bool) -> Option<Block<'_>> {
    let mut lines = content.split_inclusive('\n');
    let (mut start, mut line) = (0, 1_u32);
    let mark = loop {
        let first = lines.next()?;
        start += first.len();
        line = line.saturating_add(1);
        match first.trim_end() {
            "" => {}
            mark @ ("---" | "+++") => break mark,
            _ => return None,
        }
    };
    let is_toml = mark == "+++";
    let mut end = start;
    let mut next_line = line;
    let mut is_after_blank = false;
    for text in lines {
        next_line = next_line.saturating_add(1);
        let bare = text.trim_end();
        if bare == mark || (!is_toml && bare == "...") {
            let block = Block {
                text: &content[start..end],
                line,
                end: end + text.len(),
                next_line,
                is_toml,
                is_unclosed: false,
            };
            return (block.text.len() <= SIZE && is_fields(&block)).then_some(block);
        }
        // A paragraph is none of its fields: then they ended without a mark, and this one is a rule of the body's.
        if bare.is_empty() {
            is_after_blank = true;
        } else {
            let is_text = !text.starts_with([' ', '\t', '-', '#', ']', '}', '"', '\''])
                && plain_yaml::key(text).is_none();
            if is_after_blank && is_text && !is_toml {
                break;
            }
            is_after_blank = false;
        }
        end += text.len();
    }
    if is_toml || !may_be_open {
        return None;
    }
    unclosed(content, start, line)
}

/// Front matter that is never closed: its lines as far as they are fields.
fn unclosed(content: &str, start: usize, line: u32) -> Option<Block<'_>> {
    let mut end = start;
    let mut next_line = line;
    for text in content[start..].split_inclusive('\n') {
        let is_field = plain_yaml::key(text).is_some();
        let belongs = end > start && text.starts_with([' ', '\t', '-']) && !text.trim().is_empty();
        if !is_field && !belongs {
            break;
        }
        end += text.len();
        next_line = next_line.saturating_add(1);
    }
    let block = Block {
        text: &content[start..end],
        line,
        end,
        next_line,
        is_toml: false,
        is_unclosed: true,
    };
    (end > start && end - start <= SIZE && is_fields(&block)).then_some(block)
}

/// True if a block holds fields. Lines of any other kind make it front matter only if a field is known that no letterhead has.
fn is_fields(block: &Block<'_>) -> bool {
    if block.is_toml {
        return block.text.lines().any(|line| line.contains('=')) || block.text.trim().is_empty();
    }
    let said: Vec<&str> = block
        .text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .collect();
    let Some(first) = said.first() else {
        return !block.text.contains("# ") || block.text.lines().all(|line| line.trim().is_empty());
    };
    let Some(first) = plain_yaml::key(first) else {
        return false;
    };
    let keys: Vec<&str> = said
        .iter()
        .filter_map(|line| plain_yaml::key(line))
        .map(|(key, _)| key)
        .collect();
    if keys.iter().any(|key| is_known(key)) {
        return true;
    }
    let are_names = keys
        .iter()
        .all(|key| key.starts_with(|c: char| c.is_lowercase() || c == '_'));
    let is_whole = said
        .iter()
        .all(|line| plain_yaml::key(line).is_some() || line.starts_with([' ', '\t', '-']));
    !first.0.contains(' ') && are_names && is_whole
}

/// The fields of a block.
struct Read {
    fields: Vec<(String, Node)>,
    notes: Vec<Note>,
    /// Lines that are no fields.
    strays: String,
}

/// Reads a block; `first_line` is the number of the line that its own count begins at.
fn read(block: &Block<'_>, first_line: u32) -> Read {
    let line = block.line.saturating_add(first_line.saturating_sub(1));
    if block.is_toml {
        let (fields, strays) = toml::read(block.text, line);
        let notes = stray_note(&strays, line).into_iter().collect();
        return Read {
            fields,
            notes,
            strays,
        };
    }
    let strict = match yaml::read(block.text, line, VALUES) {
        Ok(None) => Some(Vec::new()),
        Ok(Some(Node {
            value: Value::Map(entries),
            ..
        })) => Some(entries),
        _ => None,
    };
    let plain = plain_yaml::read(block.text, line, strict);
    let mut notes = plain.notes;
    notes.extend(stray_note(&plain.strays, line));
    if block.is_unclosed {
        notes.push(Note {
            line: line.saturating_sub(1),
            field: String::new(),
            message: "the front matter that begins here is never closed, and was read to where its fields end; put `---` on a line of its own there".to_owned(),
        });
    }
    Read {
        fields: plain.fields,
        notes,
        strays: plain.strays,
    }
}

fn stray_note(strays: &str, line: u32) -> Option<Note> {
    let strays = strays.trim();
    (!strays.is_empty()).then(|| Note {
        line,
        field: String::new(),
        message: format!(
            "`{}` is no field and was taken into the text",
            shown(strays)
        ),
    })
}
