//! A decision in a comparison of two policies: which of them ranks its lessons, or drafts which.

use crate::handlers::measure::Asked;
use crate::state::snapshot::State;
use lesson_core::learning::Comparing;
use lesson_core::{
    Policy, PolicySide, RankPolicy, Ranking, SALT_SETTING, ShadowMode, ShadowPolicy, Shadowed,
    Space, Trace,
};
use lesson_types::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// A decision that two policies are compared in.
pub(crate) struct Versus<'a> {
    shadow: &'a ShadowPolicy,
    salt: String,
    decision: &'a str,
}

/// What came of it: the policy that decided alone, or who drafted which lesson.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Drafted {
    /// By one policy.
    By(PolicySide),
    /// By both.
    Teams(BTreeMap<String, PolicySide>),
}

impl<'a> Versus<'a> {
    /// How policies are compared in the decision of a request; `None` where they are not: without a decision, in a dry run,
    /// with constants of the request's own, while no comparison runs, in a control run, and for a decision that has begun
    /// otherwise.
    pub fn of(state: &State, policy: &'a Policy, asked: &Asked<'a>) -> Option<Self> {
        let shadow = policy.shadow.as_deref()?;
        let decision = asked
            .decision_id
            .filter(|_| !asked.is_dry_run && !asked.has_own_policy)?;
        let held = state
            .space
            .decision(decision)
            .filter(|held| held.at.is_some());
        let is_in = held.is_none_or(|held| {
            let before = held.measured.as_ref();
            let before = before.and_then(|measured| measured.shadow.as_deref());
            before.is_some_and(|before| before.comparison == shadow.id)
        });
        let salt = state.space.setting(SALT_SETTING).and_then(Value::as_str);
        is_in.then(|| Self {
            shadow,
            salt: salt.unwrap_or_default().to_owned(),
            decision,
        })
    }

    /// Ranks by the one policy or by both: `rank` does it by one.
    pub fn rank(
        &self,
        space: &Space,
        own: &RankPolicy,
        places: usize,
        rank: impl Fn(&RankPolicy) -> Result<Ranking, ApiError>,
    ) -> Result<(Ranking, Drafted), ApiError> {
        let comparing = Comparing {
            salt: &self.salt,
            comparison: &self.shadow.id,
            decision: self.decision,
        };
        match self.shadow.mode {
            ShadowMode::Split => {
                let side = comparing.decides();
                Ok((rank(self.policy(own, side))?, Drafted::By(side)))
            }
            ShadowMode::Interleave => {
                let (first, second) = (rank(own)?, rank(&self.shadow.rank)?);
                Ok(drafted(space, &comparing, first, second, places))
            }
        }
    }

    /// The constants that decided, for the ledger.
    pub fn policy<'b>(&'b self, own: &'b RankPolicy, side: PolicySide) -> &'b RankPolicy {
        match side {
            PolicySide::First => own,
            PolicySide::Second => &self.shadow.rank,
        }
    }

    /// What the ledger keeps: of the lessons that are shown.
    pub fn kept<'b>(
        &self,
        drafted: &Drafted,
        shown: impl Iterator<Item = &'b str> + Clone,
    ) -> Shadowed {
        let mut kept = Shadowed {
            comparison: self.shadow.id.clone(),
            ..Shadowed::default()
        };
        match drafted {
            Drafted::By(side) => kept.decided = Some(*side),
            Drafted::Teams(teams) => {
                let of = |side: PolicySide| {
                    let shown = shown.clone().filter(|slug| teams.get(*slug) == Some(&side));
                    shown.map(str::to_owned).collect()
                };
                kept.first = of(PolicySide::First);
                kept.second = of(PolicySide::Second);
            }
        }
        kept
    }
}

/// One ranking out of two. Numbers of what was left out are the first one's.
fn drafted(
    space: &Space,
    comparing: &Comparing<'_>,
    mut first: Ranking,
    mut second: Ranking,
    places: usize,
) -> (Ranking, Drafted) {
    // Two lessons of one title are shown as one, whichever policy picks which of them.
    let keys = |ranking: &Ranking| -> Vec<String> {
        let items = ranking.items.iter();
        items
            .map(|item| {
                let lesson = space.lesson(&item.slug);
                lesson.map_or_else(
                    || item.slug.clone(),
                    |lesson| lesson.text.title.to_lowercase(),
                )
            })
            .collect()
    };
    let (ours, theirs) = (keys(&first), keys(&second));
    let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    let picked = comparing.draft(&ours, &theirs, places);
    let mut teams = BTreeMap::new();
    let mut items = Vec::with_capacity(picked.len());
    for (side, at) in picked {
        let ranking = match side {
            PolicySide::First => &first,
            PolicySide::Second => &second,
        };
        let Some(item) = ranking.items.get(at) else {
            continue;
        };
        let mut item = item.clone();
        item.rank = u32::try_from(items.len() + 1).unwrap_or(u32::MAX);
        teams.insert(item.slug.clone(), side);
        items.push(item);
    }
    if let (Some(ours), Some(theirs)) = (&mut first.trace, second.trace.take()) {
        retrace(ours, theirs, &teams);
    }
    first.items = items;
    first.semantic |= second.semantic;
    (first, Drafted::Teams(teams))
}

/// Explains each lesson that the second policy drafted by its own numbers.
fn retrace(ours: &mut Vec<Trace>, theirs: Vec<Trace>, teams: &BTreeMap<String, PolicySide>) {
    let theirs = theirs
        .into_iter()
        .filter(|entry| teams.get(&entry.slug) == Some(&PolicySide::Second));
    for entry in theirs {
        match ours.iter_mut().find(|held| held.slug == entry.slug) {
            Some(held) => *held = entry,
            None => ours.push(entry),
        }
    }
}
