//! The tools: which request of the interface each stands for. Their names, descriptions and
//! schemas, as clients see them, are in `tools.json`, which is made of the interface's rows and types.

use super::arguments;
use lesson_types::{ApiError, ENDPOINTS, Endpoint, EndpointName, Method, Request, limits};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The argument of writing tools that makes a repeated call count once.
pub(super) const KEY: &str = "idempotency_key";

/// The argument that stands for `lesson` where ratings name a lesson by its title, as in other
/// playbooks.
const TITLE: &str = "title";

/// The argument for an answer's length: of reading tools, and of recommend, where it is the request's own.
const MOST: &str = "max_tokens";

/// Bytes that are reckoned as one token.
const TOKEN_BYTES: usize = 4;

const DESCRIBED: &str = include_str!("tools.json");

// A test holds that it reads.
static TOOLS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(DESCRIBED).unwrap_or_default());

/// A tool: the request that it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    /// The row of its request.
    pub endpoint: &'static Endpoint,
    pub name: &'static str,
    /// The arguments besides [`KEY`] and [`MOST`].
    pub arguments: &'static [&'static str],
}

/// Every tool, in the order in which they are listed.
fn tools() -> impl Iterator<Item = Tool> {
    ENDPOINTS.iter().filter_map(|endpoint| {
        let tool = endpoint.tool.as_ref()?;
        Some(Tool {
            endpoint,
            name: tool.name,
            arguments: tool.arguments,
        })
    })
}

/// The tools as clients see them.
pub(super) fn described() -> Value {
    TOOLS.clone()
}

/// The tool with this name.
pub(super) fn named(name: &str) -> Option<Tool> {
    tools().find(|tool| tool.name == name)
}

/// Every tool's name.
pub(super) fn names() -> Vec<&'static str> {
    tools().map(|tool| tool.name).collect()
}

impl Tool {
    /// The schema of its arguments, as it is published.
    pub fn schema(&self) -> &'static Value {
        let tools = TOOLS.as_array().map_or(&[][..], Vec::as_slice);
        let tool = tools.iter().find(|tool| tool["name"] == self.name);
        tool.map_or(&Value::Null, |tool| &tool["inputSchema"])
    }

    /// The request that a call with these arguments stands for, and the bytes that text and data of its answer may each
    /// take. The interface judges bounds.
    pub fn request(&self, mut arguments: Map<String, Value>) -> Result<(Request, usize), ApiError> {
        let mut headers = BTreeMap::new();
        if self.endpoint.writes
            && let Some(key) = arguments.remove(KEY)
            && !arguments::is_null(&key)
        {
            let Value::String(key) = key else {
                return Err(ApiError::invalid(
                    KEY,
                    format!("{KEY} has to be a string; make one up for each thing that you write"),
                ));
            };
            headers.insert("idempotency-key".to_owned(), key);
        }
        if let Some(name) = arguments.keys().find(|name| !self.has(name)) {
            let name = lesson_service::clip(name);
            return Err(ApiError::invalid(
                &name,
                format!("{} has no argument `{name}`; {}", self.name, self.takes()),
            ));
        }
        let mut arguments = arguments::read(arguments, self.schema())?;
        let bytes = self.bytes(&mut arguments)?;
        if self.arguments.contains(&TITLE) && self.arguments.contains(&"lesson") {
            named_by_title(&mut arguments)?;
        }
        let path = match self.endpoint.path.split_once('{') {
            Some((before, name)) => {
                let name = name.trim_end_matches('}');
                let id = arguments.get(name).and_then(Value::as_str);
                let id = id.filter(|id| !id.trim().is_empty()).ok_or_else(|| {
                    ApiError::invalid(
                        name,
                        format!(
                            "{name} has to be a string: the one that lessons were asked for with"
                        ),
                    )
                })?;
                format!("{before}{}", encoded(id))
            }
            None => self.endpoint.path.to_owned(),
        };
        let request = Request {
            method: self.endpoint.method,
            path,
            headers,
            body: match self.endpoint.method {
                Method::Get => Value::Null,
                Method::Post | Method::Patch => Value::Object(arguments),
            },
        };
        Ok((request, bytes))
    }

    /// The bytes that text and data of an answer may each take: by [`MOST`] of a reading tool. That of a recommendation is
    /// the service's to hold, which counts as shown what is in it; each of its lessons gets a share.
    fn bytes(&self, arguments: &mut Map<String, Value>) -> Result<usize, ApiError> {
        let mut tokens = limits::TOOL_TOKENS;
        if self.endpoint.name == EndpointName::recommend {
            let entry = arguments.entry(MOST);
            entry.or_insert_with(|| limits::TOOL_PROMPT_TOKENS.into());
            arguments.insert("shorten_each".to_owned(), true.into());
        } else if !self.endpoint.writes
            && let Some(asked) = arguments.remove(MOST)
        {
            let (least, most) = (limits::TOOL_TOKENS_MIN, limits::PROMPT_TOKENS_MAX);
            let fits = asked.as_u64().and_then(|asked| usize::try_from(asked).ok());
            tokens = fits
                .filter(|asked| (least..=most).contains(asked))
                .ok_or_else(|| {
                    ApiError::invalid(MOST, format!("{MOST} is {asked}; use {least} to {most}"))
                })?;
        }
        Ok(tokens * TOKEN_BYTES)
    }

    /// The argument that it takes besides those of its row.
    fn last(&self) -> &'static str {
        if self.endpoint.writes { KEY } else { MOST }
    }

    fn has(&self, name: &str) -> bool {
        self.arguments.contains(&name) || name == self.last()
    }

    fn takes(&self) -> String {
        let mut taken = self.arguments.to_vec();
        taken.push(self.last());
        format!("it takes {}", taken.join(", "))
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
        for (tool, one) in tools().zip(described) {
            let schema = &one["inputSchema"];
            let mut wanted: Vec<&str> = tool.arguments.to_vec();
            wanted.push(tool.last());
            wanted.sort_unstable();
            let given: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(given, wanted, "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            assert!(tool.endpoint.for_agents, "{}", tool.name);
        }
    }

    #[test]
    fn no_schema_refers_elsewhere() {
        assert!(!DESCRIBED.contains("$ref"));
    }
}
