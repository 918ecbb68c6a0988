//! Routing as data: method and path to one of the interface's requests.

use crate::http::fault::clip;
use crate::http::path::parse;
use crate::http::validate;
use lesson_types::{
    ApiError, DecisionQuery, ErrorCode, ExportFormat, HistoryQuery, LessonQuery, Method,
    ReviewQuery, ToolRecordsQuery,
};
use serde_json::{Map, Value};

/// A request of the interface, with what its path says.
#[allow(missing_docs)] // Each is the endpoint of its name.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    Import,
    Export(ExportFormat),
    AddLesson,
    ListLessons(LessonQuery),
    GetLesson(String),
    EditLesson(String),
    Archive(String),
    Restore(String),
    Review(String),
    Merge,
    Bulk,
    History(String, HistoryQuery),
    Revision(String, u32),
    Standing(String),
    Recommend,
    Compare,
    Search,
    Patterns,
    Track,
    Outcome,
    Feedback,
    Rate,
    Vote,
    Session,
    ToolSuccess,
    ToolSuggest,
    ToolRecords(ToolRecordsQuery),
    ReviewQueue(ReviewQuery),
    Stats,
    Health,
    Policy,
    ChangePolicy,
    Trial(String),
    ListDecisions(DecisionQuery),
    GetDecision(String),
    Sync,
    Connect,
    SignIn,
    SignOut,
    DeleteSpace,
    SyncNow,
    SetAside,
    Settle,
    AgentKeys,
    MakeAgentKey,
    RevokeAgentKey(String),
}

impl Route {
    /// Whether it writes, so that repeating it would count twice.
    pub fn writes(&self) -> bool {
        !matches!(
            self,
            Self::Export(_)
                | Self::ListLessons(_)
                | Self::GetLesson(_)
                | Self::History(..)
                | Self::Revision(..)
                | Self::Standing(_)
                | Self::Compare
                | Self::Search
                | Self::Patterns
                | Self::ToolSuggest
                | Self::ToolRecords(_)
                | Self::ReviewQueue(_)
                | Self::Stats
                | Self::Health
                | Self::Policy
                | Self::ListDecisions(_)
                | Self::GetDecision(_)
                | Self::Sync
                | Self::SetAside
                | Self::AgentKeys
        )
    }

    /// Whether a text of the request is compared with lessons by what it means.
    pub fn embeds(&self) -> bool {
        match self {
            Self::Recommend
            | Self::Compare
            | Self::Search
            | Self::Patterns
            | Self::Feedback
            | Self::Session => true,
            Self::ListLessons(query) => query.q.is_some(),
            _ => false,
        }
    }

    /// Whether the answer holds a secret, which is given once and kept nowhere.
    pub fn answers_once(&self) -> bool {
        matches!(self, Self::MakeAgentKey)
    }
}

/// The request that a method and a path mean.
pub fn route(method: Method, path: &str) -> Result<Route, ApiError> {
    use Method::{Get, Patch, Post};
    let target = parse(path)?;
    let segments: Vec<&str> = target.segments.iter().map(String::as_str).collect();
    let Some((&"v1", rest)) = segments.split_first() else {
        return Err(unknown(path));
    };
    let query = target.query;
    let one = |allowed: Method, route: Route| -> Result<Route, ApiError> {
        takes(method, &[allowed], path)?;
        no_query(&query)?;
        Ok(route)
    };
    match *rest {
        ["import"] => one(Post, Route::Import),
        ["export"] => {
            takes(method, &[Get], path)?;
            export(query)
        }
        ["lessons"] => match method {
            Get => lessons(query),
            _ => {
                takes(method, &[Get, Post], path)?;
                no_query(&query)?;
                Ok(Route::AddLesson)
            }
        },
        ["lessons", "bulk"] if method == Post => one(Post, Route::Bulk),
        ["lessons", "merge"] if method == Post => one(Post, Route::Merge),
        ["lessons", slug] => {
            takes(method, &[Get, Patch], path)?;
            no_query(&query)?;
            validate::slug("slug", slug)?;
            Ok(match method {
                Get => Route::GetLesson(slug.to_owned()),
                _ => Route::EditLesson(slug.to_owned()),
            })
        }
        ["lessons", slug, "history"] => {
            takes(method, &[Get], path)?;
            let query = parameters(query)?;
            validate::slug("slug", slug)?;
            Ok(Route::History(slug.to_owned(), query))
        }
        ["lessons", slug, "revisions", rev] => {
            validate::slug("slug", slug)?;
            one(Get, Route::Revision(slug.to_owned(), revision(rev)?))
        }
        ["lessons", slug, act] => {
            let (allowed, route): (Method, fn(String) -> Route) = match act {
                "archive" => (Post, Route::Archive),
                "restore" => (Post, Route::Restore),
                "trial" => (Post, Route::Trial),
                "review" => (Post, Route::Review),
                "standing" => (Get, Route::Standing),
                _ => return Err(unknown(path)),
            };
            takes(method, &[allowed], path)?;
            no_query(&query)?;
            validate::slug("slug", slug)?;
            Ok(route(slug.to_owned()))
        }
        ["recommend"] => one(Post, Route::Recommend),
        ["recommend", "compare"] => one(Post, Route::Compare),
        ["search"] => one(Post, Route::Search),
        ["patterns"] => one(Post, Route::Patterns),
        ["track"] => one(Post, Route::Track),
        ["outcome"] => one(Post, Route::Outcome),
        ["feedback"] => one(Post, Route::Feedback),
        ["rate"] => one(Post, Route::Rate),
        ["vote"] => one(Post, Route::Vote),
        ["sessions"] => one(Post, Route::Session),
        ["tools", "success"] => one(Post, Route::ToolSuccess),
        ["tools", "suggest"] => one(Post, Route::ToolSuggest),
        ["tools", "records"] => {
            takes(method, &[Get], path)?;
            Ok(Route::ToolRecords(parameters(query)?))
        }
        ["review"] => {
            takes(method, &[Get], path)?;
            Ok(Route::ReviewQueue(parameters(query)?))
        }
        ["stats"] => one(Get, Route::Stats),
        ["health"] => one(Get, Route::Health),
        ["policy"] => {
            takes(method, &[Get, Patch], path)?;
            no_query(&query)?;
            Ok(match method {
                Get => Route::Policy,
                _ => Route::ChangePolicy,
            })
        }
        ["decisions"] => {
            takes(method, &[Get], path)?;
            Ok(Route::ListDecisions(parameters(query)?))
        }
        ["decisions", id] => one(Get, Route::GetDecision(id.to_owned())),
        ["sync"] => one(Get, Route::Sync),
        ["sync", "connect"] => one(Post, Route::Connect),
        ["sync", "sign-in"] => one(Post, Route::SignIn),
        ["sync", "sign-out"] => one(Post, Route::SignOut),
        ["space", "delete"] => one(Post, Route::DeleteSpace),
        ["sync", "now"] => one(Post, Route::SyncNow),
        ["sync", "set-aside"] => one(Get, Route::SetAside),
        ["sync", "settle"] => one(Post, Route::Settle),
        ["agent-keys"] => {
            takes(method, &[Get, Post], path)?;
            no_query(&query)?;
            Ok(match method {
                Get => Route::AgentKeys,
                _ => Route::MakeAgentKey,
            })
        }
        ["agent-keys", id, "revoke"] => one(Post, Route::RevokeAgentKey(id.to_owned())),
        _ => Err(unknown(path)),
    }
}

