//! Agent Skills: a folder each with a `SKILL.md` (<https://agentskills.io/specification>). What [`super::skills`] wrote comes
//! back as the same lesson.

use super::file_name::{file_name, folder};
use super::json_tree;
use super::markdown::{Document, Titles, document, finish, without_section};
use super::node::{Node, Value};
use super::record::{self, CONTEXT, Place};
use super::sink::Sink;
use super::skill_form::{OWN, OWN_FIELDS, WHAT, WHEN};
use lesson_core::Millis;

/// Headings of a section that says when a skill is of use.
const SECTIONS: &[&str] = &[
    "when to use",
    "when to use this skill",
    "when to use this",
    "when to apply",
    "when to use it",
    "when this skill applies",
    "use when",
    "when",
];
/// Beginnings of sentences of a description that say when a skill is of use.
const USES: &[&str] = &[
    "use when",
    "use this",
    "use it",
    "use for",
    "use if",
    "use after",
    "use before",
    "use whenever",
    "use to",
    "trigger",
    "when ",
    "invoke when",
    "apply when",
    "activate when",
    "should be used when",
];

/// True if a file is a skill, by its path.
pub(super) fn is_skill(path: &str) -> bool {
    file_name(path).eq_ignore_ascii_case("SKILL.md")
}

/// Reads one skill.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let Document {
        mut fields,
        mut title,
        mut body,
        line,
    } = document(content, 1, Titles::First, sink);
    // A block of YAML ends with a line break that belongs to nobody.
    if let Ok(Some(description)) = fields.text(&["description"]) {
        fields.set("description", Node::text(1, description.trim_end()));
    }
    let own = own(&mut fields);
    if let Some(own) = own {
        ours(&mut fields, &mut body, line, own);
        title = title.filter(|_| !fields.has(&["title"]));
    } else {
        if let Ok(Some(when)) = fields.text(&["when_to_use"])
            && !fields.has(CONTEXT)
        {
            fields.set("context", Node::text(line, when));
        }
        if !fields.has(CONTEXT)
            && let Some((when, rest)) = without_section(&body, SECTIONS)
        {
            fields.set("context", Node::text(line, when));
            body = rest;
        }
        if !fields.has(CONTEXT)
            && let Some(when) = fields.peek("description").and_then(uses)
        {
            fields.set("context", Node::text(line, when));
        }
    }
    let name = fields.peek("name").map(str::to_owned);
    let path = sink.path;
    let slug = name.as_deref().or_else(|| folder(path)).unwrap_or("skill");
    if title.is_none() && !fields.has(&["title"]) && fields.said_title().is_none() {
        fields.set("title", Node::text(1, words(slug)));
    }
    finish(&mut fields, title, &body, line);
    let place = Place {
        slug: Some(slug),
        ..Place::at(1, "skill", now)
    };
    record::take(fields, &place, sink);
}

/// Takes from `metadata` what [`super::skills`] put there because a skill has no place for it.
fn own(fields: &mut super::fields::Fields) -> Option<Vec<(String, Node)>> {
    let mut metadata = fields.take(&["metadata"])?;
    let own = match metadata.get(OWN) {
        Some(Node {
            value: Value::Text(text),
            line,
        }) => json_tree::read(text, *line).ok(),
        _ => None,
    };
    let Some(Node {
        value: Value::Map(own),
        ..
    }) = own
    else {
        fields.push("metadata", metadata);
        return None;
    };
    if let Value::Map(others) = &mut metadata.value {
        others.retain(|(name, _)| name != OWN);
        if !others.is_empty() {
            fields.push("metadata", metadata);
        }
    }
    Some(own)
}

/// A skill of ours: its description is made of the others, and its sections are the lesson's.
fn ours(
    fields: &mut super::fields::Fields,
    body: &mut String,
    line: u32,
    own: Vec<(String, Node)>,
) {
    let (head, what) = body
        .split_once(WHAT)
        .map_or((body.as_str(), ""), |(head, what)| (head, what));
    let (about, when) = head.split_once(WHEN).unwrap_or((head, ""));
    let (about, when, what) = (
        about.trim().to_owned(),
        when.trim().to_owned(),
        what.trim().to_owned(),
    );
    fields.set("description", Node::text(line, about));
    fields.set("context", Node::text(line, when));
    fields.set("recommendation", Node::text(line, what));
    body.clear();
    for (name, node) in own {
        if OWN_FIELDS.contains(&name.as_str()) {
            // A name that was too long is cut; the slug is whole.
            if name == "slug" {
                fields.drop(&["name"]);
            }
            fields.set(&name, node);
        }
    }
}

/// The sentences of a description that say when a skill is of use.
fn uses(description: &str) -> Option<String> {
    let mut rest = description;
    let mut at = 0;
    loop {
        let lowered = rest.trim_start().to_ascii_lowercase();
        if USES.iter().any(|start| lowered.starts_with(start)) {
            let text = description[at..].trim();
            return (!text.is_empty()).then(|| text.to_owned());
        }
        let next = rest
            .find(". ")
            .or_else(|| rest.find(".\n"))
            .map(|end| end + 2)?;
        at += next;
        rest = &rest[next..];
    }
}

/// A name such as `pdf-forms` in words.
fn words(name: &str) -> String {
    let mut words = name.trim().replace(['-', '_'], " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}
