//! `/v1/policies/shadow`: a second set of ranking constants, compared with the space's own on live traffic.

use crate::handlers::lift_view::arm_of;
use crate::handlers::override_policy::rank_policy;
use crate::handlers::recommend_request::of_rank;
use crate::handlers::salt;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::learning::{ComparisonEffect, Preference, Split};
use lesson_core::{
    EventKind, RANK_SETTING, RankPolicy, SALT_SETTING, SHADOW_ENDED_SETTING, SHADOW_ID_SETTING,
    SHADOW_MODE_SETTING, SHADOW_RANK_SETTING, ShadowMode, ShadowVerdict, Space, check_policy,
    to_rfc3339,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ErrorCode, NewShadow, ShadowComparison, ShadowFigures, ShadowOutcomes,
    ShadowPreference, ShadowReport,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Earlier comparisons in the answer.
const EARLIER: usize = 20;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn begin_shadow(
        &self,
        context: &RequestContext,
        asked: NewShadow,
    ) -> Result<Answer<ShadowReport>, ApiError> {
        let (salt, id) = (salt::fresh(&self.host), salt::fresh(&self.host));
        self.commit(context, |state, _| {
            let own = &state.in_force(&self.policy).rank;
            let named = named(&asked.rank, own)?;
            let mut changes: BTreeMap<String, Value> = BTreeMap::new();
            let is_last = last(&state.space)
                .is_some_and(|(mode, held)| (mode, &held) == (asked.mode, &named));
            if is_last {
                changes.insert(SHADOW_ENDED_SETTING.to_owned(), Value::Null);
            } else {
                changes.extend(restarted(&state.space, &id));
                changes.insert(SHADOW_MODE_SETTING.to_owned(), asked.mode.as_str().into());
                for (name, _) in constants(&state.space) {
                    changes.insert(format!("{SHADOW_RANK_SETTING}{name}"), Value::Null);
                }
                for (name, value) in named {
                    changes.insert(format!("{SHADOW_RANK_SETTING}{name}"), value);
                }
            }
            if state.space.setting(SALT_SETTING).is_none() {
                changes.insert(SALT_SETTING.to_owned(), Value::from(salt.clone()));
            }
            Ok((changed(&state.space, changes), ()))
        })
        .await?;
        self.told_shadow()
    }

    pub(crate) fn shadow_report(
        &self,
        _: &RequestContext,
        body: &Value,
    ) -> Result<Answer<ShadowReport>, ApiError> {
        validate::no_body(body)?;
        self.told_shadow()
    }

    pub(crate) async fn end_shadow(
        &self,
        context: &RequestContext,
        body: &Value,
    ) -> Result<Answer<ShadowReport>, ApiError> {
        validate::no_body(body)?;
        self.commit(context, |state, _| {
            if last(&state.space).is_none() {
                return Err(ApiError::new(
                    ErrorCode::Conflict,
                    "no comparison runs; begin one with POST /v1/policies/shadow",
                ));
            }
            let changes = BTreeMap::from([(SHADOW_ENDED_SETTING.to_owned(), Value::Bool(true))]);
            Ok((changed(&state.space, changes), ()))
        })
        .await?;
        self.told_shadow()
    }

    fn told_shadow(&self) -> Result<Answer<ShadowReport>, ApiError> {
        let state = self.state.borrow();
        let id = state
            .space
            .setting(SHADOW_ID_SETTING)
            .and_then(Value::as_str);
        let report = |effects: &[ComparisonEffect]| {
            let held = effects.iter().find(|one| Some(&*one.id) == id);
            let earlier = effects.iter().filter(|one| Some(&*one.id) != id);
            ShadowReport {
                comparison: last(&state.space)
                    .zip(id)
                    .map(|((mode, rank), id)| ShadowComparison {
                        running: is_running(&state),
                        mode,
                        rank: Value::Object(rank),
                        figures: held.map_or_else(|| none(id), figures),
                    }),
                earlier: earlier.take(EARLIER).map(figures).collect(),
            }
        };
        // Where nothing was ever drawn there is nothing to read of it.
        let report = match state.space.setting(SALT_SETTING) {
            None => report(&[]),
            Some(_) => state.with_effects(|effects| report(&effects.comparisons)),
        };
        Answer::json(&report)
    }
}

/// The changes that begin a comparison anew, as its policies are others now; none where none runs.
pub(crate) fn restarts(state: &State, id: &str) -> BTreeMap<String, Value> {
    if is_running(state) {
        restarted(&state.space, id)
    } else {
        BTreeMap::new()
    }
}

