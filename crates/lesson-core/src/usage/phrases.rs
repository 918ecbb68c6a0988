//! The key phrases of a lesson: what an agent that applies it is likely to repeat.

use super::plain::Plain;
use crate::lesson::Lesson;
use crate::policy::UsagePolicy;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::collections::BTreeSet;

/// The different key phrases of a lesson, plain: bold text and headers of 5 to 50 characters, the
/// title among them, and the first five words of bullets when they have 10 characters or more.
pub(super) fn key_phrases(lesson: &Lesson, policy: &UsagePolicy) -> BTreeSet<String> {
    let mut phrases = BTreeSet::new();
    let text = &lesson.text;
    keep_short(&mut phrases, &text.title, policy);
    for field in [&text.description, &text.context, &text.recommendation] {
        collect(&mut phrases, field, policy);
    }
    phrases
}

fn collect(phrases: &mut BTreeSet<String>, markdown: &str, policy: &UsagePolicy) {
    let mut bold: Option<String> = None;
    let mut heading: Option<String> = None;
    // The first line of the list item that is being read; a nested list ends it.
    let mut bullet: Option<String> = None;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Strong) => bold = Some(String::new()),
            Event::End(TagEnd::Strong) => {
                if let Some(words) = bold.take() {
                    keep_short(phrases, &words, policy);
                }
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                if let Some(words) = heading.take() {
                    keep_short(phrases, &words, policy);
                }
            }
            Event::Start(Tag::List(_)) | Event::End(TagEnd::Item | TagEnd::Paragraph) => {
                if let Some(words) = bullet.take() {
                    keep_bullet(phrases, &words, policy);
                }
            }
            Event::Start(Tag::Item) => bullet = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                for open in [&mut bold, &mut heading, &mut bullet].into_iter().flatten() {
                    open.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                for open in [&mut bold, &mut heading, &mut bullet].into_iter().flatten() {
                    open.push(' ');
                }
            }
            _ => {}
        }
    }
}

fn keep_short(phrases: &mut BTreeSet<String>, words: &str, policy: &UsagePolicy) {
    let phrase = plain_phrase(words);
    let length = phrase.chars().count();
    if (policy.phrase_min as usize..=policy.phrase_max as usize).contains(&length) {
        phrases.insert(phrase);
    }
}

fn keep_bullet(phrases: &mut BTreeSet<String>, words: &str, policy: &UsagePolicy) {
    let first: Vec<&str> = words
        .split_whitespace()
        .take(policy.bullet_words as usize)
        .collect();
    let phrase = plain_phrase(&first.join(" "));
    if phrase.chars().count() >= policy.bullet_min as usize {
        phrases.insert(phrase);
    }
}

/// A phrase as it is looked for: plain, without punctuation at its ends.
fn plain_phrase(words: &str) -> String {
    Plain::of(words)
        .text
        .replace('\n', " ")
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}
