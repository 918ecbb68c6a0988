//! Means over worlds, with their intervals.

/// A mean with half of its 95 % interval; NaN where no world has the figure.
#[derive(Debug, Clone, Copy)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Half of the interval: 1.96 standard errors over worlds.
    pub half: f64,
}

impl Mean {
    /// Of the numbers that are some.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let n = values.len() as f64;
        if values.len() < 2 {
            return Self {
                value: values.first().copied().unwrap_or(f64::NAN),
                half: f64::NAN,
            };
        }
        let value = values.iter().sum::<f64>() / n;
        let spread: f64 = values.iter().map(|one| (one - value) * (one - value)).sum();
        Self {
            value,
            half: 1.96 * libm::sqrt(spread / (n - 1.0) / n),
        }
    }

    /// True if the interval lies below 0.
    pub fn is_below(&self) -> bool {
        self.value + self.half < 0.0
    }

    /// True if the interval lies above 0.
    pub fn is_above(&self) -> bool {
        self.value - self.half > 0.0
    }

    /// `value ± half`, times `by`, with so many digits.
    pub fn show(&self, by: f64, digits: usize) -> String {
        if !self.value.is_finite() {
            return "–".to_owned();
        }
        format!("{:.digits$} ± {:.digits$}", self.value * by, self.half * by)
    }
}
