//! Taking together what is heard of a session: the words of now, and the state kept of all.

use super::input::{Kept, SessionInput};
use crate::private::without_private;
use crate::transcript::Sign;
use lesson_core::{Policy, extract, without_outcomes};

/// Most bytes of paragraphs that are kept; the oldest go first.
const MOST: usize = 200_000;

/// Words of the markers: a paragraph with one of them and a colon may hold a marker line.
const MARKERS: [&str; 7] = [
    "insight",
    "blocked",
    "delivered",
    "complete",
    "injected",
    "task",
    "objective",
];

/// The words said now, and the state of the session with them.
pub(super) struct Heard {
    pub(super) now: String,
    pub(super) all: Kept,
}

/// Takes the reads together: subagents first, because what the agent itself says of the outcome is said of the whole.
pub(super) fn heard(input: &SessionInput) -> Heard {
    let mut all = input.kept.clone();
    let mut own = String::new();
    let mut now = String::new();
    for read in &input.reads {
        all.gave_feedback |= read.gave_feedback;
        for slug in &read.shown {
            show(&mut all.shown, slug);
        }
        for slug in &read.prompted {
            show(&mut all.prompted, slug);
        }
        if read.subagent {
            now.push_str(&read.said);
        } else {
            all.outcome = read.outcome.or(all.outcome);
            for sign in &read.signs {
                Sign::put(&mut all.signs, sign.clone());
            }
            own.push_str(&read.said);
        }
    }
    for slug in &input.shown {
        show(&mut all.shown, slug);
    }
    let mut last = without_private(input.last_message.as_deref().unwrap_or_default());
    if input.subagent {
        last = without_outcomes(&last);
    }
    let last = last.trim();
    // It may stand in the transcript already.
    if !last.is_empty() && !own.contains(last) && !now.contains(last) {
        if !input.subagent {
            let told = extract(last, &Policy::default().session).outcome;
            all.outcome = told.or(all.outcome);
        }
        own.push_str(last);
        own.push_str("\n\n");
    }
    now.push_str(&own);
    for paragraph in paragraphs(&now) {
        if matters(paragraph, &all.shown) {
            // Said again, it is said last: an outcome goes by that.
            if let Some(at) = all.said.find(paragraph) {
                all.said.replace_range(at..at + paragraph.len(), "");
            }
            all.said.push_str(paragraph);
        }
    }
    if all.said.len() > MOST {
        let from = all.said.ceil_char_boundary(all.said.len() - MOST);
        all.said = all.said[from..].to_owned();
    }
    Heard { now, all }
}

fn show(shown: &mut Vec<String>, slug: &str) {
    if lesson_core::is_slug(slug) && !shown.iter().any(|one| one == slug) {
        shown.push(slug.to_owned());
    }
}

/// Pieces between blank lines, each with what ends it.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive("\n\n")
        .filter(|part| !part.trim().is_empty())
}

fn matters(paragraph: &str, shown: &[String]) -> bool {
    let lowered = paragraph.to_ascii_lowercase();
    (lowered.contains(':') && MARKERS.iter().any(|word| lowered.contains(word)))
        || shown.iter().any(|slug| lowered.contains(slug.as_str()))
}
