//! The lift of a lesson: how much it adds to the chance that a run goes well where it is applied, as one Gaussian belief that
//! learns from every run.
//!
//! A filter with diagonal covariance (Kalman 1960, "A new approach to linear filtering and prediction problems") under a
//! prior that draws every belief back with time (the process of Ornstein and Uhlenbeck). What is folded uses `+ − × ÷` and
//! comparisons only, sums in the order of their places, so that the same ledger gives the same bits natively, in wasm and in
//! SQL; the root is taken at read time.

use crate::instant::Millis;
use lesson_types::LiftWord;

/// The lift of a lesson that nothing was seen of, −1 to 1: it was written down for a reason. 0.03.
pub const FIRST_MEAN: f64 = 0.03;
/// Its variance: ±0.12 is a standard deviation. On the bench 0.1 to 0.16 did about as well.
pub const FIRST_VARIANCE: f64 = 0.12 * 0.12;
/// The variance of a domain's first base rate, that of ±0.22.
pub const FIRST_BASE_VARIANCE: f64 = 0.05;
/// The growth of a base rate's variance with each outcome: a hundred outcomes bring back ±0.045, so that it follows the
/// domain's work.
pub const BASE_DRIFT: f64 = 2e-5;
/// The number of standard deviations of doubt that are counted for a lesson when it is ranked. 0.2; on the bench 0.2 to 0.35
/// did about as well.
pub const OPTIMISM: f64 = 0.2;
/// The weight of a rating: how surely it says that the lesson was at work, 0 to 1. 0.3.
pub const RATING_WEIGHT: f64 = 0.3;
/// The noise of one showing that came to nothing, a variance: after ten of them a third of the lift is left.
pub const UNHEEDED_NOISE: f64 = 0.5;
/// Detections less sure than this are of no lesson: nothing is learned of it by them.
pub const LEAST_WEIGHT: f64 = 0.001;
/// No variance falls below this, so that no division is by next to nothing.
pub const LEAST_VARIANCE: f64 = 1e-9;
/// Means nearer to 0 than this are 0, so that no product falls below the least double: `PostgreSQL` refuses that.
pub const LEAST_MEAN: f64 = 1e-12;
/// Standard deviations either side that hold the lift with a chance of 95 %.
const INTERVAL: f64 = 1.96;
/// Expected chances are taken to vary as one of at least this, and of at most 1 less this.
const LEAST_CHANCE: f64 = 0.05;

/// 2^(−2^i ms / 180 d): what is left of a belief's distance from the first one after 2^i milliseconds, by i. Half of it is
/// left after 180 days. The fold in SQL has the same numbers.
const LEFT: [f64; 40] = [
    0.9999999999554303,
    0.9999999999108607,
    0.9999999998217214,
    0.9999999996434428,
    0.9999999992868857,
    0.9999999985737712,
    0.9999999971475425,
    0.9999999942950849,
    0.9999999885901699,
    0.99999997718034,
    0.9999999543606806,
    0.9999999087213631,
    0.9999998174427346,
    0.9999996348855024,
    0.9999992697711382,
    0.9999985395428095,
    0.9999970790877519,
    0.9999941581840356,
    0.9999883164021979,
    0.9999766329409022,
    0.999953266427824,
    0.9999065350396747,
    0.9998130788150482,
    0.9996261925696259,
    0.9992525248712467,
    0.9985056084615617,
    0.9970134501291934,
    0.9940358197385176,
    0.9881072109232266,
    0.9763558602784779,
    0.9532707659001265,
    0.9087251531198138,
    0.8257814039126291,
    0.6819149270479127,
    0.46500796773076003,
    0.21623241005309157,
    0.04675645515736834,
    0.0021861660988829966,
    4.779322211905301e-06,
    2.2841920805211373e-11,
];

/// A lesson's lift as it is believed: its mean, and the doubt about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// The lift: how much more often a run goes well in which it is applied, −1 to 1.
    pub mean: f64,
    /// The variance of that, above 0 and at most [`FIRST_VARIANCE`].
    pub variance: f64,
    /// When it last changed; `None` while nothing was seen of the lesson.
    pub at: Option<Millis>,
}

impl Default for Belief {
    fn default() -> Self {
        Self {
            mean: FIRST_MEAN,
            variance: FIRST_VARIANCE,
            at: None,
        }
    }
}

/// The base rate of a domain: how often its runs go well without any lesson.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Base {
    /// 0 to 1.
    pub rate: f64,
    /// Its variance, above 0 and at most [`FIRST_BASE_VARIANCE`].
    pub variance: f64,
}

impl Base {
    /// The base of a domain that nothing was seen of, in a space whose runs go well at this rate, 0 to 1.
    pub fn first(space_rate: f64) -> Self {
        Self {
            rate: space_rate,
            variance: FIRST_BASE_VARIANCE,
        }
        .bounded()
    }

