//! A space as JSON, the same for what the core folded and for what was read from a server.

use lesson_core::Space;
use serde_json::{Value, json};

/// Lessons in the order of their slugs, records in that of their decisions, and the rest in the ledger's.
pub fn of(space: &Space) -> Value {
    let mut recommendations = Vec::new();
    let mut decisions = Vec::new();
    for (id, decision) in space.decisions() {
        let mut row = json!(decision);
        if let Some(fields) = row.as_object_mut() {
            // Rows of their own.
            fields.remove("records");
        }
        row["decision_id"] = json!(id);
        decisions.push(row);
        for (record, position) in decision.records.iter().zip(1..) {
            let mut record = json!(record);
            record["decision_id"] = json!(id);
            record["position"] = json!(position);
            recommendations.push(record);
        }
    }
    json!({
        "lessons": space.lessons().collect::<Vec<_>>(),
        "recommendations": recommendations,
        "decisions": decisions,
        "settings": space.settings().collect::<std::collections::BTreeMap<_, _>>(),
        "agents": space.agents(),
        "bases": space.bases().collect::<std::collections::BTreeMap<_, _>>(),
        "withdrawn": space.withdrawn().collect::<std::collections::BTreeMap<_, _>>(),
        "tools": space.tools().records(),
        "activity": space.activity().collect::<Vec<_>>(),
        "feedback_at": space.feedback_times(),
    })
}