fn restarted(space: &Space, id: &str) -> BTreeMap<String, Value> {
    let mut changes = BTreeMap::from([(SHADOW_ID_SETTING.to_owned(), Value::from(id))]);
    if space.setting(SHADOW_ENDED_SETTING).is_some() {
        changes.insert(SHADOW_ENDED_SETTING.to_owned(), Value::Null);
    }
    changes
}

fn is_running(state: &State) -> bool {
    last(&state.space).is_some()
        && state.space.setting(SHADOW_ENDED_SETTING) != Some(&Value::Bool(true))
}

/// The comparison that runs or was the last: its mode, and the constants that were named.
fn last(space: &Space) -> Option<(ShadowMode, Map<String, Value>)> {
    space.setting(SHADOW_ID_SETTING)?;
    let mode = space.setting(SHADOW_MODE_SETTING).and_then(Value::as_str);
    let mode = ShadowMode::parse(mode?)?;
    Some((mode, constants(space).collect()))
}

fn constants(space: &Space) -> impl Iterator<Item = (String, Value)> {
    space.settings().filter_map(|(name, value)| {
        let name = name.strip_prefix(SHADOW_RANK_SETTING)?;
        Some((name.to_owned(), value.clone()))
    })
}

/// An event with what is not so already, if anything is not.
fn changed(space: &Space, mut changes: BTreeMap<String, Value>) -> Plan {
    changes.retain(|name, value| space.setting(name).unwrap_or(&Value::Null) != value);
    if changes.is_empty() {
        Plan::default()
    } else {
        Plan::one(EventKind::PolicyChanged { changes })
    }
}

/// The constants of the second policy, checked: known, in bounds beside the space's own, and not the same as those.
fn named(asked: &Value, own: &RankPolicy) -> Result<Map<String, Value>, ApiError> {
    let Value::Object(named) = asked else {
        return Err(ApiError::invalid(
            "rank",
            "rank has to be an object with names that GET /v1/policy shows under rank",
        ));
    };
    if named.contains_key("phases") {
        return Err(ApiError::invalid(
            "rank.phases",
            "the phases are the same for everyone; leave rank.phases out",
        ));
    }
    let second = rank_policy(own, asked).map_err(of_constant)?;
    check_policy(&second).map_err(|error| of_constant(of_rank(error, &second)))?;
    if second == *own {
        return Err(ApiError::invalid(
            "rank",
            "both policies are the same; name a constant under rank with another value, such as {\"standing\": \"evidence\"}",
        ));
    }
    Ok(named.clone())
}

/// A refusal of a ranking constant, by its name in the request.
fn of_constant(error: ApiError) -> ApiError {
    let field = error.field.clone().unwrap_or_default();
    let field = match field.strip_prefix("policy.") {
        Some(name) => format!("{RANK_SETTING}{name}"),
        None => "rank".to_owned(),
    };
    error.at(field)
}

fn none(id: &str) -> ShadowFigures {
    ShadowFigures {
        id: id.to_owned(),
        from: None,
        to: None,
        preference: None,
        outcomes: None,
    }
}

fn figures(held: &ComparisonEffect) -> ShadowFigures {
    let Split {
        running,
        first_open,
        second_open,
    } = &held.split;
    let is_split = running.terms.t > 0 || first_open + second_open > 0;
    ShadowFigures {
        id: held.id.to_string(),
        from: Some(to_rfc3339(held.between.0)),
        to: Some(to_rfc3339(held.between.1)),
        preference: (held.preference.decisions > 0).then(|| preference(&held.preference)),
        outcomes: is_split.then(|| outcomes(&held.split)),
    }
}

fn preference(held: &Preference) -> ShadowPreference {
    let (interval, verdict) = (held.interval(), held.verdict());
    ShadowPreference {
        decisions: held.decisions,
        first: held.first,
        second: held.second,
        ties: held.ties,
        estimate: held.estimate(),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        guard: held.guard(),
        verdict,
        more_runs: (verdict == ShadowVerdict::Unknown).then(|| held.more()),
    }
}

fn outcomes(held: &Split) -> ShadowOutcomes {
    let running = &held.running;
    let (interval, guard, verdict) = (running.interval(), held.guard(), held.verdict());
    ShadowOutcomes {
        first: arm_of(running.withheld, held.first_open),
        second: arm_of(running.shown, held.second_open),
        estimate: running.estimate(),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        guard,
        verdict,
        more_runs: (verdict == ShadowVerdict::Unknown)
            .then(|| held.more())
            .flatten(),
    }
}
