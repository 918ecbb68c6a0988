//! A text that is longer than a lesson may be: it becomes several lessons, cut between sections, else between paragraphs, else
//! between lines, else by length.

use super::headings::{Fence, headings};
use super::sink::with_suffix;
use lesson_core::{Lesson, Text, slug_of};
use lesson_types::limits::{LESSON_BYTES, TITLE};
use std::collections::BTreeSet;

/// Levels of headings that a text is cut at, one after the other.
const LEVELS: std::ops::RangeInclusive<usize> = 1..=4;
/// Fewer bytes of a recommendation than this are not worth a lesson, however long its other texts are.
const LEAST: usize = 1_024;

type Field = fn(&mut Text) -> &mut String;

/// The lessons that a lesson becomes: itself where it is short enough; else the first keeps its name, and the others are named
/// by the heading that they begin with. Together they hold its recommendation to the byte, but for blanks at the cuts. Code between
/// fences and a line are cut only where one is too long by itself. `notes` gets the fields that begin the recommendation now, as
/// repeating them in each lesson would leave it no room.
pub(super) fn split(mut lesson: Lesson, notes: &mut Vec<(&'static str, String)>) -> Vec<Lesson> {
    if bytes(&lesson.text) <= LESSON_BYTES {
        return vec![lesson];
    }
    let fields: [(&str, Field); 2] = [
        ("context", |text| &mut text.context),
        ("description", |text| &mut text.description),
    ];
    for (name, field) in fields {
        let others = bytes(&lesson.text) - lesson.text.recommendation.len();
        if others > LESSON_BYTES / 2 && !field(&mut lesson.text).is_empty() {
            let part = std::mem::take(field(&mut lesson.text));
            let rest = &mut lesson.text.recommendation;
            *rest = format!("{part}\n\n{rest}");
            notes.push((
                "split",
                format!("the {name} stands at the recommendation's beginning, as it is too long to be said in each of the lessons"),
            ));
        }
    }
    let text = &lesson.text;
    let beside = bytes(text) - text.recommendation.len();
    // Titles of parts have their heading in them.
    let room = LESSON_BYTES.saturating_sub(beside + TITLE * 4).max(LEAST);
    let mut pieces = Vec::new();
    cut(&text.recommendation, *LEVELS.start(), room, &mut pieces);
    let mut slugs: BTreeSet<String> = BTreeSet::new();
    packed(&pieces, room)
        .into_iter()
        .enumerate()
        .map(|(at, part)| {
            let mut one = lesson.clone();
            part.trim().clone_into(&mut one.text.recommendation);
            if at > 0 {
                let all = headings(&part);
                name(
                    &mut one,
                    all.first().map(|heading| heading.text),
                    at + 1,
                    &slugs,
                );
            }
            slugs.insert(one.slug.clone());
            one
        })
        .collect()
}

fn bytes(text: &Text) -> usize {
    let lists = [&text.project_types, &text.tech_stacks, &text.tags];
    let fields = [
        &text.title,
        &text.description,
        &text.context,
        &text.recommendation,
        &text.domain,
    ];
    let all = fields.into_iter().chain(lists.into_iter().flatten());
    all.map(String::len).sum()
}

/// Names the part with this number, from 1, of a lesson.
fn name(part: &mut Lesson, heading: Option<&str>, number: usize, taken: &BTreeSet<String>) {
    let free = |suffix: &str| with_suffix(&part.slug, suffix).filter(|slug| !taken.contains(slug));
    let slug = heading
        .and_then(|heading| free(&slug_of(heading)))
        .or_else(|| free(&number.to_string()));
    if let Some(slug) = slug {
        part.slug = slug;
    }
    let of = heading.map_or_else(|| number.to_string(), str::to_owned);
    let title = format!("{}: {of}", part.text.title);
    part.text.title = title.chars().take(TITLE).collect();
    // Of the file as a whole, which the first part stands for.
    part.text.extra.clear();
}

/// Cuts a text before its headings of a level, and what is still too long before those of the next, then between paragraphs.
fn cut<'a>(text: &'a str, level: usize, room: usize, pieces: &mut Vec<&'a str>) {
    if text.len() <= room {
        return pieces.push(text);
    }
    if !LEVELS.contains(&level) {
        for part in paragraphs(text) {
            match part.len() <= room {
                true => pieces.push(part),
                false => lines(part).for_each(|line| by_length(line, room, pieces)),
            }
        }
        return;
    }
    let mut begin = 0;
    let starts = headings(text)
        .into_iter()
        .filter(|heading| heading.level == level)
        .map(|heading| heading.start);
    for end in starts.chain([text.len()]) {
        if end > begin {
            cut(&text[begin..end], level + 1, room, pieces);
        }
        begin = end;
    }
}

/// Paragraphs, each with the blank lines after it; code between fences is never cut.
fn paragraphs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fence = Fence::default();
    let (mut begin, mut at, mut is_after_blank) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let is_code = fence.holds(line);
        let is_blank = line.trim().is_empty();
        if is_after_blank && !is_blank && at > begin {
            found.push(&text[begin..at]);
            begin = at;
        }
        // Within a fence no line counts as blank.
        is_after_blank = is_blank && !is_code;
        at += line.len();
    }
    found.push(&text[begin..]);
    found
}

/// The lines of a paragraph; code between fences is one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut fence = Fence::default();
    let mut begin = 0;
    let mut at = 0;
    let ends = text.split_inclusive('\n').map(move |line| {
        fence.holds(line);
        at += line.len();
        (at, fence.is_open() && at < text.len())
    });
    ends.filter(|(_, is_code)| !is_code).map(move |(end, _)| {
        let line = &text[begin..end];
        begin = end;
        line
    })
}

/// Cuts what nothing else parts: after a line, else after a word, else anywhere.
fn by_length<'a>(mut text: &'a str, room: usize, pieces: &mut Vec<&'a str>) {
    while text.len() > room {
        let head = &text[..text.floor_char_boundary(room)];
        let end = head
            .rfind('\n')
            .or_else(|| head.rfind(' '))
            .map_or(head.len(), |at| at + 1);
        pieces.push(&text[..end]);
        text = &text[end..];
    }
    if !text.is_empty() {
        pieces.push(text);
    }
}

/// Pieces that follow each other, as many together as have room.
fn packed(pieces: &[&str], room: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in pieces {
        match parts.last_mut() {
            Some(part) if part.len() + piece.len() <= room => part.push_str(piece),
            _ => parts.push((*piece).to_owned()),
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}
