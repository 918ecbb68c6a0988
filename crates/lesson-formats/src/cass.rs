//! Playbooks of cass_memory_system (`.cass/playbook.yaml`): bullets with what became of them.
//!
//! Helpful and harmful counts are what another program counted; they are taken as the lesson's own, as those of an ACE playbook.

use super::fields::Fields;
use super::node::{Node, Value};
use super::record::{self, Place, sentence};
use super::sink::Sink;
use super::words;
use lesson_core::{Millis, slug_of};
use std::collections::BTreeMap;

/// Fields of a bullet that say what others say.
const SPOKEN: &[&str] = &["kind", "state", "maturity"];

/// True if a value is such a playbook.
pub(super) fn is_playbook(root: &Node) -> bool {
    let Some(Node {
        value: Value::List(bullets),
        ..
    }) = root.get("bullets")
    else {
        return false;
    };
    let is_own = |bullet: &Node| {
        bullet.get("content").is_some()
            && [
                "isNegative",
                "maturity",
                "helpfulCount",
                "feedbackEvents",
                "deprecated",
            ]
            .iter()
            .any(|name| bullet.get(name).is_some())
    };
    bullets.iter().any(is_own)
        || (bullets.is_empty()
            && (root.get("deprecatedPatterns").is_some() || root.get("schema_version").is_some()))
}

/// Reads all bullets.
pub(super) fn take(root: Node, now: Millis, sink: &mut Sink<'_>) {
    sink.format = "cass";
    listed(&root, sink);
    let Value::Map(entries) = root.value else {
        return;
    };
    let bullets = entries
        .into_iter()
        .find_map(|(name, node)| match node.value {
            Value::List(bullets) if name == "bullets" => Some(bullets),
            _ => None,
        });
    let bullets = bullets.unwrap_or_default();
    if bullets.is_empty() {
        return sink.warn(None, "empty", "the playbook holds no bullet");
    }
    // A bullet may name one that stands after it.
    let slugs: BTreeMap<String, String> = bullets
        .iter()
        .filter_map(|bullet| Some((text(bullet, "id")?.to_owned(), slug(bullet)?)))
        .collect();
    for bullet in bullets {
        if matches!(bullet.value, Value::Map(_)) {
            one(bullet, &slugs, now, sink);
        } else {
            let message = format!("a bullet is an object, but here is {}", bullet.kind());
            sink.reject(Some(bullet.line), "cass", message);
        }
    }
}

/// Patterns that were given up are no bullets: they are told.
fn listed(root: &Node, sink: &mut Sink<'_>) {
    let Some(Node {
        value: Value::List(patterns),
        line,
    }) = root.get("deprecatedPatterns")
    else {
        return;
    };
    let told: Vec<String> = patterns
        .iter()
        .filter_map(|pattern| {
            let said = text(pattern, "pattern")?;
            Some(match text(pattern, "replacement") {
                Some(instead) => format!("\"{said}\" (instead: {instead})"),
                None => format!("\"{said}\""),
            })
        })
        .collect();
    if !told.is_empty() {
        let message = format!(
            "deprecated patterns are no lessons and were left out: {}",
            told.join("; ")
        );
        sink.warn(Some(*line), "deprecated", message);
    }
}

fn text<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    match node.get(name) {
        Some(Node {
            value: Value::Text(text) | Value::Plain(text),
            ..
        }) => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

fn is_set(node: &Node, name: &str) -> bool {
    text(node, name).is_some_and(|word| word.eq_ignore_ascii_case("true"))
}

/// The slug of a bullet: its id, with `warning-` before it where it says what not to do.
fn slug(bullet: &Node) -> Option<String> {
    let slug = slug_of(text(bullet, "id")?);
    if slug.is_empty() {
        return None;
    }
    let is_negative = is_set(bullet, "isNegative") || text(bullet, "type") == Some("anti-pattern");
    Some(if is_negative && !slug.starts_with("warning-") {
        format!("warning-{slug}")
    } else {
        slug
    })
}

fn one(bullet: Node, slugs: &BTreeMap<String, String>, now: Millis, sink: &mut Sink<'_>) {
    let line = bullet.line;
    let named = slug(&bullet);
    let is_out = is_set(&bullet, "deprecated")
        || text(&bullet, "state") == Some("retired")
        || text(&bullet, "maturity") == Some("deprecated");
    let successor =
        text(&bullet, "replacedBy").map(|id| slugs.get(id).cloned().unwrap_or_else(|| slug_of(id)));
    let category = text(&bullet, "category").map(str::to_owned);
    let reason = text(&bullet, "deprecationReason").map(str::to_owned);
    let title = text(&bullet, "content").map(sentence);
    let content = text(&bullet, "content").map(str::to_owned);
    let why = text(&bullet, "reasoning").map(str::to_owned);
    let mut fields = Fields::of(bullet);
    fields.drop(SPOKEN);
    fields.drop(&[
        "id",
        "type",
        "is_negative",
        "deprecated",
        "replaced_by",
        "category",
        "deprecation_reason",
        "deprecated_at",
        "reasoning",
    ]);
    if let Some(title) = title {
        fields.set("title", Node::text(line, title));
    }
    if let Some(content) = content {
        fields.set("content", Node::text(line, content));
    }
    let reasons: Vec<String> = [why, reason.map(|reason| format!("Deprecated: {reason}"))]
        .into_iter()
        .flatten()
        .collect();
    if !reasons.is_empty() {
        fields.set("description", Node::text(line, reasons.join("\n\n")));
    }
    if let Some(category) = category {
        match words::category(&category) {
            Some(known) => fields.set("category", Node::text(line, known.as_str())),
            None => fields.push("tags", Node::text(line, category)),
        }
    }
    if is_out {
        fields.set(
            "archived",
            Node {
                line,
                value: Value::Plain("true".to_owned()),
            },
        );
        if let Some(into) = &successor {
            fields.set("merged_into", Node::text(line, into.clone()));
        }
    }
    let place = Place {
        slug: named.as_deref(),
        ..Place::at(line, "cass", now)
    };
    record::take(fields, &place, sink);
}
