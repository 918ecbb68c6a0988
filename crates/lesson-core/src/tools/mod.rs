//! Tool suggestions: which servers helped with queries like this one before.
//!
//! A [`ToolBook`] keeps one [`ToolRecord`] per (normalised query, server). For a new query every record scores
//! `(overlap + coverage + 0.4 · fuzzy) · recency`; a server's score is the sum over its records.

mod index;
mod record;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::instant::{DAY, Millis};
use difflib_exact::FirstFixed;
use index::Index;
use lesson_types::ToolReason;
pub use record::ToolRecord;
pub use words::STOP_WORDS;

/// Characters kept of the SHA-256 in hex: 128 bits, beyond chance collisions.
const HASH_LENGTH: usize = 32;

/// The constants of tool suggestions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// Servers that are always at hand, in any case: never recorded, never suggested. The fold
    /// knows the default ones, as they are written, and no others, so that a ledger means the same
    /// everywhere; further ones are kept out before an event is made.
    pub core_servers: Vec<String>,
    /// A book that grows past this many records drops its oldest.
    pub max_records: usize,
    /// Number of records that remain then.
    pub keep_records: usize,
    /// Days after which a record counts half; without decay when not above 0.
    pub half_life_days: f64,
    /// Weight of the similarity of the spelling.
    pub fuzzy_weight: f64,
    /// A record without a shared word counts from this similarity on, in 0..=1.
    pub fuzzy_cutoff: f64,
    /// Number of servers that are suggested when the caller doesn't say.
    pub suggestions: usize,
    /// Most records that are named as reasons for one server.
    pub because_limit: usize,
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            core_servers: vec!["project-memory".to_owned(), "system-control".to_owned()],
            max_records: 10_000,
            keep_records: 8_000,
            half_life_days: 3.0,
            fuzzy_weight: 0.4,
            fuzzy_cutoff: 0.6,
            suggestions: 5,
            because_limit: 3,
        }
    }
}

impl ToolPolicy {
    /// True if a server is always at hand, whatever the case of its letters.
    pub fn is_core(&self, server: &str) -> bool {
        let server = server.trim().to_lowercase();
        self.core_servers
            .iter()
            .any(|core| core.trim().to_lowercase() == server)
    }
}

/// The effect of [`ToolBook::record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A new record.
    New,
    /// The pair was known: only its time moved, never backwards.
    Refreshed,
    /// Nothing: the server is a core server.
    Core,
}

/// A server to try, with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSuggestion {
    /// Name of the server.
    pub server: String,
    /// Sum of the scores of all its records that count.
    pub score: f64,
    /// The records that weigh most, best first.
    pub because: Vec<ToolReason>,
}

/// All tool records, with an index that is rebuilt on load and takes no part in comparison or serialisation.
///
/// Serialises as the plain list of its records, in the order they came.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<ToolRecord>", into = "Vec<ToolRecord>")]
pub struct ToolBook {
    records: Vec<ToolRecord>,
    index: Index,
}

impl ToolBook {
    /// All records, in the order they came.
    pub fn records(&self) -> &[ToolRecord] {
        &self.records
    }

    /// The record of a query and a server.
    pub fn find(&self, query: &str, server: &str) -> Option<&ToolRecord> {
        let known = self.index.find(&tool_query_hash(query, server))?;
        self.records.get(known)
    }

    /// Notes that `server` helped with `query` at `at` (ms since the epoch).
    ///
    /// Over `max_records` the oldest go until `keep_records` remain; of equally old ones the lower hash goes first.
    pub fn record(
        &mut self,
        query: &str,
        server: &str,
        at: Millis,
        policy: &ToolPolicy,
    ) -> Recorded {
        if policy.core_servers.iter().any(|core| core == server) {
            return Recorded::Core;
        }
        let recorded = self.insert(query.to_owned(), server.to_owned(), at);
        if self.records.len() > policy.max_records {
            self.keep_newest(policy.keep_records.min(policy.max_records));
        }
        recorded
    }

    /// The servers that helped with similar queries, best first, by name where equal; at most `limit`.
    ///
    /// A record counts when it shares a meaningful word with `query` or its spelling is similar enough. None for a
    /// blank query. Cost: linear in the records, well under a microsecond for each.
    pub fn suggest(
        &self,
        query: &str,
        now: Millis,
        limit: usize,
        policy: &ToolPolicy,
    ) -> Vec<ToolSuggestion> {
        if query.trim().is_empty() {
            return Vec::new();
        }
        let counted = self.counted(query, now, policy);

        let mut sums = vec![None; self.index.servers().len()];
        for hit in &counted {
            *sums[hit.server].get_or_insert(0.0) += hit.score;
        }
        let mut best: Vec<(usize, f64)> = sums
            .into_iter()
            .enumerate()
            .filter_map(|(server, sum)| Some((server, sum?)))
            .filter(|&(server, _)| !policy.is_core(&self.index.servers()[server]))
            .collect();
        best.sort_by(|x, y| {
            let name = |server: usize| &self.index.servers()[server];
            y.1.total_cmp(&x.1).then_with(|| name(x.0).cmp(name(y.0)))
        });
        best.truncate(limit);

        best.into_iter()
            .map(|(server, score)| ToolSuggestion {
                server: self.index.servers()[server].clone(),
                score,
                because: self.reasons(server, &counted, now, policy),
            })
            .collect()
    }

    fn insert(&mut self, query: String, server: String, at: Millis) -> Recorded {
        let query_hash = tool_query_hash(&query, &server);
        if let Some(known) = self.index.find(&query_hash) {
            let record = &mut self.records[known];
            record.at = record.at.max(at);
            return Recorded::Refreshed;
        }
        let record = ToolRecord {
            query,
            server,
            at,
            query_hash,
        };
        self.index.push(&record);
        self.records.push(record);
        Recorded::New
    }

