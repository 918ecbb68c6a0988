//! Index of a short second sequence: one bit mask of positions per symbol.
//!
//! A window of rows is matched against all columns at once: the places where a common block of length 1, 2, 3 or 4
//! starts are `m0`, `m0 & m1>>1`, … of the masks of successive elements of `a`. Only blocks of 4 and more are followed
//! element by element.

use crate::block::{Block, Window};

/// Longest second sequence that fits the masks; `difflib` starts to drop popular elements right after it.
pub(super) const LONGEST: usize = 199;

const BITS: usize = 64;
/// Words per symbol for sequences over 64 elements: 4 for the bits, 2 so that an unaligned read stays inside.
const WIDE: usize = 6;

/// Masks of at most [`LONGEST`] positions per symbol id.
#[derive(Clone, Debug, Default)]
pub(super) struct Masks {
    words: Vec<u64>,
    stride: usize,
}

impl Masks {
    /// Indexes `b`, whose ids are at most `symbols`.
    pub(super) fn build(&mut self, b: &[u32], symbols: usize) {
        self.stride = if b.len() <= BITS { 1 } else { WIDE };
        self.words.clear();
        self.words.resize((symbols + 1) * self.stride, 0);
        for (j, &id) in b.iter().enumerate() {
            self.words[id as usize * self.stride + j / BITS] |= 1 << (j % BITS);
        }
    }

    /// The longest common block inside `window`, first in `a`, then first in `b`; none is longer than `cap`.
    pub(super) fn longest(&self, a: &[u32], b: &[u32], window: Window, cap: usize) -> Block {
        let width = window.b_end - window.b_start;
        if self.stride == 1 {
            self.scan::<1, false>(a, b, window, cap)
        } else if width <= BITS {
            self.scan::<1, true>(a, b, window, cap)
        } else if width <= 2 * BITS {
            self.scan::<2, true>(a, b, window, cap)
        } else if width <= 3 * BITS {
            self.scan::<3, true>(a, b, window, cap)
        } else {
            self.scan::<4, true>(a, b, window, cap)
        }
    }

    #[inline(always)]
    fn scan<const W: usize, const STRIDED: bool>(
        &self,
        a: &[u32],
        b: &[u32],
        window: Window,
        cap: usize,
    ) -> Block {
        let rows = &a[window.a_start..window.a_end];
        let columns = &b[window.b_start..window.b_end];
        let limit = cap.min(rows.len()).min(columns.len());
        let inside: [u64; W] = low_bits(columns.len());
        let load = |row: usize| -> [u64; W] {
            match rows.get(row) {
                Some(&id) => self.load::<W, STRIDED>(id, window.b_start, &inside),
                None => [0; W],
            }
        };

        let (best, best_row, best_column) = match limit {
            1 => first_single(rows.len(), load),
            2 => first_pair(rows.len(), load),
            _ => first_longest(rows, columns, limit, load),
        };
        Block {
            a: window.a_start + best_row,
            b: window.b_start + best_column,
            size: best,
        }
    }

    #[inline(always)]
    fn load<const W: usize, const STRIDED: bool>(
        &self,
        id: u32,
        start: usize,
        inside: &[u64; W],
    ) -> [u64; W] {
        let mut mask = [0; W];
        if STRIDED {
            let row = &self.words[id as usize * WIDE..][..WIDE];
            let (skip, shift) = (start / BITS, start % BITS);
            if W > 1 && shift == 0 {
                return std::array::from_fn(|k| row[skip + k] & inside[k]);
            }
            for (k, word) in mask.iter_mut().enumerate() {
                // Two shifts, since one by 64 is not allowed.
                let high = row[skip + k + 1] << 1 << (BITS - 1 - shift);
                *word = (row[skip + k] >> shift | high) & inside[k];
            }
        } else {
            mask[0] = self.words[id as usize] >> start & inside[0];
        }
        mask
    }

    /// Length of the longest common subsequence of `a` and the indexed sequence of length `b_len`: no set of matching
    /// blocks holds more elements. Bit-parallel (Hyyrö 2004): one step of at most four words per element of `a`.
    pub(super) fn common_subsequence(&self, a: &[u32], b_len: usize) -> usize {
        if self.stride == 1 {
            self.subsequence::<1>(a, b_len)
        } else {
            self.subsequence::<4>(a, b_len)
        }
    }

    #[inline(always)]
    fn subsequence<const W: usize>(&self, a: &[u32], b_len: usize) -> usize {
        let mut free = [u64::MAX; W];
        for &id in a {
            let row = &self.words[id as usize * self.stride..][..W];
            let mut carry = false;
            for k in 0..W {
                let hit = free[k] & row[k];
                let (sum, over) = free[k].overflowing_add(hit);
                let (sum, over_again) = sum.overflowing_add(u64::from(carry));
                carry = over | over_again;
                free[k] = sum | (free[k] & !row[k]);
            }
        }
        let inside: [u64; W] = low_bits(b_len);
        (0..W)
            .map(|k| (!free[k] & inside[k]).count_ones() as usize)
            .sum()
    }
}

