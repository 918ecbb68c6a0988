//! CPython's `difflib.SequenceMatcher(None, a, b)` over Unicode code points, equal to the bit.
//!
//! Source of the semantics: `Lib/difflib.py` of CPython 3.11 (unchanged since 3.2 but for the default arguments of
//! `find_longest_match`).

mod alphabet;
mod masks;
mod sparse;
#[cfg(test)]
mod tests;

use std::ops::Range;

use alphabet::Alphabet;
use masks::Masks;
use sparse::Sparse;

/// `a[a..a + size]` equals `b[b..b + size]`; positions and size count code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    /// Start in the first sequence.
    pub a: usize,
    /// Start in the second sequence.
    pub b: usize,
    /// Number of equal elements.
    pub size: usize,
}

/// What an [`Opcode`] does to turn `a` into `b`.
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
    /// What to do.
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
/// assert_eq!(lesson_core::sequence_ratio("abcd", "bcde"), 0.75);
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
/// use lesson_core::SequenceMatcher;
/// let mut matcher = SequenceMatcher::new("frontend deploy");
/// assert!(matcher.ratio("deploy the frontend") > 0.5);
/// assert_eq!(matcher.ratio_at_least("sell the position", 0.6), None);
/// ```
#[derive(Clone, Debug)]
pub struct SequenceMatcher {
    alphabet: Alphabet,
    b: Vec<u32>,
    /// How often each id occurs in `b`; index 0 stands for all others.
    counts: Vec<u32>,
    masks: Masks,
    sparse: Sparse,
    a: Vec<u32>,
    pending: Vec<(Window, usize)>,
    available: Vec<u32>,
}

/// Half-open ranges of both sequences that are still to be matched.
#[derive(Clone, Copy, Debug)]
struct Window {
    a_start: usize,
    a_end: usize,
    b_start: usize,
    b_end: usize,
}

impl Window {
    fn is_empty(&self) -> bool {
        self.a_start >= self.a_end || self.b_start >= self.b_end
    }

    /// No more elements than this can match inside.
    fn bound(&self) -> usize {
        (self.a_end - self.a_start).min(self.b_end - self.b_start)
    }
}

impl SequenceMatcher {
    /// A matcher whose second sequence is `b`.
    pub fn new(b: &str) -> Self {
        let mut matcher = Self {
            alphabet: Alphabet::new(),
            b: Vec::new(),
            counts: Vec::new(),
            masks: Masks::default(),
            sparse: Sparse::default(),
            a: Vec::new(),
            pending: Vec::new(),
            available: Vec::new(),
        };
        matcher.set_b(b);
        matcher
    }

    /// Replaces the second sequence; buffers are kept.
    pub fn set_b(&mut self, b: &str) {
        self.index(b.chars());
    }

    /// As [`set_b`](Self::set_b), for text that is at hand as code points.
    pub(crate) fn set_b_chars(&mut self, b: &[char]) {
        self.index(b.iter().copied());
    }

    fn index(&mut self, b: impl Iterator<Item = char>) {
        self.alphabet.clear();
        self.b.clear();
        self.b.extend(b.map(|symbol| self.alphabet.intern(symbol)));
        self.counts.clear();
        self.counts.resize(self.alphabet.len() + 1, 0);
        for &id in &self.b {
            self.counts[id as usize] += 1;
        }
        if self.has_masks() {
            self.masks.build(&self.b, self.alphabet.len());
        } else {
            self.sparse.build(&self.b, &self.counts);
        }
    }

    fn has_masks(&self) -> bool {
        self.b.len() <= masks::LONGEST
    }

    /// 2 · (size of all matching blocks) / (len a + len b), in 0..=1.
    pub fn ratio(&mut self, a: &str) -> f64 {
        self.set_a(a.chars());
        self.ratio_of_set_a()
    }

    pub(crate) fn ratio_chars(&mut self, a: &[char]) -> f64 {
        self.set_a(a.iter().copied());
        self.ratio_of_set_a()
    }

    fn ratio_of_set_a(&mut self) -> f64 {
        let mut matches = 0;
        self.for_each_block(|block, _| {
            matches += block.size;
            true
        });
        calculate_ratio(matches, self.a.len() + self.b.len())
    }

    /// Upper bound of [`ratio`](Self::ratio): matches counted without regard to order.
    pub fn quick_ratio(&mut self, a: &str) -> f64 {
        self.set_a(a.chars());
        calculate_ratio(self.common_symbols(), self.a.len() + self.b.len())
    }

    /// Upper bound of [`quick_ratio`](Self::quick_ratio), from the lengths alone.
    pub fn real_quick_ratio(&self, a: &str) -> f64 {
        let a_len = a.chars().count();
        calculate_ratio(a_len.min(self.b.len()), a_len + self.b.len())
    }

