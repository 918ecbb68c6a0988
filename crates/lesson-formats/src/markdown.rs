//! Markdown with YAML front matter, or without.

use super::fields::Fields;
use super::file_name::stem;
use super::front_matter;
use super::headings::{Heading, headings, lines_outside_code};
use super::node::Node;
use super::record::{self, Place};
use super::sink::Sink;
use lesson_core::Millis;
use std::borrow::Cow;

/// A markdown file in its parts.
pub(super) struct Document {
    /// The front matter's fields.
    pub fields: Fields,
    /// The text of its title heading.
    pub title: Option<String>,
    /// The body, without the title when that stood first.
    pub body: String,
    /// The number of the line where the body begins.
    pub line: u32,
}

/// Reads one lesson.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let Some(document) = document(content, sink) else {
        return;
    };
    let path = sink.path;
    let Document {
        mut fields,
        title,
        mut body,
        line,
    } = document;
    if !names(&fields, "context")
        && let Some((context, rest)) = without_section(&body, "context")
    {
        fields.set("context", Node::text(line, context));
        body = rest;
    }
    finish(&mut fields, title, &body, line);
    let place = Place {
        line: Some(1),
        slug: Some(stem(path)),
        source: "markdown",
        now,
    };
    record::take(fields, &place, sink);
}

/// Whether a field is written, if only as an empty string.
fn names(fields: &Fields, name: &str) -> bool {
    fields.has(&[name])
}

/// Puts title, description and recommendation where the front matter does not say them.
pub(super) fn finish(fields: &mut Fields, title: Option<String>, body: &str, line: u32) {
    if let Some(title) = title {
        fields.set("title", Node::text(line, title));
    }
    if !fields.has(&["description", "summary"]) {
        fields.set("description", Node::text(line, first_paragraph(body)));
    }
    let body = body.trim_matches('\n').trim_end();
    if !fields.has(&["recommendation"]) {
        fields.set("recommendation", Node::text(line, body));
    } else if !body.is_empty()
        && let Ok(Some(said)) = fields.text(&["recommendation"])
    {
        fields.set(
            "recommendation",
            Node::text(line, format!("{said}\n\n{body}")),
        );
    }
}

/// Splits a file into front matter, title and body; None when it was refused.
pub(super) fn document(content: &str, sink: &mut Sink<'_>) -> Option<Document> {
    let content: Cow<'_, str> = if content.contains('\r') {
        Cow::Owned(content.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(content)
    };
    let split = match front_matter::split(&content) {
        Ok(split) => split,
        Err(fault) => {
            sink.reject(Some(fault.line), fault.code, fault.message);
            return None;
        }
    };
    let fields = match split
        .front
        .map(|(yaml, line)| front_matter::read(yaml, line))
    {
        None => Fields::default(),
        Some(Ok(node)) => Fields::of(node),
        Some(Err(fault)) => {
            sink.reject(Some(fault.line), fault.code, fault.message);
            return None;
        }
    };
    let all = headings(split.body);
    // A title is the first `# …`; else the front matter's; else the first heading of any level.
    let title: Option<&Heading<'_>> = all
        .iter()
        .find(|heading| heading.level == 1)
        .or_else(|| all.first().filter(|_| !fields.has(&["title"])));
    let body = match title {
        Some(title) if split.body[..title.start].trim().is_empty() => &split.body[title.end..],
        _ => split.body,
    };
    Some(Document {
        title: title.map(|title| title.text.to_owned()),
        body: body.to_owned(),
        line: split.body_line,
        fields,
    })
}

/// Takes the first section with this heading out of a body: its text, and what remains.
pub(super) fn without_section(body: &str, name: &str) -> Option<(String, String)> {
    let all = headings(body);
    let at = all.iter().position(|heading| {
        heading.level > 1
            && heading
                .text
                .trim_end_matches(':')
                .trim_matches('*')
                .eq_ignore_ascii_case(name)
    })?;
    let section = &all[at];
    let end = all[at + 1..]
        .iter()
        .find(|heading| heading.level <= section.level)
        .map_or(body.len(), |heading| heading.start);
    let text = body[section.end..end].trim();
    if text.is_empty() {
        return None;
    }
    let rest = format!("{}{}", &body[..section.start], &body[end..]);
    Some((text.to_owned(), rest))
}

/// The first paragraph of plain text, in one line, at most about 400 characters.
fn first_paragraph(body: &str) -> String {
    const MOST: usize = 400;
    let mut paragraph = String::new();
    for (_, line) in lines_outside_code(body) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '|', '<']) || line.starts_with("---") {
            if paragraph.is_empty() {
                continue;
            }
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
        if paragraph.len() > 4 * MOST {
            break;
        }
    }
    if paragraph.chars().nth(MOST).is_none() {
        return paragraph;
    }
    let cut: String = paragraph.chars().take(MOST).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{}…", cut.trim_end())
}
