//! What requests, answers and refusals look like. Each is read back by its type.

use serde_json::{Value, json};

/// What is sent.
pub fn request(id: &str) -> Value {
    match id {
        "recommend" => json!({
            "query": "open a perps long after a fast rally",
            "domain": "perps",
            "market": { "volatility": "high", "trend": "bullish", "has_open_positions": false },
            "decision_id": "trade-2041",
            "limit": 5,
        }),
        "search" => json!({ "query": "retry with a deadline", "limit": 10 }),
        "patterns" => json!({
            "feature": "queue that survives a restart",
            "project_type": "api",
            "tech_stack": ["rust", "postgres"],
        }),
        "track" => json!({
            "decision_id": "trade-2041",
            "reasoning": "Applying 'strategy-wait-for-retest': the entry waits for the retest of 64,200.",
        }),
        "outcome" => {
            json!({ "decision_id": "trade-2041", "outcome": "success", "pnl_percent": 2.4 })
        }
        "feedback" => json!({
            "lessons": ["strategy-wait-for-retest", "warning-funding-flips"],
            "outcome": "delivered",
            "causal": ["strategy-wait-for-retest"],
        }),
        "rate" => json!({ "lesson": "strategy-wait-for-retest", "helpful": true }),
        "vote" => json!({ "lesson": "wait for the retest", "up": true }),
        "record_session" => json!({
            "transcript": "INJECTED: pattern-bounded-queues\nINSIGHT: Name the queue's bound in its metrics.\nDELIVERED: the queue drops the oldest entry and says so.",
        }),
        "record_tool_success" => {
            json!({ "query": "list the open pull requests", "server": "github" })
        }
        "suggest_tools" => json!({ "query": "which pull requests wait for a review", "limit": 3 }),
        "add_lesson" => json!({
            "title": "Wait for the retest before a breakout long",
            "context": "A perps entry after a fast rally.",
            "recommendation": "Enter on the retest of the broken level, with the stop below it.",
            "slug": "strategy-wait-for-retest",
            "category": "domain",
            "domain": "perps",
            "tags": ["entry"],
            "source": "desk-agent",
        }),
        "edit_lesson" => json!({ "base_rev": 1, "tags": ["entry", "breakout"] }),
        _ => panic!("no example of a request for {id}"),
    }
}

/// What comes back, for the answers that are short.
pub fn answer(id: &str) -> Option<Value> {
    Some(match id {
        "track" => json!({
            "detections": [{
                "slug": "strategy-wait-for-retest",
                "applied": true,
                "match_type": "explicit",
                "confidence": 0.95,
                "quote": "Applying 'strategy-wait-for-retest': the entry waits for the retest",
            }],
            "recorded": true,
        }),
        "outcome" => json!({
            "lessons_updated": 1,
            "effectiveness_recalculated": ["strategy-wait-for-retest"],
            "uncounted": [],
            "repeated": false,
        }),
        "feedback" => json!({ "updated": [{
            "slug": "strategy-wait-for-retest",
            "effectiveness": 0.65,
            "use_count": 1,
            "causal_hits": 1,
            "counted": true,
            "reason": null,
        }], "repeated": false }),
        "rate" | "vote" => json!({
            "slug": "strategy-wait-for-retest",
            "confidence": 0.55,
            "times_helpful": 1,
            "times_not_helpful": 0,
            "upvotes": 0,
            "downvotes": 0,
            "effectiveness_score": null,
            "repeated": false,
            "counted": true,
            "reason": null,
        }),
        "record_session" => json!({
            "outcome": "delivered",
            "injected": ["pattern-bounded-queues"],
            "unknown": [],
            "insights": [{
                "slug": "name-the-queues-bound-in-its-metrics",
                "text": "Name the queue's bound in its metrics.",
                "added": true,
            }],
            "causal": [],
        }),
        "record_tool_success" => json!({ "recorded": true }),
        "suggest_tools" => json!({
            "servers": [{
                "server": "github",
                "score": 0.71,
                "because": [{ "query": "list the open pull requests", "age_days": 3.0, "weight": 0.5, "score": 0.71 }],
            }],
            "records": 12,
            "decay": { "half_life_days": 3.0, "points": [{ "age_days": 0.0, "weight": 1.0 }, { "age_days": 3.0, "weight": 0.5 }] },
        }),
        _ => return None,
    })
}

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
        about: "No agent key, or one that does not hold. Send one that is in force.",
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