    fn bounded(self) -> Self {
        let or = |value: f64, other| if value.is_finite() { value } else { other };
        Self {
            rate: snapped(or(self.rate, 0.5).clamp(0.0, 1.0)),
            variance: or(self.variance, FIRST_BASE_VARIANCE)
                .clamp(LEAST_VARIANCE, FIRST_BASE_VARIANCE),
        }
    }
}

impl Belief {
    /// Returns the belief at `now`: Δ later m ← m₀ + (m − m₀)·w and v ← v₀ − (v₀ − v)·w² with w = 2^(−Δ/180 days), so what is
    /// not seen again is believed less. A time before the last change changes nothing.
    ///
    /// ```
    /// use lesson_core::learning::Belief;
    /// let hurts = Belief { mean: -0.1, variance: 0.001, at: Some(0) };
    /// assert!(hurts.optimism() < 0.0);
    /// assert!(hurts.at(540 * lesson_core::DAY).optimism() > 0.0); // It is tried again.
    /// ```
    #[must_use]
    pub fn at(self, now: Millis) -> Self {
        let held = self.bounded();
        let Some(last) = held.at else {
            return held;
        };
        if now <= last {
            return held;
        }
        let w = left(now.saturating_sub(last));
        Self {
            mean: FIRST_MEAN + (held.mean - FIRST_MEAN) * w,
            variance: FIRST_VARIANCE - (FIRST_VARIANCE - held.variance) * (w * w),
            at: Some(now),
        }
        .bounded()
    }

    /// u = m + 0.2·√v, by which lessons are ranked: doubt counts for a lesson, so that it is tried.
    pub fn optimism(&self) -> f64 {
        let held = self.bounded();
        held.mean + OPTIMISM * held.variance.sqrt()
    }

    /// The ends that hold the lift with a chance of 95 %, −1 to 1: m ± 1.96·√v.
    pub fn interval(&self) -> (f64, f64) {
        let held = self.bounded();
        let half = INTERVAL * held.variance.sqrt();
        (
            (held.mean - half).clamp(-1.0, 1.0),
            (held.mean + half).clamp(-1.0, 1.0),
        )
    }

    /// Gives the verdict on it: *helps* and *hurts* only where the interval leaves 0 out.
    pub fn verdict(&self) -> LiftWord {
        let (low, high) = self.interval();
        if low > 0.0 {
            LiftWord::Helps
        } else if high < 0.0 {
            LiftWord::Hurts
        } else {
            LiftWord::Unsure
        }
    }

    /// Returns the belief about another text of the lesson: half of the distance from the first belief, in full doubt.
    #[must_use]
    pub fn widened(self) -> Self {
        let held = self.bounded();
        Self {
            mean: FIRST_MEAN + (held.mean - FIRST_MEAN) * 0.5,
            variance: FIRST_VARIANCE,
            at: held.at,
        }
        .bounded()
    }

    /// Returns the belief about two lessons that become one: weighted by precision, with the prior that both hold counted
    /// once, 1/v = 1/v₁ + 1/v₂ − 1/v₀. Both are brought to the later of their times first.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let at = self.at.max(other.at);
        let (one, two) = match at {
            Some(at) => (self.at(at), other.at(at)),
            None => (self.bounded(), other.bounded()),
        };
        let precision = 1.0 / one.variance + 1.0 / two.variance - 1.0 / FIRST_VARIANCE;
        let weighted =
            one.mean / one.variance + two.mean / two.variance - FIRST_MEAN / FIRST_VARIANCE;
        Self {
            mean: weighted / precision,
            variance: 1.0 / precision,
            at,
        }
        .bounded()
    }

    /// Returns the belief after the lesson was shown or used once more and credited with nothing: a weak observation of a lift
    /// of 0. A mean below 0 stays; a doubt shrinks either way, so the lesson sinks.
    #[must_use]
    pub fn unheeded(self, at: Millis) -> Self {
        let held = self.changed_at(at);
        let gain = held.variance / (held.variance + UNHEEDED_NOISE);
        Self {
            mean: if held.mean > 0.0 {
                held.mean - gain * held.mean
            } else {
                held.mean
            },
            variance: held.variance - gain * held.variance,
            at: held.at,
        }
        .bounded()
    }

    /// The same at the time of a change.
    fn changed_at(self, at: Millis) -> Self {
        let held = self.at(at);
        Self {
            at: Some(held.at.map_or(at, |last| last.max(at))),
            ..held
        }
    }

    /// The belief within its bounds, whatever came in.
    fn bounded(self) -> Self {
        if !self.mean.is_finite() || !self.variance.is_finite() {
            return Self {
                at: self.at,
                ..Self::default()
            };
        }
        Self {
            mean: snapped(self.mean.clamp(-1.0, 1.0)),
            variance: self.variance.clamp(LEAST_VARIANCE, FIRST_VARIANCE),
            at: self.at,
        }
    }
}

