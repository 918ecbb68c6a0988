//! Notes of basic-memory as JSON: those that come with their content are lessons.

use super::file_name::file_name;
use super::markdown::{Document, Titles, document, finish};
use super::node::{Node, Value};
use super::record::{self, Place};
use super::record_texts::text;
use super::sink::Sink;
use lesson_core::Millis;

/// Reads all notes.
pub(super) fn take(records: Vec<Node>, now: Millis, sink: &mut Sink<'_>) {
    let mut silent = 0;
    let mut is_any = false;
    for record in records {
        let line = record.line;
        let Some(content) = text(&record, "content").map(str::to_owned) else {
            silent += 1;
            continue;
        };
        is_any = true;
        let slug = text(&record, "permalink").map(|link| file_name(link).to_owned());
        let Document {
            mut fields,
            title,
            body,
            ..
        } = document(&content, line, Titles::Any, sink);
        if !fields.has(&["title"])
            && let Some(title) = text(&record, "title")
        {
            fields.set("title", Node::text(line, title));
        }
        let Value::Map(entries) = record.value else {
            continue;
        };
        for (name, node) in entries {
            if matches!(name.as_str(), "created_at" | "updated_at" | "tags")
                && !fields.has(&[&name])
            {
                fields.push(&name, node);
            }
        }
        fields.drop(&["permalink", "type"]);
        let is_titled = fields.has(&["title"]);
        finish(&mut fields, title.filter(|_| !is_titled), &body, line);
        let place = Place {
            slug: slug.as_deref(),
            ..Place::at(line, "basic-memory", now)
        };
        record::take(fields, &place, sink);
    }
    if !is_any {
        let message = "an export of basic-memory without the notes' content holds no statement; import its folder of markdown notes instead";
        sink.reject(None, "not_a_lesson", message);
    } else if silent > 0 {
        sink.warn(None, "empty", format!("{silent} notes without content were left out; import the folder of markdown notes instead"));
    }
}
