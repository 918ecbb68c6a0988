//! CPython's `difflib.SequenceMatcher(None, a, b)` over Unicode code points, equal to the bit.
//!
//! Source of the semantics: `Lib/difflib.py` of CPython 3.11 (unchanged since 3.2 but for the default arguments of
//! `find_longest_match`). It depends on nothing.
#![forbid(unsafe_code)]

mod alphabet;
mod block;
mod first_fixed;
mod masks;
mod second;
mod sparse;
#[cfg(test)]
mod tests;

use std::ops::Range;

use alphabet::Alphabet;
pub use block::Block;
use block::Window;
pub use first_fixed::FirstFixed;
use second::Second;

/// The operations by which an [`Opcode`] turns `a` into `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpcodeTag {
    /// `a[a]` becomes `b[b]`.
    Replace,
    /// `a[a]` goes; `b` is empty.
    Delete,
    /// `b[b]` comes in at `a.start`; `a` is empty.
    Insert,
    /// Both are the same.
    Equal,
}

/// One step of turning `a` into `b`, in code points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Opcode {
    /// The operation.
    pub tag: OpcodeTag,
    /// Where in the first sequence.
    pub a: Range<usize>,
    /// Where in the second sequence.
    pub b: Range<usize>,
}

/// `SequenceMatcher(None, a, b).ratio()`: 2 · matches / (len a + len b), 1 for two empty texts.
///
/// Not symmetric: swapping `a` and `b` may change the result. To compare one `b` with many `a`, build one
/// [`SequenceMatcher`].
///
/// ```
/// assert_eq!(difflib_exact::sequence_ratio("abcd", "bcde"), 0.75);
/// ```
pub fn sequence_ratio(a: &str, b: &str) -> f64 {
    SequenceMatcher::new(b).ratio(a)
}

/// Compares many first sequences with one second sequence `b`, which is indexed once.
///
/// Memory is linear in `len a + len b`. Time of [`ratio`](Self::ratio): for `b` under 200 code points about
/// `len a · depth` steps over at most four machine words, where `depth` is that of the block tree; from 200 on, as in
/// `difflib`, the number of equal pairs of unpopular elements. A text holds fewer than 2³¹ code points.
///
/// ```
/// use difflib_exact::SequenceMatcher;
/// let mut matcher = SequenceMatcher::new("frontend deploy");
/// assert!(matcher.ratio("frontend deploys") > 0.9);
/// assert_eq!(matcher.ratio_at_least("sell the position", 0.6), None);
/// ```
#[derive(Clone, Debug)]
pub struct SequenceMatcher {
    /// Of the second sequence.
    alphabet: Alphabet,
    second: Second,
    /// Buffer for the first sequence.
    a: Vec<u32>,
}

impl SequenceMatcher {
    /// A matcher whose second sequence is `b`.
    pub fn new(b: &str) -> Self {
        let mut matcher = Self {
            alphabet: Alphabet::new(),
            second: Second::default(),
            a: Vec::new(),
        };
        matcher.set_b(b);
        matcher
    }

    /// Replaces the second sequence; buffers are kept.
    pub fn set_b(&mut self, b: &str) {
        self.alphabet.clear();
        // Ids first: how many there are is known only after the last one.
        self.a.clear();
        self.a
            .extend(b.chars().map(|symbol| self.alphabet.intern(symbol)));
        self.second.set(&self.a, self.alphabet.len());
    }

    fn set_a(&mut self, a: &str) {
        self.a.clear();
        self.a
            .extend(a.chars().map(|symbol| self.alphabet.find(symbol)));
    }

    /// 2 · (size of all matching blocks) / (len a + len b), in 0..=1.
    pub fn ratio(&mut self, a: &str) -> f64 {
        self.set_a(a);
        let matches = self.second.matches(&self.a);
        calculate_ratio(matches, self.a.len() + self.second.len())
    }

    /// Upper bound of [`ratio`](Self::ratio): matches counted without regard to order.
    pub fn quick_ratio(&mut self, a: &str) -> f64 {
        self.set_a(a);
        let matches = self.second.common_symbols(&self.a);
        calculate_ratio(matches, self.a.len() + self.second.len())
    }

