//! Wilson's interval of a rate (Wilson 1927).

/// z of a 95 % interval.
const Z: f64 = 1.96;

/// The lower end of Wilson's interval of a rate.
pub fn wilson(successes: f64, n: f64) -> f64 {
    let p = successes / n;
    let z2 = Z * Z;
    let middle = p + z2 / (2.0 * n);
    let half = Z * libm::sqrt(p * (1.0 - p) / n + z2 / (4.0 * n * n));
    (middle - half) / (1.0 + z2 / n)
}