fn unknown(path: &str) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!(
            "there is no `{}`; paths begin with /v1, such as /v1/recommend or /v1/lessons",
            clip(path)
        ),
    )
    .at("path")
}

fn takes(method: Method, allowed: &[Method], path: &str) -> Result<(), ApiError> {
    if allowed.contains(&method) {
        return Ok(());
    }
    Err(wrong_method(path, allowed, name(method)))
}

/// The refusal of a method that a path does not take.
pub fn wrong_method(path: &str, allowed: &[Method], given: &str) -> ApiError {
    let names: Vec<&str> = allowed.iter().copied().map(name).collect();
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        format!(
            "`{}` takes {}, not {}",
            clip(path),
            names.join(" or "),
            clip(given)
        ),
    )
    .at("method")
}

/// The methods that a path takes; none where there is no such path.
pub fn methods(path: &str) -> Vec<Method> {
    let takes = |method: &Method| match route(*method, path) {
        Ok(_) => true,
        Err(error) => {
            let elsewhere = error.field.as_deref() == Some("path");
            error.code != ErrorCode::MethodNotAllowed
                && !(error.code == ErrorCode::NotFound && elsewhere)
        }
    };
    [Method::Get, Method::Post, Method::Patch]
        .into_iter()
        .filter(takes)
        .collect()
}

/// The name of a method, as HTTP has it.
pub fn name(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Patch => "PATCH",
    }
}

fn no_query(query: &[(String, String)]) -> Result<(), ApiError> {
    match query.first() {
        None => Ok(()),
        Some((name, _)) => Err(ApiError::invalid(
            clip(name),
            format!(
                "this request takes no query parameter; leave `{}` out of the path",
                clip(name)
            ),
        )),
    }
}

fn export(query: Vec<(String, String)>) -> Result<Route, ApiError> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Query {
        #[serde(default)]
        format: ExportFormat,
    }
    let query: Query = parameters(query)?;
    Ok(Route::Export(query.format))
}

fn lessons(query: Vec<(String, String)>) -> Result<Route, ApiError> {
    Ok(Route::ListLessons(parameters(query)?))
}

fn revision(text: &str) -> Result<u32, ApiError> {
    text.parse().ok().filter(|rev| *rev > 0).ok_or_else(|| {
        ApiError::invalid(
            "rev",
            format!("`{}` is no revision; use a whole number from 1", clip(text)),
        )
    })
}

/// Parameters into a type. `limit`, `offset`, `before` and `shown_before` are numbers and `archived` true or false; the rest is text.
fn parameters<T: serde::de::DeserializeOwned>(query: Vec<(String, String)>) -> Result<T, ApiError> {
    let mut fields = Map::new();
    for (name, text) in query {
        let value = match name.as_str() {
            "limit" | "offset" | "before" | "shown_before" => {
                text.parse::<u32>().map(Value::from).map_err(|_| {
                    ApiError::invalid(
                        &name,
                        format!("{name} is `{}`; use a whole number", clip(&text)),
                    )
                })?
            }
            "archived" => text.parse::<bool>().map(Value::from).map_err(|_| {
                ApiError::invalid(
                    "archived",
                    format!("archived is `{}`; use true or false", clip(&text)),
                )
            })?,
            _ => Value::String(text),
        };
        if fields.contains_key(&name) {
            return Err(ApiError::invalid(
                clip(&name),
                format!("`{}` is given twice; give it once", clip(&name)),
            ));
        }
        fields.insert(name, value);
    }
    validate::read(Value::Object(fields))
}
