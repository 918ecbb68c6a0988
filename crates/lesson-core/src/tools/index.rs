//! Data precomputed for each tool record, so that a query touches only the records that share something with it.

use std::collections::BTreeMap;

use super::record::ToolRecord;
use super::words;

/// Derived from the records alone; record numbers are their places in the list.
#[derive(Clone, Default)]
pub(super) struct Index {
    by_hash: BTreeMap<String, usize>,
    /// Records per meaningful word.
    postings: BTreeMap<String, Vec<u32>>,
    lowered: Vec<Box<[char]>>,
    server_of: Vec<usize>,
    server_numbers: BTreeMap<String, usize>,
    servers: Vec<String>,
}

impl Index {
    pub(super) fn build(records: &[ToolRecord]) -> Self {
        let mut index = Self::default();
        for record in records {
            index.push(record);
        }
        index
    }

    /// Adds the record that comes next in the list.
    pub(super) fn push(&mut self, record: &ToolRecord) {
        let number = self.lowered.len();
        self.by_hash.insert(record.query_hash.clone(), number);

        let lowered = record.query.to_lowercase();
        for word in words::meaningful(&lowered) {
            match self.postings.get_mut(word) {
                Some(records) => records.push(number as u32),
                None => {
                    self.postings.insert(word.to_owned(), vec![number as u32]);
                }
            }
        }
        self.lowered.push(lowered.chars().collect());

        let server = match self.server_numbers.get(&record.server) {
            Some(&known) => known,
            None => {
                let new = self.servers.len();
                self.server_numbers.insert(record.server.clone(), new);
                self.servers.push(record.server.clone());
                new
            }
        };
        self.server_of.push(server);
    }

    /// Number of the record with this hash.
    pub(super) fn find(&self, query_hash: &str) -> Option<usize> {
        self.by_hash.get(query_hash).copied()
    }

    /// For each record, how many of the distinct `words` are its meaningful words.
    pub(super) fn shared_words(&self, words: &[&str]) -> Vec<u32> {
        let mut shared = vec![0; self.lowered.len()];
        for &word in words {
            for &number in self.postings.get(word).into_iter().flatten() {
                shared[number as usize] += 1;
            }
        }
        shared
    }

    /// The record's query in lower case.
    pub(super) fn lowered(&self, record: usize) -> &[char] {
        &self.lowered[record]
    }

    /// The record's place in [`servers`](Self::servers).
    pub(super) fn server(&self, record: usize) -> usize {
        self.server_of[record]
    }

    /// Names of all servers, in order of first appearance.
    pub(super) fn servers(&self) -> &[String] {
        &self.servers
    }
}
