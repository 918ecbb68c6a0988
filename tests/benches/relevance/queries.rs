//! Labelled queries: what is asked, and which lessons answer it.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The kind of a query: its form, or that no lesson answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Some words, as people and agents search.
    Phrase,
    /// The work that an agent is in the middle of, in a sentence or two.
    Situation,
    /// One that no lesson answers.
    None,
}

impl Kind {
    /// The kind's name, in the plural.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Phrase => "phrases",
            Self::Situation => "situations",
            Self::None => "queries that nothing answers",
        }
    }
}

/// A query with its answers.
#[derive(Debug, Clone)]
pub struct Query {
    /// Its form, or that no lesson answers it.
    pub kind: Kind,
    /// The words that are asked.
    pub text: String,
    /// The lessons that answer it, by their place in the corpus.
    pub right: Vec<usize>,
}

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    kind: Kind,
    query: String,
    right: Vec<String>,
}

/// Reads queries, one JSON object a line; `slugs` gives each lesson's place.
///
/// # Errors
/// Names file and line of the first one that is no query, is there twice, or names a lesson that does not exist.
pub fn read(
    path: &str,
    content: &str,
    slugs: &BTreeMap<String, usize>,
) -> Result<Vec<Query>, String> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mut queries = Vec::new();
    for (text, line) in content.lines().zip(1..) {
        let fault = |message: String| format!("{path}, line {line}: {message}");
        let Line { kind, query, right } =
            serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
        if (kind == Kind::None) != right.is_empty() {
            return Err(fault(
                "`right` has to be empty for the kind \"none\", and for no other".to_owned(),
            ));
        }
        if let Some(first) = met.insert(query.to_lowercase(), line) {
            return Err(fault(format!(
                "the same query stands in line {first}; put all its lessons into one `right`"
            )));
        }
        let right = right.iter().map(|slug| {
            slugs.get(slug).copied().ok_or_else(|| {
                fault(format!(
                    "no lesson has the slug `{slug}`; see www/samples/lessons"
                ))
            })
        });
        queries.push(Query {
            kind,
            text: query,
            right: right.collect::<Result<_, _>>()?,
        });
    }
    Ok(queries)
}
