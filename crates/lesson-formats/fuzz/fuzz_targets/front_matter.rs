//! Front matter of any text: nothing panics, and the body after it is kept.
#![no_main]

use lesson_formats::{Format, parse};
use libfuzzer_sys::fuzz_target;

const BODY: &str = "Drain the queue before a deploy";
/// Longer front matter may push the body over a lesson's bounds. In bytes.
const MOST: usize = 4_096;

fuzz_target!(|front: &str| {
    let is_text = !front.chars().any(|c| c.is_control() && !"\n\r\t".contains(c));
    if front.len() > MOST || !is_text {
        return;
    }
    let content = format!("---\n{front}\n---\n{BODY}\n");
    let parsed = parse("note.md", &content, Format::Markdown, 0);
    assert!(parsed.rejected.is_empty(), "{:?}", parsed.rejected);
    let is_kept = parsed.lessons.iter().any(|read| {
        let text = &read.lesson.text;
        let parts = [&text.title, &text.description, &text.context, &text.recommendation];
        parts.iter().any(|part| part.contains(BODY))
    });
    assert!(is_kept, "the body was lost");
});
