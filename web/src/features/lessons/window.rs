//! The rows on show, of a list that is as high as all its rows but holds only these.

/// Rows kept on either side of what is seen, so that a step of the keyboard finds the next one there.
const OVER: u32 = 6;
/// Browsers stop counting pixels somewhere above this; what lies beyond is reached by searching.
const HIGHEST: f64 = 16_000_000.0;

/// The rows from `first` up to, not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// The first one.
    pub first: u32,
    /// The one after the last.
    pub end: u32,
}

impl Window {
    /// Finds the rows seen of `total` of a height, and a few around, in a view that begins `top` pixels below the list's start.
    pub fn of(top: f64, view: f64, row: f64, total: u32) -> Self {
        let row = row.max(1.0);
        let total = reachable(total, row);
        let first = ((top / row).floor().max(0.0) as u32).min(total);
        let seen = (view.max(0.0) / row).ceil() as u32 + 1;
        Self {
            first: first.saturating_sub(OVER),
            end: first.saturating_add(seen).saturating_add(OVER).min(total),
        }
    }
}

/// Counts the rows that can be scrolled to.
pub fn reachable(total: u32, row: f64) -> u32 {
    total.min((HIGHEST / row.max(1.0)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_window_holds_what_is_seen_and_a_little_more() {
        let at = |first, end| Window { first, end };
        for (top, view, total, window) in [
            (-300.0, 1000.0, 0, at(0, 0)),
            (-300.0, 1000.0, 5, at(0, 5)),
            (-300.0, 1000.0, 1_000, at(0, 17)),
            (5_000.0, 1000.0, 1_000, at(44, 67)),
            (99_500.0, 1000.0, 1_000, at(989, 1_000)),
            (9e9, 1000.0, 1_000, at(994, 1_000)),
            (-300.0, -5.0, 1_000, at(0, 7)),
        ] {
            assert_eq!(Window::of(top, view, 100.0, total), window, "{top} {total}");
        }
        assert_eq!(reachable(100_000, 110.0), 100_000);
        assert_eq!(reachable(1_000_000, 100.0), 160_000);
    }
}
