//! Refusals, each with examples. Every example is read back by its type.

use serde_json::{Value, json};

/// A status with what it means and examples of its body.
pub struct Refusal {
    pub status: u16,
    pub name: &'static str,
    pub about: &'static str,
    pub errors: fn() -> Vec<(&'static str, Value)>,
}

/// Every refusal.
pub const REFUSALS: &[Refusal] = &[
    Refusal {
        status: 400,
        name: "InvalidRequest",
        about: "The request is malformed or a field is out of bounds; `field` names it. Correct it.",
        errors: || {
            vec![(
                "out_of_bounds",
                json!({ "code": "invalid_request", "message": "limit is 500; use 1 to 100", "field": "limit" }),
            )]
        },
    },
    Refusal {
        status: 401,
        name: "Unauthorized",
        about: "No agent key, or one that is not valid. Send one that is in force.",
        errors: || {
            vec![(
                "no_key",
                json!({ "code": "unauthorized", "message": "send an agent key: Authorization: Bearer llk_…; make one at the dashboard" }),
            )]
        },
    },
    Refusal {
        status: 403,
        name: "Forbidden",
        about: "Known, but not allowed: a request from a foreign web page, or about what was never given to this agent.",
        errors: || {
            vec![(
                "not_for_agents",
                json!({ "code": "forbidden", "message": "this request is for people at the dashboard, not for agents" }),
            )]
        },
    },
    Refusal {
        status: 404,
        name: "NotFound",
        about: "Nothing by that name in this space.",
        errors: || {
            vec![(
                "no_lesson",
                json!({ "code": "not_found", "message": "there is no lesson `pattern-unbounded-queues`", "field": "lesson" }),
            )]
        },
    },
    Refusal {
        status: 409,
        name: "Conflict",
        about: "It contradicts what is stored, several lessons fit a name, or an Idempotency-Key was used for another request.",
        errors: || {
            vec![
                (
                    "ambiguous",
                    json!({
                        "code": "ambiguous",
                        "message": "`retest` fits 2 lessons; name one by its slug",
                        "field": "lesson",
                        "candidates": ["strategy-wait-for-retest", "warning-retest-fails"],
                    }),
                ),
                (
                    "key_used",
                    json!({ "code": "conflict", "message": "this idempotency-key was used for another request; use a new key for each", "field": "idempotency-key" }),
                ),
            ]
        },
    },
    Refusal {
        status: 413,
        name: "TooLarge",
        about: "Over a size limit. Send less.",
        errors: || {
            vec![(
                "body",
                json!({ "code": "too_large", "message": "the body is larger than 1 MB; send less at a time", "field": "body" }),
            )]
        },
    },
    Refusal {
        status: 429,
        name: "RateLimited",
        about: "Too many requests with this key. Wait as long as Retry-After says.",
        errors: || {
            vec![(
                "too_often",
                json!({ "code": "rate_limited", "message": "too many requests with this key; wait 2 seconds" }),
            )]
        },
    },
    Refusal {
        status: 503,
        name: "Unavailable",
        about: "The store can't be reached; nothing is half-done. Send the same request again, with the same Idempotency-Key, after Retry-After.",
        errors: || {
            vec![(
                "store",
                json!({ "code": "unavailable", "message": "the store can't be reached; send the same request again in 5 seconds" }),
            )]
        },
    },
];
