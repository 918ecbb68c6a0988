//! Session extraction (D): what a finished session's transcript teaches.
//!
//! Lines that begin with a marker are read: `INSIGHT:`, `BLOCKED:`, `DELIVERED:`,
//! `PLAN_COMPLETE:` and `INJECTED:`, in any case, after list bullets, quotation marks or emphasis.
//! When nothing stands after a marker, the next line does; after `INJECTED:`, the list does.

use crate::lesson::{is_slug, slug_of};
use crate::policy::SessionPolicy;
use crate::words::{Category, FeedbackOutcome};
use sha2::{Digest, Sha256};

/// Most insights that are taken from one transcript.
const MOST_INSIGHTS: usize = 100;
/// Most names that are taken from `INJECTED:` lines.
const MOST_INJECTED: usize = 1_000;
/// Longest insight or outcome line, in characters; the rest is cut.
const LONGEST_TEXT: usize = 4_000;
/// Longest title, in characters.
const LONGEST_TITLE: usize = 100;
/// Longest slug before a hash is added.
const LONGEST_SLUG: usize = 60;

/// What a transcript holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// What came of the session, by its last outcome line.
    pub outcome: Option<FeedbackOutcome>,
    /// What the lines of that outcome say, a line each; empty without one.
    pub outcome_text: String,
    /// Names of the lessons that were shown, each once, in order.
    pub injected: Vec<String>,
    /// The lessons learned.
    pub insights: Vec<ExtractedInsight>,
    /// What the `BLOCKED:` lines say.
    pub blocked: Vec<String>,
    /// What the `DELIVERED:` and `PLAN_COMPLETE:` lines say.
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
    /// Whether it was derived from a failure instead of being said.
    pub from_failure: bool,
}

impl ExtractedInsight {
    /// A slug to use when another text has [`ExtractedInsight::slug`]: with a hash of the text.
    pub fn slug_if_taken(&self) -> String {
        with_hash(&self.slug, &self.text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Insight,
    Blocked,
    Delivered,
    PlanComplete,
    Injected,
}

const MARKERS: [(&str, Marker); 6] = [
    ("insight", Marker::Insight),
    ("blocked", Marker::Blocked),
    ("delivered", Marker::Delivered),
    ("plan_complete", Marker::PlanComplete),
    ("plan complete", Marker::PlanComplete),
    ("injected", Marker::Injected),
];

/// Reads a transcript. Insights shorter than the policy's minimum are dropped; a session that
/// ended blocked and gave no insight gives one failure lesson; one that delivered without an
/// insight gives none. Linear in the transcript.
pub fn extract(transcript: &str, policy: &SessionPolicy) -> Extracted {
    let mut out = Extracted::default();
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
        let said = clean(if said.is_empty() {
            lines
                .next_if(|next| marked(next).is_none())
                .map_or("", unmarked)
        } else {
            said
        });
        match marker {
            Marker::Insight => take_insight(&mut out.insights, &said, policy),
            Marker::Blocked => {
                out.outcome = Some(FeedbackOutcome::Blocked);
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
            Marker::Injected => {}
        }
    }
    out.outcome_text = match out.outcome {
        Some(FeedbackOutcome::Blocked) => joined(&out.blocked),
        _ => joined(&out.delivered),
    };
    if out.outcome == Some(FeedbackOutcome::Blocked) && out.insights.is_empty() {
        out.insights.extend(failure(&out.outcome_text));
    }
    out
}

fn joined(lines: &[String]) -> String {
    let said: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    cut(&said.join("\n"), LONGEST_TEXT).to_owned()
}

/// The marker that a line begins with, and what is said after it.
fn marked(line: &str) -> Option<(Marker, &str)> {
    let line = unmarked(line);
    let (name, marker) = MARKERS.iter().find(|(name, _)| {
        line.get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name))
    })?;
    let said = line[name.len()..]
        .trim_start_matches(['*', '_', '`', ' '])
        .strip_prefix(':')?
        .trim_start_matches(['*', '_', '`'])
        .trim();
    Some((*marker, said))
}

/// A line without blanks, bullets, quotation marks, headings and emphasis before it.
fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '+' | '•' | '>' | '#' | '_' | '`')
    });
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && digits < 4 && line[digits..].starts_with(['.', ')']);
    let line = if numbered {
        line[digits + 1..].trim_start_matches(['*', '_', '`', ' '])
    } else {
        line
    };
    line.trim_end()
}

/// Whether a line is an item of a list and begins with no marker.
fn is_item(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with(['-', '*', '+', '•']) && marked(line).is_none()
}

/// Text on one line without control characters or emphasis left over at its end; empty for a
/// placeholder such as `<what you learned>`.
fn clean(said: &str) -> String {
    let said: String = said
        .chars()
        .filter(|c| !c.is_control() || *c == '\t')
        .collect();
    let mut said = said.trim();
    if said.matches("**").count() % 2 == 1 {
        said = said.strip_suffix("**").unwrap_or(said).trim_end();
    }
    if said.starts_with('<') && said.ends_with('>') {
        return String::new();
    }
    cut(said, LONGEST_TEXT).to_owned()
}

