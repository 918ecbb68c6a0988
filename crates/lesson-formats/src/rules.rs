//! Files of rules for coding agents, such as `AGENTS.md`, `CLAUDE.md` and `.windsurfrules`: a lesson for each `##` section where
//! there are several, else one. Lessonloop's own block is left out.

use super::applies_to;
use super::fields::Fields;
use super::file_name::{file_name, stem};
use super::headings::{Heading, headings, is_only_comments};
use super::markdown::{Document, Titles, document, finish};
use super::merge_block::without_block;
use super::node::{Node, line_number};
use super::record::{self, Place};
use super::sink::{Sink, short_hash};
use lesson_core::Millis;
use std::collections::BTreeMap;

/// Names of such files, in lower case.
const NAMES: &[&str] = &[
    "agents.md",
    "agents.override.md",
    "agent.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
    "qwen.md",
    "warp.md",
    "copilot-instructions.md",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    ".rules",
    ".goosehints",
    "conventions.md",
];
/// Folders of such files.
const FOLDERS: &[&str] = &[
    ".roo/rules",
    ".windsurf/rules/",
    ".clinerules/",
    ".claude/rules/",
    ".agents/rules/",
    ".kiro/steering/",
    ".github/instructions/",
];

/// True if a file holds rules, by its path.
pub(super) fn is_rules(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let name = file_name(&path);
    let is_text = name.ends_with(".md") || name.ends_with(".txt");
    NAMES.contains(&name)
        || name.ends_with(".instructions.md")
        || (is_text && FOLDERS.iter().any(|folder| path.contains(folder)))
}

/// Reads one file of rules.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let own = match without_block(content) {
        Ok(own) => own,
        Err(damaged) => {
            return sink.reject(
                Some(line_number(damaged.line)),
                "block",
                format!(
                    "Lessonloop's own block can't be told from the rest: {}",
                    damaged.message
                ),
            );
        }
    };
    if own.trim().is_empty() {
        sink.warn(
            None,
            "not_a_lesson",
            "the file holds nothing but Lessonloop's own block, which was left out",
        );
        return;
    }
    let mut document = document(&own, 1, Titles::First, sink);
    applies_to::take(&mut document.fields);
    let sections: Vec<Heading<'_>> = headings(&document.body)
        .into_iter()
        .filter(|heading| heading.level <= 2)
        .collect();
    let count = sections.iter().filter(|heading| heading.level == 2).count();
    if count < 2 {
        return whole(document, now, sink);
    }
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    let first = sections.first().map_or(0, |heading| heading.start);
    // The text before the sections is headed by the file's own title; a licence there is no rule.
    let before = &document.body[..first];
    if !is_only_comments(before) {
        let mut fields = document.fields.clone();
        finish(&mut fields, document.title.clone(), before, document.line);
        take(
            fields,
            document.line,
            Some(stem(sink.path)),
            None,
            now,
            sink,
        );
    }
    let mut empty = Vec::new();
    for (at, heading) in sections.iter().enumerate() {
        let end = sections
            .get(at + 1)
            .map_or(document.body.len(), |next| next.start);
        let body = &document.body[heading.end..end];
        if is_only_comments(body) {
            // A heading of parts says nothing by itself.
            if heading.level == 2 {
                empty.push(heading.text);
            }
            continue;
        }
        // Only what stands before a heading counts its line.
        let breaks = document.body[..heading.start].matches('\n').count();
        let line = document.line.saturating_add(line_number(breaks));
        let mut fields = document.fields.clone();
        fields.drop(&[
            "title",
            "headline",
            "name",
            "description",
            "summary",
            "slug",
        ]);
        finish(&mut fields, Some(heading.text.to_owned()), body, line);
        let times = used.entry(heading.text.to_lowercase()).or_default();
        *times += 1;
        // Headings in other scripts may have the same Latin letters.
        let apart = match *times {
            1 if heading.text.is_ascii() => None,
            1 => Some(short_hash(heading.text)),
            times => Some(times.to_string()),
        };
        take(fields, line, None, apart.as_deref(), now, sink);
    }
    if !empty.is_empty() {
        let message = format!(
            "sections without a text were left out: {}",
            empty.join(", ")
        );
        sink.warn(None, "empty", message);
    }
}

fn whole(document: Document, now: Millis, sink: &mut Sink<'_>) {
    let Document {
        mut fields,
        title,
        body,
        line,
    } = document;
    finish(&mut fields, title, &body, line);
    let slug = stem(sink.path).trim_end_matches(".instructions");
    take(fields, 1, Some(slug), None, now, sink);
}

fn take(
    mut fields: Fields,
    line: u32,
    slug: Option<&str>,
    apart: Option<&str>,
    now: Millis,
    sink: &mut Sink<'_>,
) {
    if slug.is_none()
        && let Ok(Some(title)) = fields.text(&["title"])
    {
        fields.set(
            "title",
            Node::text(line, title.trim_matches(['*', '`', ' ']).to_owned()),
        );
    }
    let place = Place {
        slug,
        apart,
        ..Place::at(line, "rules", now)
    };
    record::take(fields, &place, sink);
}
