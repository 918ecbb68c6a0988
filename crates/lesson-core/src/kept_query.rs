//! A query as a ledger keeps it that others can read: a hash, and the words that lessons have anyway.

use crate::keyword::{stems_of, words_with_stems};
use crate::text::Text;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Bytes of the hash: enough to tell a space's queries apart.
const HASH_BYTES: usize = 6;

/// The words of `query` that `lessons` have too, in the order of the query, each once, and a hash of the whole:
/// `retry upload #2c26b46b68ff`. The same query, but for blanks around it and capitals, has the same hash.
pub fn kept_query<'a>(query: &str, lessons: impl IntoIterator<Item = &'a Text>) -> String {
    let mut known = BTreeSet::new();
    for text in lessons {
        for field in [&text.title, &text.description, &text.recommendation] {
            stems_of(field, &mut known);
        }
        for word in text.tags.iter().chain(&text.tech_stacks) {
            stems_of(word, &mut known);
        }
    }
    let mut kept = String::new();
    for (word, stem) in words_with_stems(query) {
        if known.contains(&stem) {
            kept.push_str(&word);
            kept.push(' ');
        }
    }
    kept.push('#');
    let hash = Sha256::digest(query.trim().to_lowercase());
    kept.push_str(&hex::encode(&hash[..HASH_BYTES]));
    kept
}

/// True if nothing but the hash was kept of a query.
pub(crate) fn is_hash_alone(query: &str) -> bool {
    query.strip_prefix('#').is_some_and(|hash| {
        hash.len() == 2 * HASH_BYTES
            && hash
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson() -> Text {
        Text {
            title: "Retry uploads".to_owned(),
            recommendation: "One deadline for all of them.".to_owned(),
            tags: vec!["s3".to_owned()],
            ..Text::default()
        }
    }

    #[test]
    fn only_words_that_the_lessons_have_are_kept() {
        let kept = kept_query(
            "Retry the upload of customer Miller to S3, retrying twice",
            [&lesson()],
        );
        let (words, hash) = kept.split_once(" #").unwrap();
        assert_eq!(words, "retry upload s3");
        assert!(is_hash_alone(&format!("#{hash}")), "{hash}");
    }

    #[test]
    fn the_hash_names_the_query() {
        let of = |query| kept_query(query, []);
        assert_eq!(of("Fix it"), of(" fix it\n"));
        assert_ne!(of("fix it"), of("fix that"));
        assert!(is_hash_alone(&of("fix it")) && is_hash_alone(&of("")));
        assert!(!is_hash_alone("#12") && !is_hash_alone("fix #123456789abc"));
    }
}
