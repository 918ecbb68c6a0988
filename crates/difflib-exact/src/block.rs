//! Matching blocks, and the windows in which they are looked for.

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

/// Half-open ranges of both sequences that are still to be matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub a_start: usize,
    pub a_end: usize,
    pub b_start: usize,
    pub b_end: usize,
}

impl Window {
    pub fn is_empty(&self) -> bool {
        self.a_start >= self.a_end || self.b_start >= self.b_end
    }

    /// No more elements than this can match inside.
    pub fn bound(&self) -> usize {
        (self.a_end - self.a_start).min(self.b_end - self.b_start)
    }
}
