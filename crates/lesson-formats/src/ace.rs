//! ACE playbooks: bullets with helpful and harmful counts, as text or as JSON.

use super::fields::Fields;
use super::headings::headings;
use super::node::{Fault, Node, Value, line_number, shown};
use super::record::{self, Place};
use super::sink::Sink;
use super::{cass, json_tree, words};
use lesson_core::Millis;
use lesson_core::slug_of;

/// True if a text holds a bullet such as `[sec-00001] helpful=3 harmful=1 :: …`.
pub(super) fn is_playbook(content: &str) -> bool {
    content
        .lines()
        .take(500)
        .any(|line| split(line).is_some_and(|(_, counts)| counts.contains("helpful=")))
}

/// Reads all bullets of a file.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    if content.trim_start().starts_with(['{', '[']) && !is_playbook(content) {
        match json_tree::read(content, 1) {
            Ok(root) if cass::is_playbook(&root) => cass::take(root, now, sink),
            Ok(root) => records(root, now, sink),
            Err(Fault {
                line,
                code,
                message,
            }) => sink.reject(
                Some(line),
                code,
                format!("not valid JSON: {message}; nothing of this file was taken"),
            ),
        }
    } else {
        text(content, now, sink);
    }
}

/// `[id] counts :: text` in its id and the rest.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .unwrap_or(line)
        .trim_start();
    let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
    let word = !id.is_empty()
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    (word && rest.contains("::")).then_some((id, rest))
}

/// A bullet of the text form while its lines are read.
struct Bullet<'a> {
    line: u32,
    id: &'a str,
    counts: &'a str,
    section: &'a str,
    text: String,
}

fn text(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let all = headings(content);
    let mut next = all.iter().peekable();
    let mut section = "";
    let mut bullet: Option<Bullet<'_>> = None;
    let mut stray: Option<u32> = None;
    let mut found = false;
    let mut at = 0;
    for (number, line) in content.split_inclusive('\n').enumerate() {
        let number = line_number(number + 1);
        let start = at;
        at += line.len();
        if let Some(heading) = next.next_if(|heading| heading.start == start) {
            finish(bullet.take(), now, sink);
            section = heading.text;
        } else if let Some((id, rest)) = split(line) {
            finish(bullet.take(), now, sink);
            found = true;
            let (counts, text) = rest.split_once("::").unwrap_or((rest, ""));
            bullet = Some(Bullet {
                line: number,
                id,
                counts,
                section,
                text: text.trim().to_owned(),
            });
        } else if line.trim().is_empty() {
            finish(bullet.take(), now, sink);
        } else if let Some(bullet) = &mut bullet {
            bullet.text.push('\n');
            bullet.text.push_str(line.trim());
        } else {
            stray = stray.or(Some(number));
        }
    }
    finish(bullet.take(), now, sink);
    if !found {
        sink.reject(
            None,
            "ace",
            "no bullet such as `[sec-00001] helpful=3 harmful=1 :: text` is in this playbook",
        );
    } else if stray.is_some() {
        sink.warn(
            stray,
            "ace",
            "text outside bullets begins here and was left out",
        );
    }
}

fn finish(bullet: Option<Bullet<'_>>, now: Millis, sink: &mut Sink<'_>) {
    let Some(bullet) = bullet else { return };
    let line = bullet.line;
    let mut entries = vec![
        ("id".to_owned(), Node::text(line, bullet.id)),
        ("content".to_owned(), Node::text(line, bullet.text)),
    ];
    if !bullet.section.is_empty() {
        entries.push(("section".to_owned(), Node::text(line, bullet.section)));
    }
    for word in bullet
        .counts
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
    {
        let Some((name, value)) = word.split_once('=') else {
            let message = format!(
                "`{}` is no count; write `helpful=3 harmful=1 ::` before the text",
                shown(word)
            );
            return sink.reject(Some(line), "ace", message);
        };
        entries.push((
            name.to_owned(),
            Node {
                line,
                value: Value::Plain(value.to_owned()),
            },
        ));
    }
    take(
        Node {
            line,
            value: Value::Map(entries),
        },
        now,
        sink,
    );
}

/// Reads the bullets of a tree.
pub(super) fn records(root: Node, now: Millis, sink: &mut Sink<'_>) {
    let line = root.line;
    let bullets = match root.value {
        Value::List(bullets) => bullets,
        Value::Map(_) => {
            let mut fields = Fields::of(root);
            let playbook = fields
                .take(&["bullets"])
                .or_else(|| fields.take(&["playbook"]));
            // The bullets say their section; the table of sections and the counter add nothing.
            fields.drop(&["sections", "next_id"]);
            let left = fields.left();
            if !left.is_empty() {
                let message = format!(
                    "besides `bullets`, these were left out: {}",
                    left.join(", ")
                );
                sink.warn(Some(line), "unknown_field", message);
            }
            match playbook.map(|node| node.value) {
                Some(Value::List(bullets)) => bullets,
                Some(Value::Map(named)) => named.into_iter().map(with_id).collect(),
                _ => {
                    return sink.reject(
                        Some(line),
                        "ace",
                        "the playbook has no `bullets`; write {\"bullets\": [{\"id\", \"section\", \"content\", \"helpful_count\", \"harmful_count\"}]}",
                    );
                }
            }
        }
        _ => {
            return sink.reject(Some(line), "ace", "a playbook is an object with `bullets`");
        }
    };
    for bullet in bullets {
        if matches!(bullet.value, Value::Map(_)) {
            take(bullet, now, sink);
        } else {
            let message = format!("a bullet is an object, but here is {}", bullet.kind());
            sink.reject(Some(bullet.line), "ace", message);
        }
    }
}

/// A bullet of `{"bullets": {"id": {…}}}`.
fn with_id((id, mut node): (String, Node)) -> Node {
    let line = node.line;
    if let Value::Map(entries) = &mut node.value
        && !entries.iter().any(|(name, _)| name == "id")
    {
        entries.push(("id".to_owned(), Node::text(line, id)));
    }
    node
}

/// One bullet: its section becomes a tag, and the category when it names one.
fn take(node: Node, now: Millis, sink: &mut Sink<'_>) {
    let line = node.line;
    let mut fields = Fields::of(node);
    if let Some(Value::Map(entries)) = fields.take(&["metadata"]).map(|node| node.value) {
        for (name, node) in entries {
            if !fields.has(&[name.as_str()]) {
                fields.set(&name, node);
            }
        }
    }
    // Neither helpful nor harmful: no count of ours.
    fields.drop(&["neutral", "neutral_count"]);
    if let Ok(Some(section)) = fields.text(&["section"]) {
        let tag = slug_of(&section);
        let mut tags = fields.words(&["tags"]).unwrap_or_default();
        tags.push(tag.clone());
        let tags = tags.into_iter().map(|tag| Node::text(line, tag)).collect();
        fields.set(
            "tags",
            Node {
                line,
                value: Value::List(tags),
            },
        );
        let category = tag.split('-').find_map(words::category);
        if let Some(category) = category.filter(|_| !fields.has(&["category"])) {
            fields.set("category", Node::text(line, category.as_str()));
        }
    }
    let place = Place::at(line, "ace", now);
    record::take(fields, &place, sink);
}
