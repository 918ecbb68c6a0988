//! Chance that is the same everywhere.

/// The most that a count may be that comes with a lesson: `limits::COUNT` of lesson-types.
const MOST: u32 = 1_000_000;

/// Xorshift: a fixed seed gives the same ledgers everywhere.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        // In 64 bits: a `usize` of the module has half of them.
        ((self.roll() >> 11) % end as u64) as usize
    }

    pub fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Between 0 and 1, with all 53 bits in use.
    pub fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mostly a share; sometimes a bound, the smallest of numbers, or one that is out of bounds.
    pub fn confidence(&mut self) -> f64 {
        match self.below(24) {
            0 => 0.0,
            1 => 1.0,
            2 => -0.0,
            3 => 5e-324,
            4 => 1e-310,
            5 => 1.000_000_000_000_000_2,
            6 => -1e-9,
            7 => 0.1,
            8 => 0.99,
            _ => self.share(),
        }
    }

    /// Mostly a few; sometimes the most that a server takes with a lesson, or any number up to it.
    pub fn count(&mut self) -> u32 {
        match self.below(12) {
            0 => MOST,
            1 => MOST - 1,
            2 => self.below(MOST as usize) as u32,
            _ => self.below(9) as u32,
        }
    }

    pub fn text(&mut self) -> String {
        self.of(&[
            "",
            "Bind values",
            "never \"splice\" \\ them",
            "zwei\nZeilen\tTab",
            "数据库 🚀",
            " \u{a0}\u{2003} ",
            "ÀÉ İ ΑΣ ß",
            "\u{1f}\u{1e}\u{7f}",
        ])
        .to_owned()
    }

    pub fn words(&mut self) -> Vec<String> {
        (0..self.below(3)).map(|_| self.text()).collect()
    }
}
