//! The tools: which request of the interface each stands for. Their names, descriptions and
//! schemas, as clients see them, are in `tools.json`, which is made of the interface's types.

use lesson_types::{ApiError, Method, Request};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The argument of writing tools that makes a repeated call count once.
pub(super) const KEY: &str = "idempotency_key";

/// The argument that stands for `lesson` where ratings name a lesson by its title, as in other
/// playbooks.
const TITLE: &str = "title";

const DESCRIBED: &str = include_str!("tools.json");

/// Which tool, where results differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Search,
    Recommend,
    Patterns,
    Track,
    Outcome,
    Feedback,
    Rate,
    Vote,
    Add,
    Session,
    ToolSuccess,
    SuggestTools,
    Decision,
    Stats,
    Health,
}

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub name: &'static str,
    pub kind: Kind,
    method: Method,
    path: &'static str,
    writes: bool,
    /// The arguments that become fields of the body.
    pub arguments: &'static [&'static str],
}

const fn asks(
    name: &'static str,
    kind: Kind,
    path: &'static str,
    arguments: &'static [&'static str],
) -> Tool {
    Tool {
        name,
        kind,
        method: Method::Post,
        path,
        writes: false,
        arguments,
    }
}

const fn writes(
    name: &'static str,
    kind: Kind,
    path: &'static str,
    arguments: &'static [&'static str],
) -> Tool {
    Tool {
        writes: true,
        ..asks(name, kind, path, arguments)
    }
}

const fn gets(name: &'static str, kind: Kind, path: &'static str) -> Tool {
    Tool {
        method: Method::Get,
        ..asks(name, kind, path, &[])
    }
}

/// Every tool, in the order in which they are listed.
const TOOLS: &[Tool] = &[
    asks(
        "playbook_search_lessons",
        Kind::Search,
        "/v1/search",
        &["query", "limit"],
    ),
    writes(
        "playbook_recommend_lessons",
        Kind::Recommend,
        "/v1/recommend",
        &[
            "query",
            "project_type",
            "tech_stack",
            "phase",
            "domain",
            "market",
            "limit",
            "max_tokens",
            "decision_id",
        ],
    ),
    asks(
        "playbook_patterns_for_feature",
        Kind::Patterns,
        "/v1/patterns",
        &["feature", "project_type", "tech_stack", "limit"],
    ),
    writes(
        "playbook_track_usage",
        Kind::Track,
        "/v1/track",
        &["decision_id", "reasoning"],
    ),
    writes(
        "playbook_record_outcome",
        Kind::Outcome,
        "/v1/outcome",
        &["decision_id", "outcome", "pnl_percent"],
    ),
    writes(
        "playbook_feedback",
        Kind::Feedback,
        "/v1/feedback",
        &[
            "lessons",
            "outcome",
            "causal",
            "outcome_text",
            "decision_id",
        ],
    ),
    writes(
        "playbook_rate_lesson",
        Kind::Rate,
        "/v1/rate",
        &["lesson", TITLE, "helpful", "decision_id"],
    ),
    writes(
        "playbook_vote_lesson",
        Kind::Vote,
        "/v1/vote",
        &["lesson", TITLE, "up", "decision_id"],
    ),
    writes(
        "playbook_add_lesson",
        Kind::Add,
        "/v1/lessons",
        &[
            "title",
            "description",
            "context",
            "recommendation",
            "slug",
            "category",
            "domain",
            "project_types",
            "tech_stacks",
            "tags",
            "source",
        ],
    ),
    writes(
        "playbook_record_session",
        Kind::Session,
        "/v1/sessions",
        &["transcript"],
    ),
    writes(
        "playbook_record_tool_success",
        Kind::ToolSuccess,
        "/v1/tools/success",
        &["query", "server"],
    ),
    asks(
        "playbook_suggest_tools",
        Kind::SuggestTools,
        "/v1/tools/suggest",
        &["query", "limit"],
    ),
    Tool {
        method: Method::Get,
        ..asks(
            "playbook_get_decision",
            Kind::Decision,
            "/v1/decisions",
            &["decision_id"],
        )
    },
    gets("playbook_lesson_stats", Kind::Stats, "/v1/stats"),
    gets("playbook_health", Kind::Health, "/v1/health"),
];

