//! Lessons as Agent Skills: a folder each with a `SKILL.md`, which Claude Code, Codex, Cursor and others load when its
//! description fits (<https://agentskills.io/specification>).

use crate::extra;
use crate::node::Value;
use crate::quoted::quote;
use crate::skill_form::{WHAT, WHEN};
use crate::{Format, parse};
use lesson_core::{Lesson, Trust, one_line};
use std::collections::BTreeSet;

/// Longest name, in characters; the specification's bound. It has to be the folder's.
const NAME: usize = 64;
/// Longest description, in characters; the specification's bound.
const DESCRIPTION: usize = 1_024;
/// Hexadecimal digits that tell names apart which are cut to the same one.
const DIGITS: usize = 8;

/// The skills: path and content of each. A skill is followed, not weighed, so only lessons that a person approved and that
/// proved themselves become one.
pub fn to_skills<'a>(
    lessons: impl IntoIterator<Item = &'a Lesson>,
) -> impl Iterator<Item = (String, String)> {
    let mut taken = BTreeSet::new();
    lessons
        .into_iter()
        .filter(|lesson| is_proven(lesson))
        .map(move |lesson| {
            let name = name_of(lesson, &taken);
            let path = format!("{name}/SKILL.md");
            let content = skill(&name, lesson, false);
            // Texts that do not read back from the sections stand in the metadata, too.
            let is_same = |content: &str| {
                let read = parse(&path, content, Format::Auto, lesson.updated_at);
                matches!(read.lessons.as_slice(), [back] if back.lesson.text == lesson.text && back.lesson.slug == lesson.slug)
            };
            let content = if is_same(&content) {
                content
            } else {
                skill(&name, lesson, true)
            };
            taken.insert(name);
            (path, content)
        })
}

fn is_proven(lesson: &Lesson) -> bool {
    lesson.trust == Trust::Approved
        && !lesson.approved_by_agent
        && !lesson.archived
        && lesson.standing.proven_effective
}

/// The slug, which is spelled like a name; with a hash of it where it is too long.
fn name_of(lesson: &Lesson, taken: &BTreeSet<String>) -> String {
    if lesson.slug.len() <= NAME && !taken.contains(&lesson.slug) {
        return lesson.slug.clone();
    }
    let head = lesson.slug.get(..NAME - DIGITS - 1);
    let head = head.unwrap_or(&lesson.slug).trim_end_matches('-');
    let hash = lesson.text.content_hash();
    format!("{head}-{}", hash.get(..DIGITS).unwrap_or(&hash))
}

fn skill(name: &str, lesson: &Lesson, is_whole: bool) -> String {
    let text = &lesson.text;
    let mut out = format!("---\nname: {name}\ndescription: ");
    quote(&mut out, &description(lesson));
    out.push('\n');
    let mut metadata = Vec::new();
    if !is_whole {
        for (name, node) in extra::entries(&text.extra) {
            match node.value {
                Value::Map(others) if name == "metadata" => metadata = others,
                _ => extra::yaml(&mut out, 0, &name, &node),
            }
        }
    }
    out.push_str("metadata:\n  lessonloop: ");
    quote(&mut out, &own(name, lesson, is_whole));
    out.push('\n');
    for (name, node) in &metadata {
        extra::yaml(&mut out, 2, name, node);
    }
    out.push_str("---\n");
    out.push_str(&format!("# {}\n", one_line(&text.title)));
    for (heading, part) in [
        ("\n", &text.description),
        (WHEN, &text.context),
        (WHAT, &text.recommendation),
    ] {
        let part = part.trim();
        if !part.is_empty() {
            out.push_str(&format!("{heading}{part}\n"));
        }
    }
    out
}

/// Writes the fields that a skill has no place for as JSON; with `is_whole` the texts as well.
fn own(name: &str, lesson: &Lesson, is_whole: bool) -> String {
    let text = &lesson.text;
    let mut own = serde_json::Map::new();
    if is_whole || name != lesson.slug {
        own.insert("slug".to_owned(), lesson.slug.clone().into());
    }
    if is_whole {
        for (field, part) in [
            ("title", &text.title),
            ("description", &text.description),
            ("context", &text.context),
            ("recommendation", &text.recommendation),
        ] {
            own.insert(field.to_owned(), part.clone().into());
        }
        if !text.extra.is_empty() {
            own.insert("extra".to_owned(), text.extra.clone().into());
        }
    }
    own.insert("category".to_owned(), text.category.as_str().into());
    if !text.domain.is_empty() {
        own.insert("domain".to_owned(), text.domain.clone().into());
    }
    for (field, list) in [
        ("project_types", &text.project_types),
        ("tech_stacks", &text.tech_stacks),
        ("tags", &text.tags),
    ] {
        if !list.is_empty() {
            // As in markdown, the first `#` of a tag goes when it is read.
            let words = list
                .iter()
                .map(|word| match word.starts_with('#') && field == "tags" {
                    true => format!("#{word}"),
                    false => word.clone(),
                });
            own.insert(field.to_owned(), words.collect::<Vec<_>>().into());
        }
    }
    serde_json::Value::Object(own).to_string()
}

/// Makes the description by which an agent decides to load it: what it does and when to use it.
fn description(lesson: &Lesson) -> String {
    let text = &lesson.text;
    let mut parts = vec![one_line(&text.title)];
    let about = one_line(&text.description);
    if !about.is_empty() && about != parts[0] {
        parts.push(about);
    }
    let when = one_line(&text.context);
    if !when.is_empty() {
        parts.push(format!("Use when: {when}"));
    }
    let topics: Vec<&str> = [&text.tech_stacks, &text.project_types, &text.tags]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    if !topics.is_empty() {
        parts.push(format!("Topics: {}", one_line(&topics.join(", "))));
    }
    let sentences: Vec<String> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| {
            let ended = part.ends_with(['.', '!', '?', '…']);
            if ended {
                part.clone()
            } else {
                format!("{part}.")
            }
        })
        .collect();
    // Some clients refuse a description that looks like markup.
    let whole = sentences.join(" ").replace(['<', '>'], " ");
    if whole.chars().count() <= DESCRIPTION {
        return whole;
    }
    let head: String = whole.chars().take(DESCRIPTION - 1).collect();
    let head = head
        .rsplit_once(' ')
        .map_or(head.as_str(), |(head, _)| head);
    format!("{head}…")
}