/// Learns from an outcome at `at` of a run in which these lessons were applied: h, 0 to 1, is how surely each was; one of
/// [`LEAST_WEIGHT`] or less stays as it is. The surprise r = y − (b + Σh·m) is shared by the base rate and the lessons in
/// proportion to what is not known of each:
///
/// S = s + Σh²v + p(1−p), b ← b + (s/S)·r, s ← s − s²/S + 2·10⁻⁵, m ← m + (vh/S)·r, v ← v − (vh)²/S
///
/// with p the expected chance, brought within 0.05 to 0.95. An outcome from before a belief's last change draws nothing
/// back. Costs a pass over the lessons.
///
/// ```
/// use lesson_core::learning::{Base, Belief, learn};
/// let (mut base, mut lesson) = (Base::first(0.5), Belief::default());
/// learn(&mut base, &mut [(0.95, &mut lesson)], true, 0);
/// assert!(lesson.mean > 0.03 && base.rate > 0.5);
/// ```
pub fn learn(base: &mut Base, applied: &mut [(f64, &mut Belief)], success: bool, at: Millis) {
    *base = base.bounded();
    for (h, belief) in applied.iter_mut() {
        *h = weight(*h);
        if *h > 0.0 {
            **belief = belief.changed_at(at);
        }
    }
    let of = Surprise::of(*base, applied.iter().map(|(h, held)| (*h, **held)), success);
    *base = of.moved_base(*base);
    for (h, belief) in applied.iter_mut().filter(|(h, _)| *h > 0.0) {
        **belief = of.moved(**belief, *h, at);
    }
}

/// Learns from a rating at `at`: a run with h = 0.3 that went well or not, of which the base rate learns nothing.
pub fn rated(base: Base, belief: &mut Belief, helpful: bool, at: Millis) {
    learn_alone(base, RATING_WEIGHT, belief, helpful, at);
}

/// Learns of one lesson alone, such as one that is seen to be applied after its run's outcome: the base rate learns nothing.
pub fn learn_alone(base: Base, h: f64, belief: &mut Belief, success: bool, at: Millis) {
    let h = weight(h);
    if h > 0.0 {
        *belief = Surprise::of(base, [(h, belief.at(at))], success).moved(*belief, h, at);
    }
}

/// The distance of an outcome from what was expected, and the variance of that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surprise {
    r: f64,
    variance: f64,
}

impl Surprise {
    /// Of a run's outcome, with the weights and beliefs of what was applied as they are at its time.
    pub(crate) fn of(
        base: Base,
        applied: impl IntoIterator<Item = (f64, Belief)>,
        success: bool,
    ) -> Self {
        let base = base.bounded();
        let (mut expected, mut variance) = (base.rate, base.variance);
        for (h, belief) in applied {
            let h = weight(h);
            if h > 0.0 {
                expected += h * belief.mean;
                variance += h * h * belief.variance;
            }
        }
        let p = expected.clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
        Self {
            r: f64::from(u8::from(success)) - expected,
            variance: variance + p * (1.0 - p),
        }
    }

    /// The base rate after it.
    pub(crate) fn moved_base(self, base: Base) -> Base {
        let base = base.bounded();
        let s = base.variance;
        Base {
            rate: base.rate + s / self.variance * self.r,
            variance: s - s * s / self.variance + BASE_DRIFT,
        }
        .bounded()
    }

    /// The belief in a lesson of weight h after it, at the time of the run's outcome.
    pub(crate) fn moved(self, belief: Belief, h: f64, at: Millis) -> Belief {
        let h = weight(h);
        if h <= 0.0 {
            return belief;
        }
        let held = belief.changed_at(at);
        let vh = held.variance * h;
        Belief {
            mean: held.mean + vh / self.variance * self.r,
            variance: held.variance - vh * vh / self.variance,
            at: held.at,
        }
        .bounded()
    }
}

/// h within 0 to 1; 0 where it is next to nothing, or no number.
pub(crate) fn weight(h: f64) -> f64 {
    if h > LEAST_WEIGHT { h.min(1.0) } else { 0.0 }
}

fn snapped(value: f64) -> f64 {
    if value.abs() < LEAST_MEAN { 0.0 } else { value }
}

/// w = 2^(−Δ/180 days), by the bits of Δ > 0 in milliseconds; 0 from 2⁴⁰ on, which is 35 years.
fn left(elapsed: Millis) -> f64 {
    if elapsed >> LEFT.len() != 0 {
        return 0.0;
    }
    let bits = LEFT.iter().enumerate();
    bits.filter(|(bit, _)| elapsed >> bit & 1 == 1)
        .fold(1.0, |w, (_, of_bit)| w * of_bit)
}
