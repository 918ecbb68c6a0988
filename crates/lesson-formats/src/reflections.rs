//! `.claude/reflections` files: markdown whose fields are bold labels or headings.
//!
//! Their form varies, so they are read leniently: a label or heading that names a field gives its
//! value, and every other line stays in the recommendation. What a generator wrote by its template
//! is mended by the file's name ([`super::generated`]).

use super::fields::Fields;
use super::file_name::stem;
use super::headings::{headings, lines_outside_code};
use super::markdown::{Document, Titles, document, finish};
use super::node::{Node, Value, line_number};
use super::record::{self, Place};
use super::sink::Sink;
use super::{generated, words};
use lesson_core::Kind;
use lesson_core::Millis;
use lesson_core::slug_of;
use std::collections::BTreeMap;

/// Labels that name a field, lower-cased, and the field.
const LABELS: &[(&str, &str)] = &[
    ("title", "title"),
    ("description", "description"),
    ("summary", "description"),
    ("problem", "description"),
    ("context", "context"),
    ("situation", "context"),
    ("when", "context"),
    ("when to use", "context"),
    ("trigger", "context"),
    ("recommendation", "recommendation"),
    ("recommendations", "recommendation"),
    ("lesson", "recommendation"),
    ("action", "recommendation"),
    ("solution", "recommendation"),
    ("what to do", "recommendation"),
    ("confidence", "confidence"),
    ("frequency", "frequency"),
    ("occurrences", "frequency"),
    ("category", "category"),
    ("domain", "domain"),
    ("tags", "tags"),
    ("keywords", "tags"),
    ("tech stack", "tech_stacks"),
    ("tech stacks", "tech_stacks"),
    ("technologies", "tech_stacks"),
    ("project type", "project_types"),
    ("project types", "project_types"),
    ("type", "kind"),
    ("kind", "kind"),
    ("status", "status"),
    ("source", "source"),
    ("author", "source"),
    ("date", "created_at"),
    ("created", "created_at"),
];

/// True if a file looks like a reflection: by its folder, by a generator's name, or by its name and
/// a bold label.
pub(super) fn is_reflection(path: &str, content: &str) -> bool {
    if path.replace('\\', "/").contains("reflections/") {
        return true;
    }
    let named = stem(path)
        .split_once('-')
        .is_some_and(|(prefix, _)| Kind::parse(prefix).is_some());
    named
        && !content.starts_with("---")
        && (generated::is_generated(stem(path))
            || content.lines().take(200).any(|line| label(line).is_some()))
}

/// Reads one lesson.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let Document {
        mut fields,
        title,
        body,
        line,
    } = document(content, 1, Titles::Any, sink);
    let path = sink.path;
    // The title line was cut off the front of the body.
    let shift = content.lines().count().saturating_sub(body.lines().count());
    let (found, rest) = sections(&body);
    for (field, (at, value)) in found {
        if fields.has(&[field]) {
            continue;
        }
        let at = line_number(at + shift);
        match field {
            "confidence" => confidence(&value, at, &mut fields, sink),
            "frequency" | "tags" | "tech_stacks" | "project_types" | "created_at" => {
                let value = value.replace('`', "").trim_matches('*').trim().to_owned();
                fields.set(
                    field,
                    Node {
                        line: at,
                        value: Value::Plain(value),
                    },
                );
            }
            _ => fields.set(field, Node::text(at, value)),
        }
    }
    let name = slug_of(stem(path));
    generated::domain(&name, &mut fields, sink);
    let title = title.map(|title| generated::title(&name, title, &body));
    finish(&mut fields, title, &rest, line);
    let place = Place {
        slug: Some(stem(path)),
        ..Place::at(1, "reflections", now)
    };
    record::take(fields, &place, sink);
}

/// A confidence as `0.8`, `80%`, `0.8/1.0`, `8/10` or a word; what can't be read is warned of.
fn confidence(text: &str, line: u32, fields: &mut Fields, sink: &mut Sink<'_>) {
    let first = text.split_whitespace().next().unwrap_or_default();
    let value = if let Some(percent) = first.strip_suffix('%') {
        percent.parse::<f64>().ok().map(|value| value / 100.0)
    } else if let Some((part, whole)) = first.split_once('/') {
        match (part.parse::<f64>(), whole.parse::<f64>()) {
            (Ok(part), Ok(whole)) if whole > 0.0 => Some(part / whole),
            _ => None,
        }
    } else {
        first.parse::<f64>().ok()
    };
    match value
        .or_else(|| words::confidence(text))
        .or_else(|| words::confidence(first))
    {
        Some(value) => fields.set(
            "confidence",
            Node {
                line,
                value: Value::Plain(value.to_string()),
            },
        ),
        None => sink.warn(
            Some(line),
            "confidence",
            "the confidence could not be read and is taken as 0.5; write it as 0.8 or 80%",
        ),
    }
}

/// A field with the line (from 0) where it begins and its text.
type Found<'a> = BTreeMap<&'a str, (usize, String)>;

/// The known fields of a body, and the rest of it.
fn sections(body: &str) -> (Found<'static>, String) {
    let starts: BTreeMap<usize, (Option<&'static str>, usize)> = headings(body)
        .into_iter()
        .map(|heading| {
            let name = heading.text.trim_matches('*').trim_end_matches(':');
            (heading.start, (field(name), heading.level))
        })
        .collect();
    let open: std::collections::BTreeSet<usize> =
        lines_outside_code(body).map(|(start, _)| start).collect();
    let mut found = Found::new();
    let mut rest = String::new();
    // The field that lines go to, and whether a heading opened it: a label ends at a blank line.
    let mut current: Option<(&'static str, bool)> = None;
    let mut at = 0;
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if let Some((name, _)) = starts.get(&start) {
            current = name.map(|name| (name, true));
            if let Some(name) = name {
                found.entry(name).or_insert((number, String::new()));
                continue;
            }
        } else if open.contains(&start)
            && let Some((name, value)) = label(line)
        {
            let entry = found.entry(name).or_insert((number, String::new()));
            join(&mut entry.1, value);
            current = Some((name, false));
            continue;
        } else if (line.trim().is_empty() || bold(line).is_some())
            && matches!(current, Some((_, false)))
        {
            current = None;
        }
        match current.and_then(|(name, _)| found.get_mut(name)) {
            Some((_, text)) => text.push_str(line),
            None => rest.push_str(line),
        }
    }
    for (_, text) in found.values_mut() {
        *text = text.trim().to_owned();
    }
    found.retain(|_, (_, text)| !text.is_empty());
    (found, rest)
}

fn join(text: &mut String, value: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(value);
    text.push('\n');
}

fn field(name: &str) -> Option<&'static str> {
    let name = name.trim();
    LABELS
        .iter()
        .find(|(label, _)| label.eq_ignore_ascii_case(name))
        .map(|(_, field)| *field)
}

/// `**Context:** text`, `**Context**: text` or `- **Context:** text`.
fn label(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = bold(line)?;
    Some((field(name)?, value))
}

/// A bold label of any name, and what stands after it.
fn bold(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .unwrap_or(line)
        .trim_start();
    let (name, value) = line.strip_prefix("**")?.split_once("**")?;
    let (name, value) = match name.strip_suffix(':') {
        Some(name) => (name, value),
        None => (name, value.trim_start().strip_prefix(':')?),
    };
    Some((name, value.trim()))
}