    fn keep_newest(&mut self, keep: usize) {
        let mut by_age: Vec<usize> = (0..self.records.len()).collect();
        by_age.sort_by(|&x, &y| {
            let (x, y) = (&self.records[x], &self.records[y]);
            (x.at, &x.query_hash).cmp(&(y.at, &y.query_hash))
        });
        let mut kept = by_age.split_off(by_age.len().saturating_sub(keep));
        kept.sort_unstable();
        self.records = kept.iter().map(|&i| self.records[i].clone()).collect();
        self.index = Index::build(&self.records);
    }

    fn counted(&self, query: &str, now: Millis, policy: &ToolPolicy) -> Vec<Hit> {
        let lowered = query.to_lowercase();
        let words = words::meaningful(&lowered);
        let shared = self.index.shared_words(&words);
        // `SequenceMatcher(None, query, record)`: the ratio isn't symmetric.
        let mut spelling = FirstFixed::new(&lowered);

        let mut counted = Vec::new();
        for (number, record) in self.records.iter().enumerate() {
            let overlap = shared[number];
            let other = self.index.lowered(number);
            let fuzzy = if overlap > 0 {
                spelling.ratio(other)
            } else {
                match spelling.ratio_at_least(other, policy.fuzzy_cutoff) {
                    Some(fuzzy) => fuzzy,
                    None => continue,
                }
            };
            let coverage = match words.len() {
                0 => 0.0,
                known => f64::from(overlap) / known as f64,
            };
            let fit = f64::from(overlap) + coverage + policy.fuzzy_weight * fuzzy;
            counted.push(Hit {
                record: number,
                server: self.index.server(number),
                score: fit * recency(age_days(now, record.at), policy.half_life_days),
            });
        }
        counted
    }

    fn reasons(
        &self,
        server: usize,
        counted: &[Hit],
        now: Millis,
        policy: &ToolPolicy,
    ) -> Vec<ToolReason> {
        let mut hits: Vec<&Hit> = counted.iter().filter(|hit| hit.server == server).collect();
        hits.sort_by(|x, y| {
            let (of_x, of_y) = (&self.records[x.record], &self.records[y.record]);
            y.score
                .total_cmp(&x.score)
                .then_with(|| of_y.at.cmp(&of_x.at))
                .then_with(|| of_x.query_hash.cmp(&of_y.query_hash))
        });
        hits.truncate(policy.because_limit);
        hits.into_iter()
            .map(|hit| {
                let (age_days, weight) = tool_weight(now, self.records[hit.record].at, policy);
                ToolReason {
                    query: self.records[hit.record].query.clone(),
                    age_days,
                    weight,
                    score: hit.score,
                }
            })
            .collect()
    }
}

/// A record that counts for a query.
struct Hit {
    record: usize,
    server: usize,
    score: f64,
}

impl PartialEq for ToolBook {
    fn eq(&self, other: &Self) -> bool {
        self.records == other.records
    }
}

impl fmt::Debug for ToolBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.records).finish()
    }
}

impl From<Vec<ToolRecord>> for ToolBook {
    /// Doubles are merged and hashes computed anew, so that an edited file can't break the book.
    fn from(records: Vec<ToolRecord>) -> Self {
        let mut book = Self::default();
        for record in records {
            book.insert(record.query, record.server, record.at);
        }
        book
    }
}

impl From<ToolBook> for Vec<ToolRecord> {
    fn from(book: ToolBook) -> Self {
        book.records
    }
}

/// Hashes a query and its server; records with the same hash are the same: the first 32 hex digits of the SHA-256 of the query,
/// lower-cased, with runs of white space as one blank and none at the ends, then a line feed, then the server.
pub fn tool_query_hash(query: &str, server: &str) -> String {
    let lowered = query.to_lowercase();
    let words: Vec<&str> = lowered.split_whitespace().collect();
    let digest = Sha256::digest(format!("{}\n{server}", words.join(" ")));
    let mut hash = hex::encode(digest);
    hash.truncate(HASH_LENGTH);
    hash
}

/// The age in days of a record made at `at`, and what it leaves of the record: 1 when new, one half after a half-life.
/// A time ahead of `now` counts as now.
pub fn tool_weight(now: Millis, at: Millis, policy: &ToolPolicy) -> (f64, f64) {
    let age = age_days(now, at);
    (age, recency(age, policy.half_life_days))
}

/// Half-lives that [`tool_decay`] covers: enough for a record to count for next to nothing.
const DECAY_SPAN: u32 = 5;
/// Points per half-life of [`tool_decay`].
const DECAY_STEPS: u32 = 8;

/// The curve of [`tool_weight`]: (age in days, weight) from 0 to five half-lives, oldest last.
pub fn tool_decay(policy: &ToolPolicy) -> Vec<(f64, f64)> {
    let half_life = if policy.half_life_days > 0.0 {
        policy.half_life_days
    } else {
        1.0
    };
    (0..=DECAY_SPAN * DECAY_STEPS)
        .map(|step| {
            let age = half_life * f64::from(step) / f64::from(DECAY_STEPS);
            (age, recency(age, policy.half_life_days))
        })
        .collect()
}

/// Days from `at` to `now`; a time ahead of a wrong clock counts as now.
fn age_days(now: Millis, at: Millis) -> f64 {
    now.saturating_sub(at).max(0) as f64 / DAY as f64
}

/// 0.5^(age / half-life).
fn recency(age_days: f64, half_life_days: f64) -> f64 {
    if half_life_days > 0.0 {
        libm::exp2(-age_days / half_life_days)
    } else {
        1.0
    }
}
