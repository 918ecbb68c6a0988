//! The bound: the filter of lift with the covariance of all lessons and domains, which costs the square of their number at
//! every outcome. The product keeps variances alone.

use lesson_core::learning::{Base, Belief};

/// The half-life of what is believed, in milliseconds: 180 days.
const HALF: f64 = 180.0 * 86_400_000.0;
/// Variance that an outcome adds to its domain's base rate.
const WALK: f64 = 2e-5;

/// Means of lessons, then of domains' base rates, with their covariance.
#[derive(Debug, Clone)]
pub struct Full {
    lessons: usize,
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    at: i64,
}

impl Full {
    /// Nothing seen yet.
    pub fn new(lessons: usize, domains: usize) -> Self {
        let (unseen, base) = (Belief::default(), Base::first(0.5));
        let many = lessons + domains;
        let of = |place: usize, lesson: f64, domain: f64| {
            if place < lessons { lesson } else { domain }
        };
        let mut covariance = vec![vec![0.0; many]; many];
        for (place, row) in covariance.iter_mut().enumerate() {
            row[place] = of(place, unseen.variance, base.variance);
        }
        Self {
            lessons,
            mean: (0..many)
                .map(|place| of(place, unseen.mean, base.rate))
                .collect(),
            covariance,
            at: 0,
        }
    }

    /// Returns the belief about a lesson.
    pub fn belief(&self, lesson: usize) -> Belief {
        Belief {
            mean: self.mean[lesson],
            variance: self.covariance[lesson][lesson],
            ..Belief::default()
        }
    }

    /// Takes an outcome of a domain, in which lessons were applied as far as each h says.
    pub fn learn(&mut self, domain: usize, applied: &[(f64, usize)], success: bool, at: i64) {
        self.drift(at);
        let domain = self.lessons + domain;
        let mut seen: Vec<(f64, usize)> = applied.to_vec();
        seen.push((1.0, domain));
        let expected: f64 = seen.iter().map(|(h, place)| h * self.mean[*place]).sum();
        let p = expected.clamp(0.05, 0.95);
        let gain: Vec<f64> = self
            .covariance
            .iter()
            .map(|row| seen.iter().map(|(h, place)| h * row[*place]).sum())
            .collect();
        let spread: f64 = seen.iter().map(|(h, place)| h * gain[*place]).sum();
        let of_all = spread + p * (1.0 - p);
        let surprise = f64::from(u8::from(success)) - expected;
        for (place, row) in self.covariance.iter_mut().enumerate() {
            self.mean[place] += gain[place] / of_all * surprise;
            for (cell, other) in row.iter_mut().zip(&gain) {
                *cell -= gain[place] * other / of_all;
            }
        }
        self.covariance[domain][domain] += WALK;
    }

    fn drift(&mut self, at: i64) {
        let kept = libm::exp2(-((at - self.at).max(0) as f64) / HALF);
        self.at = self.at.max(at);
        let unseen = Belief::default();
        let keeps = |place: usize| if place < self.lessons { kept } else { 1.0 };
        for place in 0..self.mean.len() {
            for other in 0..self.mean.len() {
                self.covariance[place][other] *= keeps(place) * keeps(other);
            }
            if place < self.lessons {
                self.mean[place] = unseen.mean + (self.mean[place] - unseen.mean) * kept;
                self.covariance[place][place] += unseen.variance * (1.0 - kept * kept);
            }
        }
    }
}
