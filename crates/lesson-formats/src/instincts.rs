//! Several lessons with front matter in one file, as generators of *instincts* write them, whatever its extension; and one such
//! lesson in a file.

use super::front_matter::{Block, next_block};
use super::headings::lines_outside_code;
use super::markdown::{Document, Titles, document, finish, without_section};
use super::node::{Node, line_number};
use super::plain_yaml;
use super::record::{self, CONTEXT, Place};
use super::sink::Sink;
use lesson_core::Millis;
use std::borrow::Cow;

/// Fields that name a lesson, the surest first.
const NAMES: &[&str] = &["id", "slug", "name", "title"];
/// Headings of what to do.
const ACTIONS: &[&str] = &["action", "what to do", "recommendation"];

/// True if a text holds several lessons with front matter, or one with an `id` and a `trigger`.
pub(super) fn is_instincts(content: &str) -> bool {
    let content = unix(content);
    let Some((begin, _)) = beginning(&content) else {
        return false;
    };
    let Some(block) = next_block(&content[begin..], false) else {
        return false;
    };
    (has(&block, "id") && has(&block, "trigger")) || parts(&content).len() > 1
}

/// Reads all lessons of a file.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let content = unix(content);
    for (line, part) in parts(&content) {
        one(part, line, now, sink);
    }
}

fn unix(content: &str) -> Cow<'_, str> {
    if content.contains('\r') {
        Cow::Owned(content.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(content)
    }
}

/// Where the first front matter begins, after remarks: its offset and line.
fn beginning(content: &str) -> Option<(usize, u32)> {
    let mut at = 0;
    for (number, line) in content.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        if bare == "---" {
            return Some((at, line_number(number + 1)));
        }
        if !bare.is_empty() && !bare.starts_with('#') {
            return None;
        }
        at += line.len();
    }
    None
}

fn has(block: &Block<'_>, name: &str) -> bool {
    block
        .text
        .lines()
        .filter_map(plain_yaml::key)
        .any(|(key, value)| key == name && !value.is_empty())
}

/// The lessons of a file, each with the number of its first line: front matter that names a lesson by the same field as the
/// first begins another.
fn parts(content: &str) -> Vec<(u32, &str)> {
    let Some((begin, first_line)) = beginning(content) else {
        return Vec::new();
    };
    let Some(block) = next_block(&content[begin..], false) else {
        return Vec::new();
    };
    let Some(name) = NAMES.iter().find(|name| has(&block, name)) else {
        return vec![(first_line, &content[begin..])];
    };
    let after = begin + block.end;
    let body = &content[after..];
    let mut starts = vec![(begin, first_line)];
    let mut counted = (begin, first_line);
    let mut skip = 0;
    for (start, line) in lines_outside_code(body) {
        if start < skip || line.trim_end() != "---" {
            continue;
        }
        let at = after + start;
        let Some(block) = next_block(&content[at..], false) else {
            continue;
        };
        if has(&block, name) {
            let breaks = content[counted.0..at].matches('\n').count();
            let number = counted.1.saturating_add(line_number(breaks));
            counted = (at, number);
            starts.push(counted);
            skip = start + block.end;
        }
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|(at, _)| *at)
        .chain([content.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((at, line), end)| (*line, &content[*at..end]))
        .collect()
}

fn one(part: &str, first_line: u32, now: Millis, sink: &mut Sink<'_>) {
    let Document {
        mut fields,
        title,
        mut body,
        line,
    } = document(part, first_line, Titles::First, sink);
    let slug = ["slug", "id", "name", "title"]
        .iter()
        .find_map(|name| fields.peek(name))
        .map(str::to_owned);
    fields.drop(&["id"]);
    if let Some((action, rest)) = without_section(&body, ACTIONS) {
        body = format!("{action}\n\n{}", rest.trim_start_matches('\n'));
    }
    if !fields.has(CONTEXT)
        && let Some((context, rest)) = without_section(&body, &["context", "trigger", "when"])
    {
        fields.set("context", Node::text(line, context));
        body = rest;
    }
    finish(&mut fields, title, &body, line);
    let place = Place {
        slug: slug.as_deref(),
        ..Place::at(first_line, "instincts", now)
    };
    record::take(fields, &place, sink);
}
