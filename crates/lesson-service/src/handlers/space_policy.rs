//! Settings of a space, and another trial for a lesson: what people decide for everybody.

use crate::handlers::lessons::known;
use crate::handlers::override_policy::rank_policy;
use crate::handlers::recommend_request::of_rank;
use crate::handlers::salt;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::http::validate;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use lesson_core::{
    APART_SETTING, EventKind, MOST_ALWAYS, MOST_WITHHELD, MeasurePolicy, Policy, Qualification,
    RANK_SETTING, SALT_SETTING, Space, ToolPolicy, check_policy, is_slug,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ErrorCode, LessonView, MeasurePolicyPatch, PolicyPatch, ReviewPolicyPatch,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The settings that are probabilities.
const PROBABILITIES: [&str; 3] = [
    "measure.control_runs",
    "measure.withhold",
    "measure.explore",
];
/// The setting of lessons that are never withheld.
const ALWAYS: &str = "measure.always";

/// Pairs of near duplicates in one request: with both lists it is as many settings as change at once.
const MOST_PAIRS: usize = 50;
/// Hexadecimal digits in the name of a pair.
const PAIR: usize = 16;

/// The setting of further core servers.
const CORE_SERVERS: &str = "tools.core_servers";

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn change_policy(
        &self,
        context: &RequestContext,
        patch: PolicyPatch,
    ) -> Result<Answer, ApiError> {
        let mut changes: BTreeMap<String, Value> = BTreeMap::new();
        if let Some(servers) = patch.tools.and_then(|tools| tools.core_servers) {
            validate::words("tools.core_servers", Some(&servers))?;
            let mut named: Vec<String> = Vec::new();
            for server in servers {
                let server = server.trim().to_owned();
                let is_named = named
                    .iter()
                    .any(|one| one.to_lowercase() == server.to_lowercase());
                // Those that are core anyway would come back when the list is emptied.
                if !is_named && !self.tools.is_core(&server) {
                    named.push(server);
                }
            }
            let value = if named.is_empty() {
                Value::Null
            } else {
                Value::from(named)
            };
            changes.insert(CORE_SERVERS.to_owned(), value);
        }
        if let Some(measure) = &patch.measure {
            measuring(measure, &self.policy.measure, &mut changes)?;
        }
        if let Some(rank) = &patch.rank {
            self.ranking(rank, &mut changes)?;
        }
        if let Some(review) = &patch.review {
            held_apart(review, &mut changes)?;
        }
        if changes.is_empty() {
            let field = if patch.rank.is_some() {
                "rank"
            } else {
                "tools"
            };
            return Err(ApiError::invalid(
                field,
                "nothing is changed; name a setting, such as tools.core_servers, measure.withhold or rank.standing",
            ));
        }
        let salt = patch.measure.as_ref().map(|_| salt::fresh(&self.host));
        self.commit(context, |state, _| {
            let mut changes = changes.clone();
            check_together(&self.policy, &state.space, &changes)?;
            if let Some(salt) = &salt
                && PROBABILITIES
                    .iter()
                    .any(|name| changes.get(*name).is_some_and(|set| !set.is_null()))
                && state.space.setting(SALT_SETTING).is_none()
            {
                changes.insert(SALT_SETTING.to_owned(), Value::from(salt.clone()));
            }
            let is_so = changes
                .iter()
                .all(|(name, value)| state.space.setting(name).unwrap_or(&Value::Null) == value);
            let plan = if is_so {
                Plan::default()
            } else {
                Plan::one(EventKind::PolicyChanged { changes })
            };
            Ok((plan, ()))
        })
        .await?;
        self.policy(context, &Value::Null)
    }

    /// Reads ranking constants, as far as each stands alone.
    fn ranking(
        &self,
        asked: &Value,
        changes: &mut BTreeMap<String, Value>,
    ) -> Result<(), ApiError> {
        let named = asked.as_object().map(|named| named.iter());
        let held = serde_json::to_value(&self.policy.rank).unwrap_or_default();
        for (name, value) in named.into_iter().flatten() {
            if name == "phases" {
                return Err(ApiError::invalid(
                    "rank.phases",
                    "the phases are the same for everyone; leave rank.phases out",
                ));
            }
            // A value that is the default's goes back to it, so that a later default is taken over.
            let is_default = value.is_null() || held.get(name) == Some(value);
            let value = if is_default { &Value::Null } else { value };
            changes.insert(format!("{RANK_SETTING}{name}"), value.clone());
            if !value.is_null() || held.get(name).is_none() {
                let one = serde_json::json!({ name: value });
                rank_policy(&self.policy.rank, &one).map_err(of_setting)?;
            }
        }
        if !asked.is_object() {
            return Err(ApiError::invalid(
                "rank",
                "rank has to be an object with names that GET /v1/policy shows under rank",
            ));
        }
        Ok(())
    }

    /// Returns the rules for suggesting tools in this space: the constants, with the host's and the space's own core
    /// servers. The fold goes by the constants alone, so that a ledger means the same everywhere.
    pub(crate) fn tool_policy(&self, space: &Space) -> ToolPolicy {
        let mut policy = self.tools.clone();
        let own = space.setting(CORE_SERVERS).and_then(Value::as_array);
        policy.core_servers.extend(
            own.into_iter()
                .flatten()
                .filter_map(|server| server.as_str().map(str::to_owned)),
        );
        policy
    }

    pub(crate) async fn grant_trial(
        &self,
        context: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<LessonView>, ApiError> {
        validate::no_body(body)?;
        self.commit(context, |state, _| {
            let held = known(state, slug)?;
            let qualification = self.reading(state).qualification(&held.standing);
            if qualification == Qualification::Qualified {
                return Err(ApiError::new(
                    ErrorCode::Conflict,
                    format!("outcomes don't keep `{slug}` out, so there is nothing to forgive"),
                ));
            }
            let lesson = slug.to_owned();
            Ok((Plan::one(EventKind::TrialGranted { lesson }), ()))
        })
        .await?;
        self.get_lesson(context, slug, &Value::Null)
    }
}

/// Reads what is withheld at random.
fn measuring(
    asked: &MeasurePolicyPatch,
    default: &MeasurePolicy,
    changes: &mut BTreeMap<String, Value>,
) -> Result<(), ApiError> {
    let given = [
        (asked.control_runs, default.control_runs),
        (asked.withhold, default.withhold),
        (asked.explore, default.explore),
    ];
    for (name, (value, default)) in PROBABILITIES.into_iter().zip(given) {
        let Some(value) = value else { continue };
        if !(0.0..=MOST_WITHHELD).contains(&value) {
            return Err(ApiError::invalid(
                name,
                format!(
                    "{name} is {value}; it is a probability between 0, off, and {MOST_WITHHELD}"
                ),
            ));
        }
        let value = if value == default {
            Value::Null
        } else {
            Value::from(value)
        };
        changes.insert(name.to_owned(), value);
    }
    if let Some(slugs) = &asked.always {
        if slugs.len() > MOST_ALWAYS {
            return Err(ApiError::invalid(
                ALWAYS,
                format!(
                    "{ALWAYS} has {} lessons; name at most {MOST_ALWAYS}",
                    slugs.len()
                ),
            ));
        }
        if let Some((at, slug)) = (0..).zip(slugs).find(|(_, slug)| !is_slug(slug)) {
            return Err(ApiError::invalid(
                format!("{ALWAYS}[{at}]"),
                format!("`{}` is no slug; name lessons by their slugs", clip(slug)),
            ));
        }
        let mut named: Vec<&String> = slugs.iter().collect();
        named.sort_unstable();
        named.dedup();
        let value = if named.is_empty() {
            Value::Null
        } else {
            named
                .into_iter()
                .map(|slug| Value::from(slug.as_str()))
                .collect()
        };
        changes.insert(ALWAYS.to_owned(), value);
    }
    Ok(())
}

/// Reads which near duplicates are held apart, and which no more.
fn held_apart(
    asked: &ReviewPolicyPatch,
    changes: &mut BTreeMap<String, Value>,
) -> Result<(), ApiError> {
    let lists = [
        ("review.apart", &asked.apart, Value::Bool(true)),
        ("review.again", &asked.again, Value::Null),
    ];
    for (field, pairs, value) in lists {
        let pairs = pairs.as_deref().unwrap_or_default();
        if pairs.len() > MOST_PAIRS {
            return Err(ApiError::invalid(
                field,
                format!(
                    "{field} has {} pairs; name at most {MOST_PAIRS}",
                    pairs.len()
                ),
            ));
        }
        for (at, pair) in pairs.iter().enumerate() {
            let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if pair.len() != PAIR || !pair.bytes().all(digit) {
                return Err(ApiError::invalid(
                    format!("{field}[{at}]"),
                    format!(
                        "`{}` names no pair; take the `pair` of a near duplicate from GET /v1/review",
                        clip(pair)
                    ),
                ));
            }
            changes.insert(format!("{APART_SETTING}{pair}"), value.clone());
        }
    }
    Ok(())
}

/// Checks that ranking constants are in bounds together with those that the space has.
fn check_together(
    base: &Policy,
    space: &Space,
    changes: &BTreeMap<String, Value>,
) -> Result<(), ApiError> {
    let mut wanted = serde_json::Map::new();
    for (name, value) in space.settings() {
        if let Some(name) = name.strip_prefix(RANK_SETTING) {
            wanted.insert(name.to_owned(), value.clone());
        }
    }
    let mut is_ranking = false;
    for (name, value) in changes {
        if let Some(name) = name.strip_prefix(RANK_SETTING) {
            is_ranking = true;
            if value.is_null() {
                wanted.remove(name);
            } else {
                wanted.insert(name.to_owned(), value.clone());
            }
        }
    }
    if !is_ranking {
        return Ok(());
    }
    let policy = rank_policy(&base.rank, &Value::Object(wanted)).map_err(of_setting)?;
    check_policy(&policy).map_err(|error| of_setting(of_rank(error, &policy)))
}

/// A refusal of a ranking constant, by the name that it has as a setting.
fn of_setting(error: ApiError) -> ApiError {
    let field = error.field.clone().unwrap_or_default();
    let field = match field.strip_prefix("policy.") {
        Some(name) => format!("{RANK_SETTING}{name}"),
        None => "rank".to_owned(),
    };
    error.at(field)
}
