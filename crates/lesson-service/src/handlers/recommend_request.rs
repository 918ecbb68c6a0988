//! The question of a request for recommendations: checked, and as the ranking takes it.

use crate::handlers::override_policy::rank_policy;
use crate::handlers::shorten::Budget;
use crate::handlers::trace_part;
use crate::http::validate::{self, filled, optional};
use lesson_core::{Explain, Policy, RankError, RankPolicy, Situation, TracePart};
use lesson_types::{ApiError, Recommend, limits};
use std::borrow::Cow;

/// A request for recommendations, checked.
pub(crate) struct Checked<'a> {
    /// The constants of ranking that are in force, with those of the request.
    pub policy: Cow<'a, RankPolicy>,
    /// The part of the trace.
    pub part: Option<TracePart>,
    /// The room of the prompt text.
    pub budget: Budget,
}

/// Checks what is asked. `in_force` are the space's constants.
pub(crate) fn checked<'a>(
    asked: &Recommend,
    in_force: &'a Policy,
) -> Result<Checked<'a>, ApiError> {
    check(asked)?;
    Ok(Checked {
        policy: match &asked.policy {
            Some(changes) => Cow::Owned(rank_policy(&in_force.rank, changes)?),
            None => Cow::Borrowed(&in_force.rank),
        },
        part: asked
            .trace_part
            .as_ref()
            .map(trace_part::part)
            .transpose()?,
        budget: Budget {
            tokens: prompt_tokens(asked.max_tokens)?,
            is_shared: asked.shorten_each.unwrap_or(false),
        },
    })
}

/// Picks the lessons whose traces a request wants.
pub(crate) fn explained<'a>(asked: &Recommend, part: Option<&'a TracePart>) -> Explain<'a> {
    match (asked.explain, part) {
        (Some(true), Some(part)) => Explain::Part(part),
        (Some(true), None) => Explain::All,
        _ => Explain::Nothing,
    }
}

/// The most tokens that the prompt text may take.
fn prompt_tokens(asked: Option<u32>) -> Result<usize, ApiError> {
    let (least, most) = (limits::PROMPT_TOKENS_MIN, limits::PROMPT_TOKENS_MAX);
    let tokens = asked.map_or(limits::PROMPT_TOKENS, |tokens| tokens as usize);
    if (least..=most).contains(&tokens) {
        return Ok(tokens);
    }
    Err(ApiError::invalid(
        "max_tokens",
        format!("max_tokens is {tokens}; use {least} to {most}"),
    ))
}

pub(crate) fn check(asked: &Recommend) -> Result<(), ApiError> {
    optional("query", asked.query.as_ref(), limits::QUERY)?;
    optional("project_type", asked.project_type.as_ref(), limits::WORD)?;
    optional("phase", asked.phase.as_ref(), limits::WORD)?;
    optional("domain", asked.domain.as_ref(), limits::WORD)?;
    validate::words("tech_stack", asked.tech_stack.as_ref())?;
    if let Some(id) = &asked.decision_id {
        filled("decision_id", id, limits::ID)?;
    }
    validate::limit(asked.limit, 1, limits::LIMIT)?;
    Ok(())
}

pub(crate) fn situation(asked: &Recommend) -> Situation {
    Situation {
        query: asked.query.clone(),
        project_type: asked.project_type.clone(),
        tech_stack: asked.tech_stack.clone().unwrap_or_default(),
        phase: asked.phase.clone(),
        domain: asked.domain.clone(),
        market: asked.market.clone(),
        limit: asked.limit.map(|limit| limit as usize),
        for_decision: asked.decision_id.is_some(),
    }
}

/// A refusal of the ranking. One of a constant begins with its name.
pub(crate) fn of_rank(error: RankError, policy: &RankPolicy) -> ApiError {
    let name = error.message.split(' ').next().unwrap_or_default();
    let constant = serde_json::to_value(policy).is_ok_and(|held| held.get(name).is_some());
    let field = if error.field == "policy" && constant {
        format!("policy.{name}")
    } else {
        error.field.to_owned()
    };
    ApiError::invalid(field, error.message)
}
