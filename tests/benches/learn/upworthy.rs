//! Real data: the exploratory set of the Upworthy Research Archive (Matias, Munger, Le Quere and Ebersole 2021), which
//! people who have it hand in; it is not shipped. A test is a situation and a domain, its headlines are lessons, views are
//! outcomes.

use crate::archive::{Headline, read};
use crate::dice::Dice;
use lesson_core::learning::{Base, Belief, learn};
use std::collections::BTreeMap;
use std::path::Path;

/// Views of each headline that arms see.
const VIEWS: [u32; 2] = [200, 1_000];
/// Draws of the thinning, over which gains are averaged.
const DRAWS: u64 = 5;

/// (views, clicks) of a test that arms see, and those that are held out.
type TestCounts = ((u32, u32), (f64, f64));

/// The gain of each arm over a test's mean at a number of views, in clicks per view.
#[derive(Debug, Clone)]
pub struct Gain {
    /// Views of each headline.
    pub views: u32,
    /// (arm, gain).
    pub arms: Vec<(&'static str, f64)>,
}

/// Measures a file of the archive; see [`read`].
///
/// # Errors
/// When it can't be read; names the line.
pub fn measure(file: &Path) -> Result<Vec<Gain>, String> {
    let headlines = read(file)?;
    VIEWS
        .into_iter()
        .map(|views| {
            let fitting = fitting(&headlines, views);
            if fitting.len() < 20 {
                return Err(format!(
                    "{}: {} headlines have {} views or more beside another of their test that has; 20 are needed",
                    file.display(),
                    fitting.len(),
                    2 * views
                ));
            }
            Ok(gain(&fitting, views))
        })
        .collect()
}

/// The headlines that are measured at a number of views: those with twice as many or more, so that the truth is measured on
/// no fewer views than arms see, in tests that have two of them, as one alone is compared with nothing.
pub fn fitting(headlines: &[Headline], views: u32) -> Vec<Headline> {
    let fits = |one: &&Headline| one.views / 2 >= views;
    let mut of_test: BTreeMap<usize, u32> = BTreeMap::new();
    for one in headlines.iter().filter(fits) {
        *of_test.entry(one.test).or_default() += 1;
    }
    let fitting = headlines.iter().filter(fits);
    fitting
        .filter(|one| of_test[&one.test] > 1)
        .copied()
        .collect()
}

/// The gains at a number of views, over some draws; of headlines as [`fitting`] has them.
pub fn gain(headlines: &[Headline], views: u32) -> Gain {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for seed in 0..DRAWS {
        let mut dice = Dice::new(seed.wrapping_mul(977) + u64::from(views));
        let seen: Vec<u32> = headlines
            .iter()
            .map(|one| thin(&mut dice, one, views))
            .collect();
        for (at, (name, gain)) in one_draw(headlines, &seen, views).into_iter().enumerate() {
            match sums.get_mut(at) {
                Some(sum) => sum.1 += gain / DRAWS as f64,
                None => sums.push((name, gain / DRAWS as f64)),
            }
        }
    }
    Gain { views, arms: sums }
}

fn one_draw(headlines: &[Headline], seen: &[u32], views: u32) -> Vec<(&'static str, f64)> {
    let mut tests: BTreeMap<usize, TestCounts> = BTreeMap::new();
    let held_out =
        |one: &Headline, seen: u32| (f64::from(one.views - views), f64::from(one.clicks - seen));
    for (one, seen) in headlines.iter().zip(seen) {
        let test = tests.entry(one.test).or_default();
        test.0 = (test.0.0 + views, test.0.1 + seen);
        let (n, clicks) = held_out(one, *seen);
        test.1 = (test.1.0 + n, test.1.1 + clicks);
    }
    let all = seen.iter().map(|seen| f64::from(*seen)).sum::<f64>()
        / (seen.len() as f64 * f64::from(views));
    let gains: Vec<f64> = headlines
        .iter()
        .zip(seen)
        .map(|(one, seen)| {
            let (n, clicks) = held_out(one, *seen);
            let (whole, well) = tests[&one.test].1;
            clicks / n - well / whole
        })
        .collect();
    let raw = |at: usize| f64::from(seen[at]) / f64::from(views);
    let of_test = |at: usize| {
        let (views, clicks) = tests[&headlines[at].test].0;
        f64::from(clicks) / f64::from(views)
    };
    let scores: [(&'static str, Vec<f64>); 4] = [
        ("raw rate", (0..seen.len()).map(raw).collect()),
        (
            "rate minus the test's mean",
            (0..seen.len()).map(|at| raw(at) - of_test(at)).collect(),
        ),
        ("lift", lifts(headlines, seen, views, all)),
        ("oracle", gains.clone()),
    ];
    scores
        .into_iter()
        .map(|(name, scores)| {
            let mut order: Vec<usize> = (0..scores.len()).collect();
            order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
            order.truncate(scores.len() / 10);
            let gained: f64 = order.iter().map(|at| gains[*at]).sum();
            (name, gained / order.len().max(1) as f64)
        })
        .collect()
}

/// Returns lift's belief about each headline, over the mean of its test's: the views of a test, turn by turn, are runs in
/// which one lesson is applied. No view shows the test without a headline, so how its level is shared between base rate and
/// headlines is open; ranking is among the lessons of a situation, where that has no say.
fn lifts(headlines: &[Headline], seen: &[u32], views: u32, all: f64) -> Vec<f64> {
    let mut of_test: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, one) in headlines.iter().enumerate() {
        of_test.entry(one.test).or_default().push(at);
    }
    let mut beliefs = vec![Belief::default(); headlines.len()];
    for members in of_test.values() {
        let mut base = Base::first(all);
        for view in 0..u64::from(views) {
            for at in members {
                // Clicks lie evenly among the views: their order says nothing.
                let clicked =
                    |views_so_far: u64| views_so_far * u64::from(seen[*at]) / u64::from(views);
                let success = clicked(view + 1) > clicked(view);
                learn(&mut base, &mut [(1.0, &mut beliefs[*at])], success, 0);
            }
        }
    }
    let mut lifts = vec![0.0; headlines.len()];
    for members in of_test.values() {
        let sum: f64 = members.iter().map(|at| beliefs[*at].mean).sum();
        for at in members {
            lifts[*at] = beliefs[*at].mean - sum / members.len() as f64;
        }
    }
    lifts
}

/// Clicks among `views` views drawn without putting back: hypergeometric.
fn thin(dice: &mut Dice, one: &Headline, views: u32) -> u32 {
    let (mut left, mut clicks, mut seen) = (one.views, one.clicks, 0);
    for _ in 0..views {
        if dice.unit() * f64::from(left) < f64::from(clicks) {
            clicks -= 1;
            seen += 1;
        }
        left -= 1;
    }
    seen
}