/// The tools as clients see them.
pub(super) fn described() -> Value {
    // A test holds that it reads.
    serde_json::from_str(DESCRIBED).unwrap_or_default()
}

/// The tool with this name.
pub(super) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Every tool's name.
pub(super) fn names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

impl Tool {
    /// The request that a call with these arguments stands for. The interface judges their types
    /// and bounds.
    pub fn request(&self, mut arguments: Map<String, Value>) -> Result<Request, ApiError> {
        let mut headers = BTreeMap::new();
        if self.writes
            && let Some(key) = arguments.remove(KEY)
        {
            let Value::String(key) = key else {
                return Err(ApiError::invalid(
                    KEY,
                    format!("{KEY} has to be a string; make one up for each thing that you write"),
                ));
            };
            headers.insert("idempotency-key".to_owned(), key);
        }
        if let Some(name) = arguments
            .keys()
            .find(|name| !self.arguments.contains(&name.as_str()))
        {
            let name = lesson_service::clip(name);
            return Err(ApiError::invalid(
                &name,
                format!("{} has no argument `{name}`; {}", self.name, self.takes()),
            ));
        }
        if matches!(self.kind, Kind::Rate | Kind::Vote) {
            named_by_title(&mut arguments)?;
        }
        let path = match self.kind {
            Kind::Decision => {
                let id = arguments.get("decision_id").and_then(Value::as_str);
                let id = id.filter(|id| !id.trim().is_empty()).ok_or_else(|| {
                    ApiError::invalid(
                        "decision_id",
                        "decision_id has to be a string: the one that lessons were asked for with",
                    )
                })?;
                format!("{}/{}", self.path, encoded(id))
            }
            _ => self.path.to_owned(),
        };
        Ok(Request {
            method: self.method,
            path,
            headers,
            body: match self.method {
                Method::Get => Value::Null,
                Method::Post | Method::Patch => Value::Object(arguments),
            },
        })
    }

    fn takes(&self) -> String {
        if self.arguments.is_empty() {
            return "it takes none".to_owned();
        }
        let key = if self.writes { ", " } else { "" };
        let last = if self.writes { KEY } else { "" };
        format!("it takes {}{key}{last}", self.arguments.join(", "))
    }
}

/// A text as one segment of a path.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut path, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                path.push(char::from(byte));
            }
            // Writing to a String can't fail.
            _ => drop(write!(path, "%{byte:02X}")),
        }
        path
    })
}

/// Puts `title` where the interface takes it: it finds lessons by slugs and titles alike.
fn named_by_title(arguments: &mut Map<String, Value>) -> Result<(), ApiError> {
    let Some(title) = arguments.remove(TITLE) else {
        if arguments.contains_key("lesson") {
            return Ok(());
        }
        return Err(ApiError::invalid(
            "lesson",
            "no lesson is named; give its slug as lesson, or its title as title",
        ));
    };
    if arguments.contains_key("lesson") {
        return Err(ApiError::invalid(
            TITLE,
            "lesson and title both name a lesson; give one of them",
        ));
    }
    arguments.insert("lesson".to_owned(), title);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_with_the_arguments_that_it_takes() {
        let described = described();
        let described = described.as_array().unwrap();
        let listed: Vec<&str> = described
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        assert_eq!(listed, names());
        for (tool, one) in TOOLS.iter().zip(described) {
            let schema = &one["inputSchema"];
            let mut wanted: Vec<&str> = tool.arguments.to_vec();
            if tool.writes {
                wanted.push(KEY);
            }
            wanted.sort_unstable();
            let given: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(given, wanted, "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            assert_eq!(
                one["annotations"]["readOnlyHint"], !tool.writes,
                "{}",
                tool.name
            );
            let path = match tool.kind {
                Kind::Decision => format!("{}/d", tool.path),
                _ => tool.path.to_owned(),
            };
            let route = lesson_service::route(tool.method, &path).unwrap();
            assert_eq!(route.writes(), tool.writes, "{}", tool.name);
        }
    }

    #[test]
    fn no_schema_refers_elsewhere() {
        assert!(!DESCRIBED.contains("$ref"));
    }
}
