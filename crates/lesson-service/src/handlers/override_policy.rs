//! Ranking constants for one request, and the fingerprint of those in force.

use crate::http::fault::clip;
use crate::http::validate;
use lesson_core::RankPolicy;
use lesson_types::ApiError;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// `held` with the constants that `changes` names. Whether they are in bounds is for the ranking
/// to say.
pub(crate) fn rank_policy(held: &RankPolicy, changes: &Value) -> Result<RankPolicy, ApiError> {
    let Value::Object(changes) = changes else {
        return Err(ApiError::invalid(
            "policy",
            "policy has to be an object with names that GET /v1/policy shows under rank",
        ));
    };
    let mut merged = serde_json::to_value(held).unwrap_or_default();
    for (name, value) in changes {
        let Some(constant) = merged.get_mut(name) else {
            return Err(ApiError::invalid(
                format!("policy.{}", clip(name)),
                format!(
                    "there is no ranking constant `{}`; GET /v1/policy shows their names under rank",
                    clip(name)
                ),
            ));
        };
        *constant = value.clone();
    }
    validate::read(merged).map_err(|error| {
        let field = error.field.clone().unwrap_or_default();
        error.at(format!("policy.{field}"))
    })
}

/// The first 12 hex digits of the SHA-256 of a policy's JSON.
pub(crate) fn fingerprint(policy: &RankPolicy) -> String {
    // A policy holds numbers, strings and lists, which always become JSON.
    let json = serde_json::to_vec(policy).unwrap_or_default();
    Sha256::digest(json)
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
