//! Slugs: what a lesson is called in addresses and by agents.

use crate::common_words::is_common_word;
use lesson_types::limits;

/// True if `slug` is kebab-case: runs of `a-z0-9` with single `-` between, at most 128 long.
pub fn is_slug(slug: &str) -> bool {
    !slug.is_empty()
        && slug.len() <= limits::SLUG
        && slug.split('-').all(|run| {
            !run.is_empty()
                && run
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// A slug made of a title: letters and digits lower-cased, everything else a `-`, at most
/// [`limits::NEW_SLUG`] long. Empty when the title has no ASCII letter or digit.
///
/// ```
/// assert_eq!(lesson_core::slug_of("Don't trust `now()`!"), "dont-trust-now");
/// ```
pub fn slug_of(title: &str) -> String {
    slug_within(title, limits::NEW_SLUG)
}

/// The slug of a new lesson with this title: [`slug_of`] it, and not a common word alone.
///
/// ```
/// assert_eq!(lesson_core::slug_for("Tests"), "lesson-tests");
/// ```
pub fn slug_for(title: &str) -> String {
    let slug = slug_of(title);
    if is_common_word(&slug) {
        format!("lesson-{slug}")
    } else {
        slug
    }
}

/// The same of another length at most.
pub(crate) fn slug_within(title: &str, most: usize) -> String {
    let mut slug = String::new();
    let mut gap = false;
    for c in title.chars().filter(|c| !matches!(c, '\'' | '’')) {
        if !c.is_ascii_alphanumeric() {
            gap = true;
            continue;
        }
        let gaps = usize::from(gap && !slug.is_empty());
        if slug.len() + gaps >= most {
            break;
        }
        if gaps > 0 {
            slug.push('-');
        }
        gap = false;
        slug.push(c.to_ascii_lowercase());
    }
    slug
}
