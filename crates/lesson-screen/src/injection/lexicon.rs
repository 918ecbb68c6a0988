//! The words that rules are made of, and which of them a word of a text may be.

use std::collections::BTreeMap;

/// A word of the rules.
pub(super) type WordId = u16;

/// Words, beginnings of words, and keys under which words with swapped or missing letters are found.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    words: BTreeMap<String, WordId>,
    beginnings: BTreeMap<String, WordId>,
    /// Lengths of the beginnings by their first character, a bit for each.
    lengths: BTreeMap<char, u32>,
    swapped: BTreeMap<String, WordId>,
    shortened: BTreeMap<String, WordId>,
    count: WordId,
}

/// Shortest and longest beginning that stands for its words, in characters.
const BEGINNING: std::ops::RangeInclusive<usize> = 2..=14;
/// A word of this length is known with inner letters swapped.
const SWAPPED: usize = 6;
/// The longest word that is looked for where words are joined.
const LONGEST: usize = 20;

impl Lexicon {
    /// The id of a word, or of a beginning where it ends in `*`.
    pub fn add(&mut self, word: &str, beginning: bool) -> WordId {
        let known = if beginning {
            &mut self.beginnings
        } else {
            &mut self.words
        };
        let next = self.count;
        let id = *known.entry(word.to_owned()).or_insert(next);
        if id == next {
            self.count = self.count.saturating_add(1);
            if beginning && let Some(first) = word.chars().next() {
                let length = word.chars().count().min(31);
                *self.lengths.entry(first).or_default() |= 1 << length;
            }
            if !beginning && let Some(key) = swap_key(word) {
                self.swapped.entry(key).or_insert(id);
                for short in shortened(word) {
                    self.shortened.entry(short).or_insert(id);
                }
            }
        }
        id
    }

    /// Finds the ids that a plain word may have.
    pub fn ids(&self, word: &str) -> Vec<WordId> {
        let word = skeleton(word);
        let mut ids: Vec<WordId> = self.words.get(&word).copied().into_iter().collect();
        let first = word.chars().next();
        let lengths = first.and_then(|first| self.lengths.get(&first)).copied();
        let lengths = lengths.unwrap_or_default();
        for (place, (end, c)) in word.char_indices().enumerate() {
            if lengths >> (place + 1) == 0 || place >= *BEGINNING.end() {
                break;
            }
            if place + 1 >= *BEGINNING.start() && lengths & (1 << (place + 1)) != 0 {
                ids.extend(self.beginnings.get(&word[..end + c.len_utf8()]));
            }
        }
        if ids.is_empty() {
            let known = swap_key(&word).and_then(|key| self.swapped.get(&key));
            ids.extend(known.or_else(|| self.shortened.get(&word)));
        }
        ids
    }

    /// True if a plain word is one of the rules', letter for letter.
    pub fn knows(&self, word: &str) -> bool {
        self.words.contains_key(&skeleton(word))
    }

    /// Letters as words with none between that is longer than it must be, and which are known.
    /// Costs time linear in the letters.
    pub fn parts<'a>(&self, letters: &'a str) -> Vec<(&'a str, bool)> {
        // As long as the letters, byte for byte: what is read otherwise is ASCII, as is what it is read as.
        let read = skeleton(letters);
        let ends: Vec<usize> = letters
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .collect();
        let start = |place: usize| {
            if place == 0 { 0 } else { ends[place - 1] }
        };
        // For each place: the least cost up to it, where the last part begins, whether it is known.
        let mut best: Vec<(usize, usize, bool)> = vec![(0, 0, false)];
        for end in 1..=ends.len() {
            let (cost, ..) = best[end - 1];
            let mut cheapest = (cost + 6, end - 1, false);
            for from in end.saturating_sub(LONGEST)..end.saturating_sub(1) {
                let cost = best[from].0 + 1;
                if cost < cheapest.0 && self.words.contains_key(&read[start(from)..start(end)]) {
                    cheapest = (cost, from, true);
                }
            }
            best.push(cheapest);
        }
        let mut parts = Vec::new();
        let mut end = ends.len();
        while end > 0 {
            let (_, from, known) = best[end];
            let mut first = from;
            // Unknown letters next to each other are one part.
            while !known && first > 0 && !best[first].2 {
                first = best[first].1;
            }
            parts.push((&letters[start(first)..start(end)], known));
            end = first;
        }
        parts.reverse();
        parts
    }
}

/// A word with digits and signs as the letters that they stand for; `l` and `i` are one.
pub(super) fn skeleton(word: &str) -> String {
    let numeric = word.chars().all(char::is_numeric);
    word.chars()
        .map(|c| match c {
            'l' | '!' => 'i',
            '@' => 'a',
            '$' => 's',
            c if numeric => c,
            '0' => 'o',
            '1' => 'i',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '7' => 't',
            '8' => 'b',
            c => c,
        })
        .collect()
}

/// An ASCII word with one letter after the first left out, in every way.
fn shortened(word: &str) -> impl Iterator<Item = String> {
    (1..word.len()).map(|at| format!("{}{}", &word[..at], &word[at + 1..]))
}

/// First and last letter, and the others in order: the same for a word with letters swapped.
fn swap_key(word: &str) -> Option<String> {
    if !word.is_ascii() || word.len() < SWAPPED || word.len() > LONGEST {
        return None;
    }
    let mut inner = word.as_bytes()[1..word.len() - 1].to_vec();
    inner.sort_unstable();
    let inner = String::from_utf8(inner).ok()?;
    Some(format!("{}{inner}{}", &word[..1], &word[word.len() - 1..]))
}
