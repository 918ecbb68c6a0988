//! Index of a long second sequence: the positions of every symbol that is not popular, in one array.

use crate::block::{Block, Window};

/// From this length on `difflib` treats elements that make up more than 1 % + 1 as popular: they start no block.
pub(super) const POPULAR_FROM: usize = 200;

/// Positions per symbol id (popular ones have none) and the row buffer of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    /// `positions[starts[id]..starts[id + 1]]` are the places of a symbol, ascending.
    starts: Vec<u32>,
    positions: Vec<u32>,
    /// For each place of `b`: number of the row that last matched there, and the length of the run ending there.
    runs: Vec<(u32, u32)>,
    row_number: u32,
}

impl Sparse {
    /// Indexes `b`; `counts[id]` is how often each id occurs in it.
    pub(super) fn build(&mut self, b: &[u32], counts: &[u32]) {
        let popular_over = match b.len() {
            n if n >= POPULAR_FROM => n / 100 + 1,
            _ => usize::MAX,
        };
        let kept = |id: usize| counts[id] as usize <= popular_over;

        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for (id, &count) in counts.iter().enumerate() {
            end += if kept(id) { count } else { 0 };
            self.starts.push(end);
        }
        self.positions.clear();
        self.positions.resize(end as usize, 0);
        let mut next = self.starts.clone();
        for (j, &id) in b.iter().enumerate() {
            let id = id as usize;
            if kept(id) {
                self.positions[next[id] as usize] = j as u32;
                next[id] += 1;
            }
        }
        self.runs.clear();
        self.runs.resize(b.len(), (0, 0));
        self.row_number = 1;
    }

    /// The longest block without popular elements inside `window`, first in `a`, then first in `b`; then extended on
    /// both ends over equal elements, popular ones too.
    pub(super) fn longest(&mut self, a: &[u32], b: &[u32], window: Window) -> Block {
        let mut best = self.longest_start(a, window);
        while best.a > window.a_start && best.b > window.b_start && a[best.a - 1] == b[best.b - 1] {
            best.a -= 1;
            best.b -= 1;
            best.size += 1;
        }
        while best.a + best.size < window.a_end
            && best.b + best.size < window.b_end
            && a[best.a + best.size] == b[best.b + best.size]
        {
            best.size += 1;
        }
        best
    }

    fn longest_start(&mut self, a: &[u32], window: Window) -> Block {
        let mut best = Block {
            a: window.a_start,
            b: window.b_start,
            size: 0,
        };
        // A row number that no earlier search used, and whose predecessor none used either.
        if self.row_number > u32::MAX - (window.a_end - window.a_start) as u32 - 2 {
            self.runs.fill((0, 0));
            self.row_number = 1;
        }
        self.row_number += 1;

        for (row, &id) in a[window.a_start..window.a_end].iter().enumerate() {
            self.row_number += 1;
            let (i, id) = (window.a_start + row, id as usize);
            let places = &self.positions[self.starts[id] as usize..self.starts[id + 1] as usize];
            let skip = places.partition_point(|&j| (j as usize) < window.b_start);
            // The last place that this row wrote, and its value before: the row's own runs must not feed its next ones.
            let mut overwritten = (usize::MAX, (0, 0));
            for &j in &places[skip..] {
                let j = j as usize;
                if j >= window.b_end {
                    break;
                }
                let left = match j.checked_sub(1) {
                    Some(place) if place == overwritten.0 => overwritten.1,
                    Some(place) => self.runs[place],
                    None => (0, 0),
                };
                let length = if left.0 == self.row_number - 1 {
                    left.1 + 1
                } else {
                    1
                };
                overwritten = (j, self.runs[j]);
                self.runs[j] = (self.row_number, length);
                let length = length as usize;
                if length > best.size {
                    best = Block {
                        a: i + 1 - length,
                        b: j + 1 - length,
                        size: length,
                    };
                }
            }
        }
        best
    }
}
