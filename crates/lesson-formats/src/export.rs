//! A lesson as a markdown file that people can edit.

use super::quoted::quote;
use super::{Format, extra, parse};
use lesson_core::{Lesson, Text};
use std::fmt::Write;

/// The lesson as a markdown file: its name and its content, which reads back as the same text.
///
/// The title stands as the heading and the recommendation as the body. A text that would not come
/// back from there unchanged (a title with a line break, say) stands in the front matter instead. Fields that lessons lack
/// stand there under their own names.
/// Words of lists that are empty, doubled or padded with blanks are tidied when they are read.
pub fn to_markdown(lesson: &Lesson) -> (String, String) {
    let name = format!("{}.md", lesson.slug);
    let readable = file(lesson, true);
    let read = parse(&name, &readable, Format::Markdown, lesson.updated_at);
    let same = |text: &Text| {
        text.title == lesson.text.title
            && text.description == lesson.text.description
            && text.context == lesson.text.context
            && text.recommendation == lesson.text.recommendation
            && text.extra == lesson.text.extra
    };
    let content = match read.lessons.as_slice() {
        [back] if same(&back.lesson.text) => readable,
        _ => file(lesson, false),
    };
    (name, content)
}

fn file(lesson: &Lesson, readable: bool) -> String {
    let text = &lesson.text;
    let mut out = String::from("---\n");
    let mut field = |name: &str, value: &str| {
        out.push_str(name);
        out.push_str(": ");
        quote(&mut out, value);
        out.push('\n');
    };
    if !readable {
        field("slug", &lesson.slug);
        field("title", &text.title);
    }
    field("description", &text.description);
    if !readable || !text.context.is_empty() {
        field("context", &text.context);
    }
    if !readable {
        field("recommendation", &text.recommendation);
    }
    if !text.domain.is_empty() {
        field("domain", &text.domain);
    }
    if !lesson.source.is_empty() {
        field("source", &lesson.source);
    }
    for (name, list) in [
        ("project_types", &text.project_types),
        ("tech_stacks", &text.tech_stacks),
        ("tags", &text.tags),
    ] {
        if !list.is_empty() {
            out.push_str(name);
            out.push_str(": [");
            for (place, word) in list.iter().enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                // The first `#` of a tag goes when it is read.
                match name == "tags" && word.starts_with('#') {
                    true => quote(&mut out, &format!("#{word}")),
                    false => quote(&mut out, word),
                }
            }
            out.push_str("]\n");
        }
    }
    let status = if lesson.archived {
        "archived"
    } else {
        "active"
    };
    if readable {
        for (name, node) in extra::entries(&text.extra) {
            extra::yaml(&mut out, 0, &name, &node);
        }
    } else if !text.extra.is_empty() {
        out.push_str("extra: ");
        quote(&mut out, &text.extra);
        out.push('\n');
    }
    // Writing to a String can't fail.
    let _ = write!(
        out,
        "category: {}\nconfidence: {}\nstatus: {status}\n---\n",
        text.category.as_str(),
        lesson.standing.confidence,
    );
    if readable {
        let _ = write!(out, "# {}\n\n{}\n", text.title, text.recommendation);
    }
    out
}