    /// Upper bound of [`quick_ratio`](Self::quick_ratio), from the lengths alone.
    pub fn real_quick_ratio(&self, a: &str) -> f64 {
        let (a_len, b_len) = (a.chars().count(), self.second.len());
        calculate_ratio(a_len.min(b_len), a_len + b_len)
    }

    /// The exact [`ratio`](Self::ratio) if it is at least `cutoff`, else `None`.
    ///
    /// Cheaper than `ratio` when most pairs stay below: lengths, then symbols in common, then the longest common
    /// subsequence are tried as bounds, and matching stops as soon as what is left can't reach the cutoff.
    pub fn ratio_at_least(&mut self, a: &str, cutoff: f64) -> Option<f64> {
        self.set_a(a);
        let (a_len, b_len) = (self.a.len(), self.second.len());
        let reaches = |matches| reaches(matches, a_len + b_len, cutoff);
        if !reaches(a_len.min(b_len))
            || !reaches(self.second.common_symbols(&self.a))
            || !reaches(self.second.bound(&self.a))
        {
            return None;
        }
        let matches = self.second.matches_if(&self.a, reaches)?;
        Some(calculate_ratio(matches, a_len + b_len))
    }

    /// The longest block inside `a[a_range]` and `b[b_range]`: of equally long ones the first in `a`, then the first in
    /// `b`; size 0 at both starts if there is none. Ranges are cut to the lengths of the texts.
    pub fn find_longest_match(
        &mut self,
        a: &str,
        a_range: Range<usize>,
        b_range: Range<usize>,
    ) -> Block {
        self.set_a(a);
        let window = Window {
            a_start: a_range.start,
            a_end: a_range.end.min(self.a.len()),
            b_start: b_range.start,
            b_end: b_range.end.min(self.second.len()),
        };
        if window.is_empty() {
            return Block {
                a: window.a_start,
                b: window.b_start,
                size: 0,
            };
        }
        self.second.longest(&self.a, window, usize::MAX)
    }

    /// All matching blocks in ascending order, adjacent ones joined, closed by the empty block (len a, len b, 0).
    pub fn matching_blocks(&mut self, a: &str) -> Vec<Block> {
        self.set_a(a);
        let mut found = Vec::new();
        self.second.for_each_block(&self.a, |block, _| {
            if block.size > 0 {
                found.push(block);
            }
            true
        });
        found.sort_unstable();

        let mut joined: Vec<Block> = Vec::with_capacity(found.len() + 1);
        for block in found {
            match joined.last_mut() {
                Some(last) if last.a + last.size == block.a && last.b + last.size == block.b => {
                    last.size += block.size;
                }
                _ => joined.push(block),
            }
        }
        joined.push(Block {
            a: self.a.len(),
            b: self.second.len(),
            size: 0,
        });
        joined
    }

    /// The steps that turn `a` into `b`, in order and without gaps; none for two empty texts.
    pub fn opcodes(&mut self, a: &str) -> Vec<Opcode> {
        let mut steps = Vec::new();
        let (mut i, mut j) = (0, 0);
        for block in self.matching_blocks(a) {
            let tag = match (i < block.a, j < block.b) {
                (true, true) => Some(OpcodeTag::Replace),
                (true, false) => Some(OpcodeTag::Delete),
                (false, true) => Some(OpcodeTag::Insert),
                (false, false) => None,
            };
            if let Some(tag) = tag {
                steps.push(Opcode {
                    tag,
                    a: i..block.a,
                    b: j..block.b,
                });
            }
            (i, j) = (block.a + block.size, block.b + block.size);
            if block.size > 0 {
                steps.push(Opcode {
                    tag: OpcodeTag::Equal,
                    a: block.a..i,
                    b: block.b..j,
                });
            }
        }
        steps
    }
}

/// As `difflib._calculate_ratio`; every step is exact or correctly rounded, so the result is the same everywhere.
fn calculate_ratio(matches: usize, length: usize) -> f64 {
    if length == 0 {
        1.0
    } else {
        2.0 * matches as f64 / length as f64
    }
}

/// True if so many matches make a ratio of at least `cutoff`; never for a cutoff that is not a number.
fn reaches(matches: usize, length: usize, cutoff: f64) -> bool {
    calculate_ratio(matches, length) >= cutoff
}
