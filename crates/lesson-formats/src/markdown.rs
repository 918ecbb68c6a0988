//! Markdown with YAML front matter, or without.

use super::fields::Fields;
use super::file_name::stem;
use super::front_matter;
use super::front_matter_names::{Note, is_pattern};
use super::headings::{Heading, headings, is_only_comments, lines_outside_code};
use super::node::{Node, line_number};
use super::record::{self, CONTEXT, Place, RECOMMENDATION};
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
    let Document {
        mut fields,
        title,
        mut body,
        line,
    } = document(content, 1, Titles::Any, sink);
    let path = sink.path;
    if !fields.has(CONTEXT)
        && let Some((context, rest)) = without_section(&body, &["context"])
    {
        fields.set("context", Node::text(line, context));
        body = rest;
    }
    finish(&mut fields, title, &body, line);
    let place = Place {
        slug: Some(stem(path)),
        ..Place::at(1, "markdown", now)
    };
    record::take(fields, &place, sink);
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
    match fields.text(RECOMMENDATION) {
        Ok(Some(said)) if body.is_empty() => fields.set("recommendation", Node::text(line, said)),
        Ok(Some(said)) => fields.set(
            "recommendation",
            Node::text(line, format!("{said}\n\n{body}")),
        ),
        _ => fields.set("recommendation", Node::text(line, body)),
    }
}

/// Headings that may be a title.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Titles {
    /// The first `# …`; else the first of any level.
    Any,
    /// The first `# …` only: the others are parts of a form.
    First,
}

/// Splits a text whose first line is number `first_line` into front matter, title and body.
pub(super) fn document(
    content: &str,
    first_line: u32,
    titles: Titles,
    sink: &mut Sink<'_>,
) -> Document {
    let content: Cow<'_, str> = if content.contains('\r') {
        Cow::Owned(content.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(content)
    };
    let opened = front_matter::open(&content, first_line);
    tell(&opened.notes, sink);
    let fields = Fields::lenient(opened.fields);
    let body = &*opened.body;
    let all = headings(body);
    let said = fields.said_title();
    let title: Option<&Heading<'_>> = all.iter().find(|heading| heading.level == 1).or_else(|| {
        all.first()
            .filter(|_| titles == Titles::Any && said.is_none())
    });
    // A title in the front matter is the title; a heading that says something else stays in the body.
    let title = title.filter(|title| said.is_none_or(|said| is_same_title(said, title.text)));
    let before = title.map_or("", |title| &body[..title.start]);
    let (cut, rest) = match title {
        Some(title) if before.trim().is_empty() => {
            let (cut, rest) = body.split_at(title.end);
            (cut, Cow::Borrowed(rest))
        }
        // A comment before the title stays, and an empty line in the title's place keeps the numbers of the others.
        Some(title) if is_only_comments(before) => {
            ("", Cow::Owned(format!("{before}\n{}", &body[title.end..])))
        }
        _ => ("", Cow::Borrowed(body)),
    };
    let breaks = line_number(cut.matches('\n').count());
    Document {
        title: title
            .filter(|_| said.is_none())
            .map(|title| title.text.to_owned()),
        body: rest.into_owned(),
        line: opened.body_line.saturating_add(breaks),
        fields,
    }
}

/// True if a heading repeats the front matter's title.
fn is_same_title(said: &str, heading: &str) -> bool {
    let plain = |text: &str| text.trim().trim_matches(['`', '*', '"']).to_lowercase();
    plain(said) == plain(heading)
}

/// Tells in one remark what front matter was read otherwise than YAML reads it. Globs have no quotes in any rules file.
fn tell(notes: &[Note], sink: &mut Sink<'_>) {
    let notes: Vec<&Note> = notes
        .iter()
        .filter(|note| !is_pattern(&note.field))
        .collect();
    let Some(first) = notes.first() else {
        return;
    };
    const TOLD: usize = 8;
    let mut parts: Vec<String> = notes
        .iter()
        .take(TOLD)
        .map(|note| match note.field.as_str() {
            "" => format!("line {}: {}", note.line, note.message),
            field => format!("line {}: `{field}` {}", note.line, note.message),
        })
        .collect();
    if notes.len() > TOLD {
        parts.push(format!("and {} more", notes.len() - TOLD));
    }
    let message = format!(
        "{}; put a value in quotes for other programs to read it alike",
        parts.join("; ")
    );
    sink.warn(Some(first.line), "front_matter", message);
}

/// Takes the first section with this heading out of a body: its text, and what remains.
pub(super) fn without_section(body: &str, names: &[&str]) -> Option<(String, String)> {
    let all = headings(body);
    let at = all.iter().position(|heading| {
        heading.level > 1
            && names.iter().any(|name| {
                let text = heading.text.trim_end_matches(':').trim_matches('*');
                text.eq_ignore_ascii_case(name)
            })
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