    /// The exact [`ratio`](Self::ratio) if it is at least `cutoff`, else `None`.
    ///
    /// Cheaper than `ratio` when most pairs stay below: lengths, then symbols in common, then the longest common
    /// subsequence are tried as bounds, and matching stops as soon as what is left can't reach the cutoff.
    pub fn ratio_at_least(&mut self, a: &str, cutoff: f64) -> Option<f64> {
        self.set_a(a.chars());
        let total = self.a.len() + self.b.len();
        // Written so that a cutoff that is not a number is never reached.
        let reaches = |matches: usize| calculate_ratio(matches, total) >= cutoff;
        if !reaches(self.a.len().min(self.b.len())) || !reaches(self.common_symbols()) {
            return None;
        }
        if self.has_masks() {
            let ids = self.a.iter().copied();
            if !reaches(self.masks.common_subsequence(ids, self.b.len())) {
                return None;
            }
        }
        let mut matches = 0;
        let finished = self.for_each_block(|block, open| {
            matches += block.size;
            reaches(matches + open)
        });
        let ratio = calculate_ratio(matches, total);
        (finished && ratio >= cutoff).then_some(ratio)
    }

    /// Whether the ratio with `a` may reach `cutoff`. The bounds used hold for both orders of the two texts.
    pub(crate) fn may_reach(&mut self, a: &[char], cutoff: f64) -> bool {
        let total = a.len() + self.b.len();
        let reaches = |matches: usize| calculate_ratio(matches, total) >= cutoff;
        if !reaches(a.len().min(self.b.len())) {
            return false;
        }
        if self.has_masks() {
            let ids = a.iter().map(|&symbol| self.alphabet.find(symbol));
            reaches(self.masks.common_subsequence(ids, self.b.len()))
        } else {
            self.set_a(a.iter().copied());
            reaches(self.common_symbols())
        }
    }

    /// The longest block inside `a[a_range]` and `b[b_range]`: of equally long ones the first in `a`, then the first in
    /// `b`; size 0 at both starts if there is none. Ranges are cut to the lengths of the texts.
    pub fn find_longest_match(
        &mut self,
        a: &str,
        a_range: Range<usize>,
        b_range: Range<usize>,
    ) -> Block {
        self.set_a(a.chars());
        let window = Window {
            a_start: a_range.start,
            a_end: a_range.end.min(self.a.len()),
            b_start: b_range.start,
            b_end: b_range.end.min(self.b.len()),
        };
        if window.is_empty() {
            return Block {
                a: window.a_start,
                b: window.b_start,
                size: 0,
            };
        }
        self.longest(window, usize::MAX)
    }

    /// All matching blocks in ascending order, adjacent ones joined, closed by the empty block (len a, len b, 0).
    pub fn matching_blocks(&mut self, a: &str) -> Vec<Block> {
        self.set_a(a.chars());
        let mut found = Vec::new();
        self.for_each_block(|block, _| {
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
            b: self.b.len(),
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

    fn set_a(&mut self, a: impl Iterator<Item = char>) {
        self.a.clear();
        self.a.extend(a.map(|symbol| self.alphabet.find(symbol)));
    }

    /// Size of the intersection of both texts as multisets.
    fn common_symbols(&mut self) -> usize {
        self.available.clone_from(&self.counts);
        let mut matches = 0;
        for &id in &self.a {
            let left = &mut self.available[id as usize];
            if *left > 0 {
                *left -= 1;
                matches += 1;
            }
        }
        matches
    }

    fn longest(&mut self, window: Window, cap: usize) -> Block {
        if self.has_masks() {
            self.masks.longest(&self.a, &self.b, window, cap)
        } else {
            self.sparse.longest(&self.a, &self.b, window)
        }
    }

    /// Calls `visit(block, open)` for every window that was searched, in no particular order: `block` is its longest
    /// match, maybe empty, and `open` bounds the number of elements that may still match. Stops when `visit` says false
    /// and then returns false.
    fn for_each_block(&mut self, mut visit: impl FnMut(Block, usize) -> bool) -> bool {
        self.pending.clear();
        let whole = Window {
            a_start: 0,
            a_end: self.a.len(),
            b_start: 0,
            b_end: self.b.len(),
        };
        let mut open = 0;
        if !whole.is_empty() {
            open = whole.bound();
            self.pending.push((whole, usize::MAX));
        }
        while let Some((window, cap)) = self.pending.pop() {
            open -= window.bound();
            let block = self.longest(window, cap);
            if block.size > 0 {
                let before = Window {
                    a_end: block.a,
                    b_end: block.b,
                    ..window
                };
                let after = Window {
                    a_start: block.a + block.size,
                    b_start: block.b + block.size,
                    ..window
                };
                for part in [before, after] {
                    if !part.is_empty() {
                        open += part.bound();
                        self.pending.push((part, block.size));
                    }
                }
            }
            if !visit(block, open) {
                return false;
            }
        }
        true
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
