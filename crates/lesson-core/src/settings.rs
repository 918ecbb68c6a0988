//! The constants in force in a space: those of the engine, changed by the space's settings.

use crate::policy::{MeasurePolicy, Policy, RankPolicy};
use crate::rank::check_policy;
use crate::space::Space;
use serde_json::Value;

/// Prefix of the names of ranking's settings.
pub const RANK_SETTING: &str = "rank.";
/// Prefix of the names of measuring's settings.
pub const MEASURE_SETTING: &str = "measure.";
/// The setting that keys the draws: hexadecimal digits, made when measuring is first turned on and kept from then on, so
/// that every device draws alike.
pub const SALT_SETTING: &str = "measure.salt";
/// The greatest probability of a draw: above one half a lesson would be missing more often than not.
pub const MOST_WITHHELD: f64 = 0.5;
/// The most lessons that are never withheld: as many entries as a setting has.
pub const MOST_ALWAYS: usize = 100;

/// `base` with the settings of `space`. A value that is out of bounds, as in a ledger from elsewhere, changes nothing.
///
/// ```
/// use lesson_core::{Policy, Space, in_force};
/// assert_eq!(in_force(&Policy::default(), &Space::new()), Policy::default());
/// ```
pub fn in_force(base: &Policy, space: &Space) -> Policy {
    Policy {
        measure: measuring(&base.measure, space),
        rank: ranking(&base.rank, space),
        ..base.clone()
    }
}

fn ranking(base: &RankPolicy, space: &Space) -> RankPolicy {
    let changes: Vec<(&str, &Value)> = space
        .settings()
        .filter_map(|(name, value)| Some((name.strip_prefix(RANK_SETTING)?, value)))
        .collect();
    if changes.is_empty() {
        return base.clone();
    }
    // All at once, as some are bounded by each other; else one by one, without those that don't fit.
    merged(base, &changes).unwrap_or_else(|| {
        changes.iter().fold(base.clone(), |held, change| {
            merged(&held, std::slice::from_ref(change)).unwrap_or(held)
        })
    })
}

fn merged(base: &RankPolicy, changes: &[(&str, &Value)]) -> Option<RankPolicy> {
    let mut value = serde_json::to_value(base).ok()?;
    for (name, new) in changes {
        *value.get_mut(name)? = (*new).clone();
    }
    let policy: RankPolicy = serde_json::from_value(value).ok()?;
    check_policy(&policy).ok()?;
    Some(policy)
}

fn measuring(base: &MeasurePolicy, space: &Space) -> MeasurePolicy {
    let of = |name: &str| space.setting(&format!("{MEASURE_SETTING}{name}"));
    let probability = |name: &str, base: f64| {
        let set = of(name).and_then(Value::as_f64);
        set.filter(|p| (0.0..=MOST_WITHHELD).contains(p))
            .unwrap_or(base)
    };
    let always = of("always").and_then(Value::as_array).map(|list| {
        let words = list.iter().filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    });
    MeasurePolicy {
        control_runs: probability("control_runs", base.control_runs),
        withhold: probability("withhold", base.withhold),
        explore: probability("explore", base.explore),
        always: always.unwrap_or_else(|| base.always.clone()),
    }
}