/// (1, row, column) of the first equal pair of elements, or zeros.
#[inline(always)]
fn first_single<const W: usize>(
    rows: usize,
    load: impl Fn(usize) -> [u64; W],
) -> (usize, usize, usize) {
    (0..rows)
        .map(|row| (row, load(row)))
        .find(|(_, mask)| *mask != [0; W])
        .map_or((0, 0, 0), |(row, mask)| (1, row, first(&mask)))
}

/// (length, row, column) of the first block of two elements, else of one, else zeros.
#[inline(always)]
fn first_pair<const W: usize>(
    rows: usize,
    load: impl Fn(usize) -> [u64; W],
) -> (usize, usize, usize) {
    let mut single = (0, 0, 0);
    let mut m0 = load(0);
    for row in 0..rows {
        let m1 = load(row + 1);
        if m0 != [0; W] {
            let two = and(&m0, &down(&m1, 1));
            if two != [0; W] {
                return (2, row, first(&two));
            }
            if single.0 == 0 {
                single = (1, row, first(&m0));
            }
        }
        m0 = m1;
    }
    single
}

/// (length, row, column) of the first longest block, or zeros; none is longer than `limit`.
#[inline(always)]
fn first_longest<const W: usize>(
    rows: &[u32],
    columns: &[u32],
    limit: usize,
    load: impl Fn(usize) -> [u64; W],
) -> (usize, usize, usize) {
    let (mut best, mut best_row, mut best_column) = (0, 0, 0);
    let mut before = [0; W];
    let mut m0 = load(0);
    let mut m1 = load(1);
    let mut m2 = load(2);
    let mut row = 0;
    // A block that starts in one of the last `best` rows can't be longer than `best`.
    while best < limit && row + best < rows.len() {
        let m3 = load(row + 3);
        if m0 != [0; W] {
            let two = and(&m0, &down(&m1, 1));
            let three = and(&two, &down(&m2, 2));
            let four = and(&three, &down(&m3, 3));
            if four != [0; W] {
                // Bits that continue the diagonal of the row before were followed there.
                let starts = and_not(&four, &up(&before));
                for (k, mut word) in starts.into_iter().enumerate() {
                    while word != 0 {
                        let column = k * BITS + word.trailing_zeros() as usize;
                        word &= word - 1;
                        let length = follow(rows, columns, row, column, best);
                        if length > best {
                            (best, best_row, best_column) = (length, row, column);
                        }
                    }
                }
            } else if best < 3 {
                for (length, starts) in [(3, &three), (2, &two), (1, &m0)] {
                    if length > best && *starts != [0; W] {
                        (best, best_row, best_column) = (length, row, first(starts));
                        break;
                    }
                }
            }
        }
        (before, m0, m1, m2) = (m0, m1, m2, m3);
        row += 1;
    }
    (best, best_row, best_column)
}

/// Length of the common run at (`row`, `column`), of which four elements are known to be equal; 0 when it can't exceed
/// `best`.
#[inline]
fn follow(rows: &[u32], columns: &[u32], row: usize, column: usize, best: usize) -> usize {
    let (rows, columns) = (&rows[row..], &columns[column..]);
    let end = rows.len().min(columns.len());
    if best >= end || rows[best] != columns[best] {
        return 0;
    }
    let mut length = 4;
    while length < end && rows[length] == columns[length] {
        length += 1;
    }
    length
}

/// Words whose lowest `count` bits are set.
#[inline(always)]
fn low_bits<const W: usize>(count: usize) -> [u64; W] {
    let mut words = [0; W];
    for (k, word) in words.iter_mut().enumerate() {
        *word = match count.saturating_sub(k * BITS) {
            0 => 0,
            n if n >= BITS => u64::MAX,
            n => (1 << n) - 1,
        };
    }
    words
}

#[inline(always)]
fn and<const W: usize>(x: &[u64; W], y: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|k| x[k] & y[k])
}

#[inline(always)]
fn and_not<const W: usize>(x: &[u64; W], y: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|k| x[k] & !y[k])
}

/// All bits `by` places down, for `by` in 1..64.
#[inline(always)]
fn down<const W: usize>(x: &[u64; W], by: usize) -> [u64; W] {
    std::array::from_fn(|k| {
        let carried = if k + 1 < W {
            x[k + 1] << (BITS - by)
        } else {
            0
        };
        x[k] >> by | carried
    })
}

/// All bits one place up.
#[inline(always)]
fn up<const W: usize>(x: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|k| x[k] << 1 | if k > 0 { x[k - 1] >> (BITS - 1) } else { 0 })
}

/// Number of the lowest bit that is set; `x` is not all zero.
#[inline(always)]
fn first<const W: usize>(x: &[u64; W]) -> usize {
    let mut base = 0;
    for word in x {
        if *word != 0 {
            return base + word.trailing_zeros() as usize;
        }
        base += BITS;
    }
    base
}
