//! The days that are looked at, in steps that a chart can show apart.

/// Steps of a range, at most: what a chart can show apart.
const STEPS: i64 = 45;

/// The days that are looked at.
pub(super) struct Range {
    pub first: i64,
    pub last: i64,
    pub step: i64,
    pub window: i64,
}

impl Range {
    pub fn new(first: i64, last: i64) -> Self {
        let days = last - first + 1;
        Self {
            first,
            last,
            step: (days + STEPS - 1).div_euclid(STEPS),
            // Wide enough that a handful of runs a day makes a line, and narrow enough that it moves.
            window: match days {
                ..=7 => 3,
                8..=30 => 7,
                31..=90 => 14,
                _ => 30,
            },
        }
    }

    pub fn days(&self) -> i64 {
        self.last - self.first + 1
    }

    pub fn steps(&self) -> usize {
        usize::try_from((self.days() + self.step - 1).div_euclid(self.step)).unwrap_or(1)
    }

    /// The step that a day lies in. The last step ends today; the first one may be shorter.
    pub fn step(&self, day: i64) -> Option<usize> {
        if day < self.first || day > self.last {
            return None;
        }
        let back = usize::try_from((self.last - day).div_euclid(self.step)).ok()?;
        self.steps().checked_sub(1 + back)
    }

    /// The last day of a step.
    pub fn end(&self, step: usize) -> i64 {
        let back = self.steps().saturating_sub(1 + step);
        self.last - i64::try_from(back).unwrap_or(0) * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn steps_cover_the_range_and_end_today() {
        for days in [1, 7, 30, 45, 46, 90, 365, 1_000] {
            let range = Range::new(1_000 - days + 1, 1_000);
            assert!(range.steps() <= 45, "{days}: {}", range.steps());
            assert_eq!(range.step(1_000), Some(range.steps() - 1), "{days}");
            assert_eq!(range.step(range.first), Some(0), "{days}");
            assert_eq!(range.step(range.first - 1), None);
            assert_eq!(range.step(1_001), None);
            assert_eq!(range.end(range.steps() - 1), 1_000);
            for day in range.first..=1_000 {
                let at = range.step(day).expect("it lies in the range");
                assert!(
                    range.end(at) >= day && range.end(at) - range.step < day,
                    "{day}"
                );
            }
        }
    }
}
