//! Evidence without randomisation: how decisions went in which a lesson was applied, beside others of their domain. It is
//! observed, so it is labelled so: who applies a lesson, and when, is nobody's draw.

use super::baseline::baseline;

/// k before there is enough to tell it by. 10.
pub const FIRST_SHRINKAGE: f64 = 10.0;
/// Lessons that were applied twice or more, from which k is told by moments. 10.
const LEAST_LESSONS: u32 = 10;
/// The least and the greatest k. Beyond a million nothing is left of any evidence.
const BOUNDS: (f64, f64) = (1.0, 1e6);

/// What came of the decisions of one domain in which a lesson was applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Decisions.
    pub n: u32,
    /// Those that went well.
    pub successes: u32,
    /// The domain's rate where the lesson was not applied, 0 to 1; see [`Cell::of`].
    pub baseline: f64,
}

impl Cell {
    /// A cell of a domain with `of_domain` = (decisions, successes), those of the cell among them: its baseline is the rate
    /// of the others, drawn towards the space's by 10.
    pub fn of((n, successes): (u32, u32), of_domain: (u32, u32), space_rate: f64) -> Self {
        let others = of_domain.0.saturating_sub(n);
        let well = of_domain.1.saturating_sub(successes);
        Self {
            n,
            successes,
            baseline: baseline(others, well, space_rate),
        }
    }
}

/// The sums of a lesson's cells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cells {
    /// Σ n.
    pub n: u32,
    /// Σ (successes − n·b).
    pub surplus: f64,
    /// Σ n·b(1−b), what the surplus would vary by if the lesson did nothing.
    pub noise: f64,
}

impl Cells {
    /// The sums of these cells.
    pub fn of(cells: impl IntoIterator<Item = Cell>) -> Self {
        let mut sums = Self::default();
        cells.into_iter().for_each(|cell| sums.add(cell));
        sums
    }

    /// Adds a cell.
    pub fn add(&mut self, cell: Cell) {
        let n = f64::from(cell.n);
        self.n = self.n.saturating_add(cell.n);
        self.surplus += f64::from(cell.successes) - n * cell.baseline;
        self.noise += n * cell.baseline * (1.0 - cell.baseline);
    }
}

/// Evidence: Σ(successes − n·b) / (Σn + k), −1 to 1. The more was seen of a lesson, the less is taken from it.
pub fn evidence(cells: Cells, k: f64) -> f64 {
    cells.surplus / (f64::from(cells.n) + k)
}

/// k by moments: the noise of one decision over the variance between lessons, both weighted by decisions. Where lessons
/// differ by no more than noise, k is great and nothing is believed (Morris 1983, "Parametric empirical Bayes inference").
///
/// With d the surplus per decision of a lesson: V = (Σ n·d² − Σ b(1−b)) / Σ n and k = mean b(1−b) / V, over lessons that
/// were applied twice or more; 10 where they are fewer than 10.
pub fn shrinkage(lessons: impl IntoIterator<Item = Cells>) -> f64 {
    let (mut many, mut n, mut spread, mut noise) = (0_u32, 0.0, 0.0, 0.0);
    for cells in lessons {
        if cells.n < 2 {
            continue;
        }
        let of = f64::from(cells.n);
        many += 1;
        n += of;
        spread += cells.surplus * cells.surplus / of;
        noise += cells.noise / of;
    }
    if many < LEAST_LESSONS {
        return FIRST_SHRINKAGE;
    }
    let between = (spread - noise) / n;
    if between <= 0.0 {
        return BOUNDS.1;
    }
    (noise / f64::from(many) / between).clamp(BOUNDS.0, BOUNDS.1)
}
