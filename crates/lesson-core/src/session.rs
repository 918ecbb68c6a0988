//! Session extraction (causal feedback): what a finished session's transcript teaches.
//!
//! Lines that begin with a marker are read: `INSIGHT:`, `BLOCKED:`, `DELIVERED:`,
//! `PLAN_COMPLETE:`, `INJECTED:`, and `TASK:` or `OBJECTIVE:`, in any case, after list bullets,
//! quotation marks or emphasis. When nothing stands after a marker, the next line does if it is
//! indented more, a list item or below a heading; after `INJECTED:`, the list does. An insight may
//! be a JSON object with its content and tags.

mod category;
mod line;
mod naming;
mod object;

use crate::policy::SessionPolicy;
use crate::slug::is_slug;
use category::category_of;
use lesson_types::{Category, FeedbackOutcome};
use line::{LONGEST_TEXT, Marker, clean, cut, goes_on, is_item, is_nothing, marked, unmarked};
use naming::{says_something, slug_from, title_from, with_hash};
use std::borrow::Cow;

/// Most insights that are taken from one transcript.
const MOST_INSIGHTS: usize = 100;
/// Most names that are taken from `INJECTED:` lines.
const MOST_INJECTED: usize = 1_000;
/// Longest task in a derived failure, in characters; the rest is cut. The source's bound.
const LONGEST_TASK: usize = 100;

/// The contents of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// The session's outcome, by its last outcome line that says something.
    pub outcome: Option<FeedbackOutcome>,
    /// The text of the lines of that outcome, a line each; empty without one.
    pub outcome_text: String,
    /// Names of the lessons that were shown, each once, in order.
    pub injected: Vec<String>,
    /// The lessons learned.
    pub insights: Vec<ExtractedInsight>,
    /// The texts of the `BLOCKED:` lines.
    pub blocked: Vec<String>,
    /// The texts of the `DELIVERED:` and `PLAN_COMPLETE:` lines.
    pub delivered: Vec<String>,
}

/// A lesson that a transcript holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedInsight {
    /// Made of its text: the same text gives the same slug.
    pub slug: String,
    /// One line.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// By the words in the text; workflow when they say nothing.
    pub category: Category,
    /// Free words: those of a JSON object, or `derived` and `failure`.
    pub tags: Vec<String>,
    /// True if it was derived from a failure instead of being said.
    pub from_failure: bool,
}

impl ExtractedInsight {
    /// A slug to use when another text has [`ExtractedInsight::slug`]: with a hash of the text.
    pub fn slug_if_taken(&self) -> String {
        with_hash(&self.slug, &self.text)
    }
}

/// The transcript without the lines that begin with an outcome's marker: what a part of the work said of itself.
pub fn without_outcomes(transcript: &str) -> String {
    let tells = |line: &&str| {
        let marker = marked(line).map(|(marker, _)| marker);
        matches!(
            marker,
            Some(Marker::Blocked | Marker::Delivered | Marker::PlanComplete)
        )
    };
    transcript
        .split_inclusive('\n')
        .filter(|line| !tells(&line.trim_end_matches(['\n', '\r'])))
        .collect()
}

/// Returns the part of a text that tells an outcome: the text of its outcome lines, or all of it where it has none.
pub fn outcome_said<'a>(text: &'a str, policy: &SessionPolicy) -> Cow<'a, str> {
    let told = extract(text, policy).outcome_text;
    if told.is_empty() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(told)
    }
}

