//! Lessons that deny each other: sentences of much the same words, of which one is negated.
//!
//! "Deploy on weekdays" and "Do not deploy on weekdays" share all their words, and their vectors lie close. They are no
//! duplicates: whoever merges them, or gives one for both, loses the correction.

mod clause;

use crate::lesson::Lesson;
use crate::text::Text;
use clause::{Clause, Lowered, Words, lowered};

/// Lessons of an answer that are compared with each other.
const MOST_LESSONS: usize = 20;

/// The word by which one of two lessons denies what the other one says, as it is written there: "not", "never",
/// "forbidden". `None` where neither does. Costs some microseconds for a page of text.
///
/// ```
/// let lesson = |text: &str| lesson_core::Text { recommendation: text.to_owned(), ..Default::default() };
/// let (one, two) = (lesson("Deploy to production on weekdays."), lesson("Do not deploy to production on weekdays."));
/// assert_eq!(lesson_core::contradiction(&one, &two).as_deref(), Some("not"));
/// assert_eq!(lesson_core::contradiction(&one, &one), None);
/// ```
pub fn contradiction(one: &Text, two: &Text) -> Option<String> {
    let (one, two) = (lowered(one), lowered(two));
    let mut words = Words::default();
    between(&words.clauses(&one), &words.clauses(&two))
}

/// Of each lesson the places of those that it contradicts; of the first twenty lessons, which are the most that an agent
/// reads. Most of its cost is reading them: each distinct word is looked up once.
pub fn contradictions(lessons: &[&Lesson]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); lessons.len()];
    if lessons.len() < 2 {
        return found;
    }
    let read = lessons.iter().take(MOST_LESSONS);
    let texts: Vec<Lowered> = read.map(|lesson| lowered(&lesson.text)).collect();
    let mut words = Words::default();
    let read: Vec<Vec<Clause<'_>>> = texts.iter().map(|text| words.clauses(text)).collect();
    for (at, one) in read.iter().enumerate() {
        for (other, two) in read.iter().enumerate().skip(at + 1) {
            if between(one, two).is_some() {
                found[at].push(other);
                found[other].push(at);
            }
        }
    }
    found
}

fn between(one: &[Clause<'_>], two: &[Clause<'_>]) -> Option<String> {
    // Most lessons have a denial or two, and nothing else in common with them: that is told without comparing all.
    let is_denied_of = |denied: &[Clause<'_>], plain: &[Clause<'_>]| {
        denied
            .iter()
            .filter(|clause| clause.is_denied)
            .any(|clause| {
                plain
                    .iter()
                    .any(|other| !other.is_denied && clause.share(other) > 0.0)
            })
    };
    if !is_denied_of(one, two) && !is_denied_of(two, one) {
        return None;
    }
    one.iter().find_map(|clause| {
        // A clause of both that one repeats in a denial of something else is no contradiction: the likest clause counts.
        let likest = two
            .iter()
            .map(|other| {
                (
                    clause.share(other),
                    clause.is_denied == other.is_denied,
                    other,
                )
            })
            .filter(|(share, ..)| *share > 0.0)
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        let (_, is_alike, other) = likest;
        if is_alike {
            return None;
        }
        let (denied, plain) = if clause.is_denied {
            (clause, other)
        } else {
            (other, clause)
        };
        let own = denied
            .denials
            .iter()
            .find(|word| !plain.denials.contains(word));
        own.or(denied.denials.first())
            .map(|word| (*word).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(one: &str, two: &str) -> Option<String> {
        let text = |title: &str| Text {
            title: title.to_owned(),
            ..Text::default()
        };
        let there = contradiction(&text(one), &text(two));
        let back = contradiction(&text(two), &text(one));
        assert_eq!(there.is_some(), back.is_some(), "{one} / {two}");
        there
    }

    #[test]
    fn a_denial_is_told_by_its_word() {
        for (one, two, denial) in [
            (
                "Retry failed payments at once",
                "Never retry failed payments at once",
                "never",
            ),
            (
                "Releases are permitted on Fridays",
                "Releases are forbidden on Fridays",
                "forbidden",
            ),
            (
                "Squash commits before a merge",
                "Don't squash commits before a merge",
                "dont",
            ),
            (
                "Enable query caching in staging",
                "Disable query caching in staging",
                "disable",
            ),
            (
                "Skip the smoke tests on hotfixes",
                "Do not skip the smoke tests on hotfixes",
                "skip",
            ),
            (
                "Run migrations with locks",
                "Run migrations without locks",
                "without",
            ),
            (
                "Zugriffe im Log speichern",
                "Zugriffe im Log nicht speichern",
                "nicht",
            ),
            ("工作日可以部署生产环境", "工作日不可以部署生产环境", "不"),
            (
                "Храните токены в журнале",
                "Не храните токены в журнале",
                "не",
            ),
        ] {
            assert_eq!(word(one, two).as_deref(), Some(denial), "{one} / {two}");
        }
    }

    #[test]
    fn what_denies_nothing_or_something_else_is_no_contradiction() {
        for (one, two) in [
            (
                "Rotate the signing keys monthly",
                "Do not forget to rotate the signing keys monthly",
            ),
            (
                "Cache the token response",
                "Cache not only the token response",
            ),
            ("Never store tokens in logs", "Don't store tokens in logs"),
            (
                "Index foreign keys of large tables",
                "Never log the bodies of requests",
            ),
            (
                "Use pnpm. Do not use yarn here",
                "Use pnpm. Don't use yarn here",
            ),
            ("", "Never do this"),
        ] {
            assert_eq!(word(one, two), None, "{one} / {two}");
        }
    }
}
