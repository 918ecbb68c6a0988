//! Matching at the level of symbol ids: one indexed second sequence, any first ones.

use super::masks::{self, Masks};
use super::sparse::Sparse;
use crate::block::{Block, Window};

/// The second sequence with its index, and the buffers of the search.
///
/// Elements are equal when their ids are; [`ABSENT`](super::alphabet::ABSENT) may occur in one of the two sequences
/// only, where it stands for elements that the other doesn't hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Second {
    ids: Vec<u32>,
    /// Number of occurrences of each id.
    counts: Vec<u32>,
    masks: Masks,
    sparse: Sparse,
    pending: Vec<(Window, usize)>,
    available: Vec<u32>,
}

impl Second {
    /// Takes `ids`, none above `symbols`, in place of the sequence before; buffers are kept.
    pub(super) fn set(&mut self, ids: &[u32], symbols: usize) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.counts.clear();
        self.counts.resize(symbols + 1, 0);
        for &id in &self.ids {
            self.counts[id as usize] += 1;
        }
        if self.has_masks() {
            self.masks.build(&self.ids, symbols);
        } else {
            self.sparse.build(&self.ids, &self.counts);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    fn has_masks(&self) -> bool {
        self.ids.len() <= masks::LONGEST
    }

    /// Sum of the sizes of all matching blocks with `a`.
    pub(super) fn matches(&mut self, a: &[u32]) -> usize {
        let mut matches = 0;
        self.for_each_block(a, |block, _| {
            matches += block.size;
            true
        });
        matches
    }

    /// As [`matches`](Self::matches), but `None` as soon as it is certain that the sum does not satisfy `reaches`, which
    /// holds for every number above one for which it holds.
    pub(super) fn matches_if(
        &mut self,
        a: &[u32],
        reaches: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let mut matches = 0;
        let finished = self.for_each_block(a, |block, open| {
            matches += block.size;
            reaches(matches + open)
        });
        (finished && reaches(matches)).then_some(matches)
    }

    /// Size of the intersection of both sequences as multisets.
    pub(super) fn common_symbols(&mut self, a: &[u32]) -> usize {
        self.available.clone_from(&self.counts);
        let mut matches = 0;
        for &id in a {
            let left = &mut self.available[id as usize];
            if *left > 0 {
                *left -= 1;
                matches += 1;
            }
        }
        matches
    }

    /// An upper bound of [`matches`](Self::matches) for either order of the two sequences: the length of the longest
    /// common subsequence where that is cheap, else the common symbols.
    pub(super) fn bound(&mut self, a: &[u32]) -> usize {
        if self.has_masks() {
            self.masks.common_subsequence(a, self.ids.len())
        } else {
            self.common_symbols(a)
        }
    }

    /// The longest block inside `window`, which is not empty. Blocks of `cap` elements end the search.
    pub(super) fn longest(&mut self, a: &[u32], window: Window, cap: usize) -> Block {
        if self.has_masks() {
            self.masks.longest(a, &self.ids, window, cap)
        } else {
            self.sparse.longest(a, &self.ids, window)
        }
    }

    /// Calls `visit(block, open)` for every window that was searched, in no particular order: `block` is its longest
    /// match, maybe empty, and `open` bounds the number of elements that may still match. Stops when `visit` says false
    /// and then returns false.
    pub(super) fn for_each_block(
        &mut self,
        a: &[u32],
        mut visit: impl FnMut(Block, usize) -> bool,
    ) -> bool {
        self.pending.clear();
        let whole = Window {
            a_start: 0,
            a_end: a.len(),
            b_start: 0,
            b_end: self.ids.len(),
        };
        let mut open = 0;
        if !whole.is_empty() {
            open = whole.bound();
            self.pending.push((whole, usize::MAX));
        }
        while let Some((window, cap)) = self.pending.pop() {
            open -= window.bound();
            let block = self.longest(a, window, cap);
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