/// Reads a transcript. Insights shorter than the policy's minimum are dropped; a session that
/// ended blocked and gave no insight gives one failure lesson, if what blocked it is told, with the
/// task, in as many characters; one that delivered without an insight gives none. A marker followed by
/// `none`, `n/a`, `-` or by nothing tells nothing. Linear in the transcript.
pub fn extract(transcript: &str, policy: &SessionPolicy) -> Extracted {
    let mut out = Extracted::default();
    let mut task = String::new();
    // The task that was attempted when the session was blocked.
    let mut attempted = String::new();
    let mut lines = transcript.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((marker, said)) = marked(line) else {
            continue;
        };
        if marker == Marker::Injected {
            take_names(&mut out.injected, said);
            if said.is_empty() {
                while let Some(item) = lines.next_if(|next| is_item(next)) {
                    take_names(&mut out.injected, unmarked(item));
                }
            }
            continue;
        }
        if marker == Marker::Insight && object::opens(said) {
            if let Some(object) = object::read(said, lines.clone()) {
                for _ in 0..object.lines {
                    lines.next();
                }
                take_insight(&mut out.insights, &object.content, object.tags, policy);
            }
            continue;
        }
        let said = clean(if said.is_empty() {
            lines
                .next_if(|next| goes_on(line, next))
                .map_or("", unmarked)
        } else {
            said
        });
        if is_nothing(&said) {
            continue;
        }
        match marker {
            Marker::Insight => take_insight(&mut out.insights, &said, Vec::new(), policy),
            Marker::Blocked => {
                out.outcome = Some(FeedbackOutcome::Blocked);
                attempted.clone_from(&task);
                out.blocked.push(said);
            }
            Marker::Delivered => {
                out.outcome = Some(FeedbackOutcome::Delivered);
                out.delivered.push(said);
            }
            Marker::PlanComplete => {
                out.outcome = Some(FeedbackOutcome::PlanComplete);
                out.delivered.push(said);
            }
            Marker::Task => task = said,
            Marker::Injected => {}
        }
    }
    out.outcome_text = match out.outcome {
        Some(FeedbackOutcome::Blocked) => joined(&out.blocked),
        _ => joined(&out.delivered),
    };
    if out.outcome == Some(FeedbackOutcome::Blocked) && out.insights.is_empty() {
        let attempted = if attempted.is_empty() {
            task
        } else {
            attempted
        };
        let failure = failure(&out.outcome_text, &attempted, policy);
        out.insights.extend(failure);
    }
    out
}

fn joined(lines: &[String]) -> String {
    cut(&lines.join("\n"), LONGEST_TEXT).to_owned()
}

/// Names in a line: whatever stands alone between commas; in a longer piece, the words that look
/// like a slug of several parts.
fn take_names(names: &mut Vec<String>, said: &str) {
    for piece in said.split([',', ';', '(', ')', '[', ']', '|']) {
        let words: Vec<&str> = piece.split_whitespace().collect();
        for word in &words {
            let name = word
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_ascii_lowercase();
            let alone = words.len() == 1 && !matches!(name.as_str(), "none" | "nothing");
            if is_slug(&name)
                && (alone || name.contains('-'))
                && names.len() < MOST_INJECTED
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
}

fn take_insight(
    insights: &mut Vec<ExtractedInsight>,
    said: &str,
    tags: Vec<String>,
    policy: &SessionPolicy,
) {
    let short = said.chars().count() < policy.insight_min as usize;
    if short || !says_something(said) || insights.len() >= MOST_INSIGHTS {
        return;
    }
    let lowered = said.to_lowercase();
    if insights
        .iter()
        .any(|held| held.text.to_lowercase() == lowered)
    {
        return;
    }
    let mut insight = ExtractedInsight {
        slug: slug_from("", said),
        title: title_from("", said),
        text: said.to_owned(),
        category: category_of(said),
        tags,
        from_failure: false,
    };
    if insights.iter().any(|held| held.slug == insight.slug) {
        insight.slug = insight.slug_if_taken();
    }
    insights.push(insight);
}

/// Derives the lesson of a blocked session that teaches nothing else: beware of what blocked it. The words and the tags are
/// those of the source system (causal feedback).
fn failure(said: &str, task: &str, policy: &SessionPolicy) -> Option<ExtractedInsight> {
    if !says_something(said) {
        return None;
    }
    let text = if task.is_empty() {
        format!("Blocked: {said}")
    } else {
        let task = cut(task, LONGEST_TASK);
        format!("When attempting '{task}': blocked by {said}")
    };
    // The task counts to the length, as in the source.
    let told = if task.is_empty() { said } else { &text };
    if told.chars().count() < policy.insight_min as usize {
        return None;
    }
    Some(ExtractedInsight {
        slug: slug_from("warning-blocked-", said),
        title: title_from("Blocked: ", said),
        category: category_of(&text),
        text,
        tags: vec!["derived".to_owned(), "failure".to_owned()],
        from_failure: true,
    })
}
