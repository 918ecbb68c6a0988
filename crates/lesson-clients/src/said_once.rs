//! Lessons whose text a context holds already, so that it is given once.

use crate::fingerprint::fingerprint;
use lesson_core::is_slug;
use serde::{Deserialize, Serialize};

/// Characters of a text's hash that tell one version of a lesson from another.
const HASH: usize = 16;

/// A lesson whose text was given to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Its slug.
    pub slug: String,
    /// A hash of the text as it was given: a lesson that changed since is given again.
    pub text: String,
}

impl Given {
    /// The lesson of a section of the prompt text; `None` where it has no heading. Its badge and its relevance may change
    /// without its text.
    pub(crate) fn of(section: &str) -> Option<Self> {
        let (heading, rest) = section.split_once('\n')?;
        let slug = heading.strip_prefix("### ").filter(|slug| is_slug(slug))?;
        let (_, text) = rest.split_once('\n').unwrap_or_default();
        let mut hash = fingerprint(&[text.trim_end()]);
        hash.truncate(HASH);
        Some(Self {
            slug: slug.to_owned(),
            text: hash,
        })
    }
}

/// Output of a hook, and the lessons whose text is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenOnce {
    /// The output; empty where there is nothing to print.
    pub output: String,
    /// The lessons to remember as given.
    pub given: Vec<Given>,
}

/// A line that names lessons beside others; empty for none.
pub(crate) fn named(slugs: &[&str]) -> String {
    only_named(slugs).map_or_else(String::new, |line| format!("\n{line}"))
}

/// The same by itself.
pub(crate) fn only_named(slugs: &[&str]) -> Option<String> {
    if slugs.is_empty() {
        return None;
    }
    let slugs: Vec<String> = slugs.iter().map(|slug| format!("'{slug}'")).collect();
    Some(format!(
        "Given earlier in this session, and relevant again: {}.\n",
        slugs.join(", ")
    ))
}
