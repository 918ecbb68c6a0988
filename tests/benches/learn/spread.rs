//! Evidence where noise and spread go with the rate: views of rare clicks say less of a headline than of its test.
//!
//! A headline's surplus over its test is believed as far as headlines of such tests differ: posterior mean d·V/(V + b(1−b)/n)
//! (Morris 1983, "Parametric empirical Bayes inference"), with b the test's rate drawn towards all. How V goes with b is
//! told by the data: constant, in proportion to b, or to b², each by moments, and of the three the likeliest.

/// What an arm sees of a headline.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Its clicks per view.
    pub rate: f64,
    /// Its views.
    pub views: f64,
    /// The test's clicks per view, its own among them.
    pub of_test: f64,
    /// Headlines in the test.
    pub arms: f64,
}

/// The surplus of each headline over its test, as far as it is believed. `all` is the rate of all views.
pub fn surplus(seen: &[Seen], all: f64) -> Vec<f64> {
    let many = seen.len().max(1) as f64;
    let noise_of = |one: &Seen| all * (1.0 - all) / (one.views * one.arms);
    let spread = seen
        .iter()
        .map(|one| (one.of_test - all).powi(2))
        .sum::<f64>()
        / many;
    let noise = seen.iter().map(noise_of).sum::<f64>() / many;
    let between = (spread - noise).max(1e-12);
    let rates: Vec<f64> = seen
        .iter()
        .map(|one| all + (one.of_test - all) * between / (between + noise_of(one)))
        .collect();
    // (d, share of the variance that its test's mean leaves, noise, b)
    let terms: Vec<(f64, f64, f64, f64)> = seen
        .iter()
        .zip(&rates)
        .map(|(one, b)| {
            let left = (one.arms - 1.0) / one.arms;
            (one.rate - one.of_test, left, b * (1.0 - b) / one.views, *b)
        })
        .collect();
    let told = [0, 1, 2].map(|power| {
        let (mut over, mut under) = (0.0, 0.0);
        for (d, left, noise, b) in &terms {
            over += d * d - left * noise;
            under += left * b.powi(power);
        }
        let scale = if under > 0.0 {
            (over / under).max(1e-12)
        } else {
            1e-12
        };
        let likelihood: f64 = terms
            .iter()
            .filter(|(_, left, ..)| *left > 0.0)
            .map(|(d, left, noise, b)| {
                let variance = left * (scale * b.powi(power) + noise);
                -0.5 * (variance.ln() + d * d / variance)
            })
            .sum();
        (likelihood, power, scale)
    });
    let best = told.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (power, scale) = best.map_or((0, 1.0), |(_, power, scale)| (*power, *scale));
    terms
        .iter()
        .map(|(d, _, noise, b)| {
            let spread = scale * b.powi(power);
            d * spread / (spread + noise)
        })
        .collect()
}