/// The first `most` characters.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(at, _)| &text[..at])
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

fn take_insight(insights: &mut Vec<ExtractedInsight>, said: &str, policy: &SessionPolicy) {
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
        from_failure: false,
    };
    if insights.iter().any(|held| held.slug == insight.slug) {
        insight.slug = insight.slug_if_taken();
    }
    insights.push(insight);
}

/// What a blocked session teaches that says nothing else: beware of what blocked it.
fn failure(said: &str) -> Option<ExtractedInsight> {
    says_something(said).then(|| ExtractedInsight {
        slug: slug_from("warning-blocked-", said),
        title: title_from("Blocked: ", said),
        text: said.to_owned(),
        category: category_of(said),
        from_failure: true,
    })
}

/// Whether there is a letter or a digit, not only dots and dashes.
fn says_something(said: &str) -> bool {
    said.contains(char::is_alphanumeric)
}

/// The first sentence, cut at a word when it is long.
fn title_from(prefix: &str, said: &str) -> String {
    let line = said.lines().find(|line| says_something(line));
    let line = line.unwrap_or_default();
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | '?'));
    let sentence = line
        .match_indices(['.', '!', '?'])
        .filter(|(at, _)| line[at + 1..].starts_with(' '))
        .map(|(at, _)| &line[..at])
        .find(|head| says_something(head))
        .unwrap_or(line);
    let room = LONGEST_TITLE.saturating_sub(prefix.len());
    if sentence.chars().count() <= room {
        return format!("{prefix}{}", sentence.trim_end_matches('.'));
    }
    let head = cut(sentence, room.saturating_sub(1));
    let head = head.rsplit_once(' ').map_or(head, |(head, _)| head);
    format!("{prefix}{head}…")
}

/// A slug of the text's first words; what it can't hold, a hash of the text stands for.
fn slug_from(prefix: &str, said: &str) -> String {
    let whole = slug_of(said);
    let lost = !said.is_ascii() || whole.len() > LONGEST_SLUG;
    let mut head = whole.get(..LONGEST_SLUG).unwrap_or(&whole);
    if head.len() < whole.len() {
        head = head.rsplit_once('-').map_or(head, |(head, _)| head);
    }
    if head.is_empty() {
        return with_hash(&format!("{prefix}insight"), said);
    }
    let slug = format!("{prefix}{head}");
    if lost { with_hash(&slug, said) } else { slug }
}

/// A slug with 32 bits of the text's SHA-256 in hex.
fn with_hash(slug: &str, text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    format!(
        "{slug}-{:02x}{:02x}{:02x}{:02x}",
        hash[0], hash[1], hash[2], hash[3]
    )
}

/// Beginnings of words that speak of a category.
const CATEGORY_WORDS: [(Category, &[&str]); 7] = [
    (
        Category::Security,
        &[
            "auth",
            "secret",
            "password",
            "inject",
            "xss",
            "csrf",
            "encrypt",
            "permission",
            "vulnerab",
            "rls",
            "sanitis",
            "sanitiz",
            "credential",
        ],
    ),
    (
        Category::Testing,
        &[
            "test", "mock", "fixture", "assert", "flak", "coverage", "snapshot",
        ],
    ),
    (
        Category::Performance,
        &[
            "slow",
            "latenc",
            "cach",
            "throughput",
            "benchmark",
            "performan",
            "profil",
            "memory",
            "faster",
            "index",
        ],
    ),
    (
        Category::Tooling,
        &[
            "build",
            "compil",
            "linter",
            "lint",
            "docker",
            "git",
            "npm",
            "cargo",
            "dependenc",
            "toolchain",
            "ci",
            "install",
        ],
    ),
    (
        Category::Architecture,
        &[
            "architect",
            "module",
            "layer",
            "interface",
            "coupl",
            "boundar",
            "schema",
            "migrat",
            "abstract",
        ],
    ),
    (
        Category::Communication,
        &[
            "stakeholder",
            "document",
            "communicat",
            "explain",
            "clarif",
            "reviewer",
        ],
    ),
    (
        Category::Domain,
        &[
            "trad",
            "market",
            "liquidity",
            "pool",
            "price",
            "funding",
            "perp",
            "dlmm",
            "tvl",
            "volatil",
        ],
    ),
];

/// The category most of whose words are in the text, the first in the table when equal;
/// workflow when there are none.
fn category_of(said: &str) -> Category {
    let lowered = said.to_lowercase();
    let mut best = (Category::Workflow, 0);
    for (category, stems) in CATEGORY_WORDS {
        let hits = lowered
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| {
                stems
                    .iter()
                    // Short stems are words of their own: "ci" is not in "city".
                    .any(|stem| word == stem || (stem.len() > 3 && word.starts_with(stem)))
            })
            .count();
        if hits > best.1 {
            best = (category, hits);
        }
    }
    best.0
}
