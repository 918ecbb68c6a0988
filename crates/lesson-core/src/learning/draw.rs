//! Drawing by a keyed hash: the same decision and lesson are drawn for alike on every device and at every repeat, and
//! nobody has to keep a random number.

use crate::event::{Drawn, Measured};
use crate::policy::MeasurePolicy;
use sha2::{Digest, Sha256};

/// The number of lessons after the last place that may be tried in it. 5.
pub const NEXT: usize = 5;

/// The inputs of one decision's draws.
#[derive(Debug, Clone, Copy)]
pub struct Measuring<'a> {
    /// The probabilities, 0 to 0.5, and the lessons that are never withheld.
    pub policy: &'a MeasurePolicy,
    /// The space's salt.
    pub salt: &'a str,
    /// The decision's id.
    pub decision: &'a str,
    /// The draws for the decision in an earlier retrieval: they hold, whatever the policy says by now.
    pub before: Option<&'a Measured>,
}

/// A lesson that a place could go to.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its slug.
    pub slug: &'a str,
    /// True if it fits in the token budget: one that does not is never drawn for.
    pub fits: bool,
}

/// The candidates that are shown, and the record of the draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selected {
    /// Places of the candidates that are shown, best first. Those that don't fit are shown, too, where this is no control
    /// run: their names are in the answer.
    pub shown: Vec<usize>,
    /// The record that the ledger keeps.
    pub measured: Measured,
}

/// True if a decision is a run of another policy beside the one in force, which is never measured: its id begins with
/// `policy`, after the key's own id where an agent made it (`by` is `agent:` and that id).
///
/// ```
/// use lesson_core::learning::is_policy_run;
/// assert!(is_policy_run("policy-b/17", "local") && is_policy_run("k1/policy-b", "agent:k1"));
/// assert!(!is_policy_run("deploy-policy", "local") && !is_policy_run("k1/policy-b", "local"));
/// ```
pub fn is_policy_run(decision: &str, by: &str) -> bool {
    let own = by
        .strip_prefix("agent:")
        .and_then(|key| decision.strip_prefix(key)?.strip_prefix('/'));
    own.unwrap_or(decision).starts_with("policy")
}

/// A number from 0 up to, not including, 1, evenly spread: the first 53 bits of SHA-256 over the parts, each after its
/// length.
///
/// ```
/// use lesson_core::learning::unit;
/// assert_eq!(unit(&["salt", "control", "d"]), unit(&["salt", "control", "d"]));
/// assert_ne!(unit(&["ab", "c"]), unit(&["a", "bc"]));
/// ```
pub fn unit(parts: &[&str]) -> f64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let first = digest
        .iter()
        .take(8)
        .fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    // 2⁻⁵³: every such number is a float, exactly.
    (first >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Draws for one decision.
///
/// `candidates` are ranked, best first: the first `places` would be shown, up to [`NEXT`] more may be tried in the last
/// place. `q` of a draw is the probability that its lesson is not shown in this run, whichever draw decides that.
pub fn measure(measuring: Measuring<'_>, candidates: &[Candidate<'_>], places: usize) -> Selected {
    let Measuring {
        policy,
        salt,
        decision,
        before,
    } = measuring;
    let is_always = |slug: &str| policy.always.iter().any(|one| one == slug);
    let control = match before {
        Some(before) => before.control,
        None => unit(&[salt, "control", decision]) < policy.control_runs,
    };
    let places = places.min(candidates.len());
    let control_q = before.map_or(policy.control_runs, |before| before.control_q);
    if control {
        return Selected {
            shown: (0..places)
                .filter(|at| is_always(candidates[*at].slug))
                .collect(),
            measured: Measured {
                control: true,
                control_q,
                drawn: before.map_or_else(Vec::new, |before| before.drawn.clone()),
            },
        };
    }
    // An earlier draw holds: a lesson that is new to the decision is shown, and nothing is learned of it.
    if let Some(before) = before {
        let is_withheld = |slug: &str| {
            let mut drawn = before.drawn.iter();
            drawn.any(|one| one.lesson == slug && one.withheld) && !is_always(slug)
        };
        let tried = before.drawn.iter().find_map(|one| {
            let next = candidates.iter().enumerate().skip(places);
            let mut next = next.filter(|(_, candidate)| candidate.slug == one.lesson);
            (!one.withheld).then(|| next.next()).flatten()
        });
        let mut order: Vec<usize> = (0..places).collect();
        if let (Some((at, _)), Some(last)) = (tried, order.last_mut()) {
            *last = at;
        }
        order.retain(|at| !is_withheld(candidates[*at].slug));
        return Selected {
            shown: order,
            measured: before.clone(),
        };
    }
    let mut selected = Selected::default();
    selected.measured.control_q = control_q;
    let mut order: Vec<(usize, f64)> = (0..places).map(|at| (at, 1.0)).collect();
    let mut passed_over: Vec<(usize, f64)> = Vec::new();
    let next: Vec<usize> = (places..candidates.len().min(places + NEXT))
        .filter(|at| candidates[*at].fits && !is_always(candidates[*at].slug))
        .collect();
    if let Some((last, share)) = order.last_mut()
        && policy.explore > 0.0
        && !next.is_empty()
        && candidates[*last].fits
        && !is_always(candidates[*last].slug)
    {
        let each = policy.explore / next.len() as f64;
        let drawn = unit(&[salt, "explore", decision]);
        let mut tried = None;
        for (nth, at) in next.iter().enumerate() {
            let from = each * nth as f64;
            if drawn >= from && drawn < from + each && drawn < policy.explore {
                tried = Some(*at);
            }
        }
        let stays = (*last, 1.0 - policy.explore);
        passed_over.extend(
            next.iter()
                .filter(|at| Some(**at) != tried)
                .map(|at| (*at, each)),
        );
        match tried {
            Some(at) => {
                passed_over.push(stays);
                (*last, *share) = (at, each);
            }
            None => *share = stays.1,
        }
    }
    for (at, share) in order {
        let slug = candidates[at].slug;
        let q = 1.0 - share * (1.0 - policy.withhold);
        if !candidates[at].fits || is_always(slug) || q <= 0.0 {
            selected.shown.push(at);
            continue;
        }
        let withheld = unit(&[salt, "withhold", decision, slug]) < policy.withhold;
        if !withheld {
            selected.shown.push(at);
        }
        selected.measured.drawn.push(Drawn {
            lesson: slug.to_owned(),
            q,
            withheld,
        });
    }
    for (at, share) in passed_over {
        selected.measured.drawn.push(Drawn {
            lesson: candidates[at].slug.to_owned(),
            q: 1.0 - share * (1.0 - policy.withhold),
            withheld: true,
        });
    }
    selected
}
