//! Pager of a list that grows at its end: the newest page comes by itself, older ones are asked for.

/// The part of the list that is held: everything from `start` on, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Pager<T> {
    start: usize,
    rows: Vec<T>,
}

impl<T> Default for Pager<T> {
    fn default() -> Self {
        Self {
            start: 0,
            rows: Vec::new(),
        }
    }
}

impl<T> Pager<T> {
    /// Takes the newest page of a list of `total`. What was held before it stays, unless something is missing between.
    pub fn renew(&mut self, total: u32, newest: Vec<T>) {
        let begins = (total as usize).saturating_sub(newest.len());
        let joins = self.start <= begins && begins <= self.start + self.rows.len();
        if joins && !self.rows.is_empty() {
            self.rows.truncate(begins - self.start);
            self.rows.extend(newest);
        } else {
            self.start = begins;
            self.rows = newest;
        }
    }

    /// Takes the page before what is held.
    pub fn prepend(&mut self, mut older: Vec<T>) {
        self.start = self.start.saturating_sub(older.len());
        older.append(&mut self.rows);
        self.rows = older;
    }

    /// Where the page before begins; `None` when everything is held.
    pub fn before(&self) -> Option<usize> {
        (self.start > 0).then_some(self.start)
    }

    /// Returns the rows that are held, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &T> {
        self.rows.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn shown(pages: &Pager<u32>) -> Vec<u32> {
        pages.newest_first().copied().collect()
    }

    #[test]
    fn older_pages_stay_while_newer_events_come() {
        let mut pages = Pager::default();
        pages.renew(5, vec![3, 4]);
        assert_eq!((shown(&pages), pages.before()), (vec![4, 3], Some(3)));
        pages.prepend(vec![1, 2]);
        assert_eq!((shown(&pages), pages.before()), (vec![4, 3, 2, 1], Some(1)));
        pages.renew(6, vec![4, 5]);
        assert_eq!(shown(&pages), [5, 4, 3, 2, 1]);
        pages.prepend(vec![0]);
        assert_eq!(
            (shown(&pages), pages.before()),
            (vec![5, 4, 3, 2, 1, 0], None)
        );
        // So much came at once that something is missing between: it begins anew.
        pages.renew(20, vec![18, 19]);
        assert_eq!((shown(&pages), pages.before()), (vec![19, 18], Some(18)));
        // A list that shrank, as after a sign-out, too.
        pages.renew(1, vec![0]);
        assert_eq!((shown(&pages), pages.before()), (vec![0], None));
    }
}
