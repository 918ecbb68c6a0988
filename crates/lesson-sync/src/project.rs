//! Readiness of a project for Lessonloop, told without signing in: for who sets one up.

use crate::http::{Http, HttpRequest, HttpResponse};
use crate::schema::SCHEMA_VERSION;
use crate::supabase::{PAUSED, WireError, headers};
use serde::Deserialize;

/// State of a project, as it is told without signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectState {
    /// It answers, and has the schema of this version.
    Ready,
    /// It answers, but knows no function of Lessonloop.
    NoSchema,
    /// It has the schema of another version.
    OtherSchema(u32),
    /// It does not take the publishable key.
    ForeignKey,
    /// Its owner, or a long time without use, has paused it.
    Paused,
    /// Something answers that is no Supabase project. What it said.
    NoProject(String),
    /// Nothing answers. The cause.
    Unreachable(String),
}

impl ProjectState {
    /// A stable name; `None` where nothing is wrong.
    pub fn code(&self) -> Option<&'static str> {
        Some(match self {
            Self::Ready => return None,
            Self::NoSchema => "no_schema",
            Self::OtherSchema(version) if *version < SCHEMA_VERSION => "older_schema",
            Self::OtherSchema(_) => "newer_schema",
            Self::ForeignKey => "foreign_key",
            Self::Paused => "paused",
            Self::NoProject(_) => "no_project",
            Self::Unreachable(_) => "unreachable",
        })
    }

    /// Describes the state for a person.
    pub fn message(&self) -> String {
        match self {
            Self::Ready => format!("The project has version {SCHEMA_VERSION} of the schema."),
            Self::NoSchema => {
                "The project has no tables of Lessonloop yet, or they are of 0.1.0-pre.".to_owned()
            }
            Self::OtherSchema(version) => format!(
                "The project has version {version} of the schema, and version {SCHEMA_VERSION} is needed here."
            ),
            Self::ForeignKey => "The project does not take this publishable key.".to_owned(),
            Self::Paused => "The project is paused.".to_owned(),
            Self::NoProject(said) => {
                format!("What answers at this address is no Supabase project ({said}).")
            }
            Self::Unreachable(cause) => format!("The project can't be reached ({cause})."),
        }
    }

    /// Names the remedy; empty where nothing is wrong.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Ready => "",
            Self::NoSchema => {
                "Run `supabase link --project-ref PROJECT` and `supabase db push` in the folder of Lessonloop."
            }
            Self::OtherSchema(version) if *version < SCHEMA_VERSION => {
                "Take this release's supabase/migrations and run `supabase db push`."
            }
            Self::OtherSchema(_) => {
                "Deploy the release of Lessonloop that the database is of: `npx wrangler deploy`."
            }
            Self::ForeignKey => {
                "Copy the publishable key of this very project (Project Settings, API Keys) into SUPABASE_KEY, and deploy again."
            }
            Self::Paused => "Restore it in Supabase's dashboard, which takes some minutes.",
            Self::NoProject(_) => "Check SUPABASE_URL: it looks like https://abc.supabase.co.",
            Self::Unreachable(_) => "Check SUPABASE_URL and status.supabase.com, then try again.",
        }
    }
}

#[derive(Deserialize)]
struct Told {
    schema_version: u32,
}

/// Asks a project by its address and publishable key. One request; nothing is written.
pub async fn project_state(http: &impl Http, url: &str, key: &str) -> ProjectState {
    let request = HttpRequest {
        method: "POST",
        url: format!("{url}/rest/v1/rpc/agent_key"),
        headers: headers(key, ""),
        body: Some("{}".to_owned()),
        ..HttpRequest::default()
    };
    match http.send(request).await {
        Ok(response) => of(&response),
        Err(none) => ProjectState::Unreachable(none.0),
    }
}

fn of(response: &HttpResponse) -> ProjectState {
    let status = response.status;
    if let Ok(told) = serde_json::from_str::<Told>(&response.body)
        && status == 200
    {
        return match told.schema_version {
            SCHEMA_VERSION => ProjectState::Ready,
            other => ProjectState::OtherSchema(other),
        };
    }
    let said: WireError = serde_json::from_str(&response.body).unwrap_or_default();
    let code = said.code.as_str().unwrap_or_default();
    match status {
        PAUSED => ProjectState::Paused,
        401 | 403 if said.message.to_lowercase().contains("api key") => ProjectState::ForeignKey,
        // A function that is not there, or that nobody has granted.
        401 | 404 if !code.is_empty() => ProjectState::NoSchema,
        408 | 429 | 500.. => ProjectState::Unreachable(format!("status {status}")),
        _ => ProjectState::NoProject(format!("status {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_of_a_set_up_is_told_apart_with_its_remedy() {
        for (status, body, code) in [
            (200, r#"{"schema_version":1,"agent":null}"#, None),
            (
                200,
                r#"{"schema_version":0,"agent":null}"#,
                Some("older_schema"),
            ),
            (
                200,
                r#"{"schema_version":2,"agent":null}"#,
                Some("newer_schema"),
            ),
            (
                404,
                r#"{"code":"PGRST202","message":"Could not find the function"}"#,
                Some("no_schema"),
            ),
            (
                401,
                r#"{"code":"42501","message":"permission denied for function agent_key"}"#,
                Some("no_schema"),
            ),
            (401, r#"{"message":"Invalid API key"}"#, Some("foreign_key")),
            (540, "", Some("paused")),
            (
                503,
                r#"{"message":"no server is available"}"#,
                Some("unreachable"),
            ),
            (404, "<html>Not found</html>", Some("no_project")),
            (200, "<html>Welcome</html>", Some("no_project")),
        ] {
            let state = of(&HttpResponse {
                status,
                retry_after: None,
                body: body.to_owned(),
            });
            assert_eq!(state.code(), code, "{status} {body}");
            assert_eq!(state.remedy().is_empty(), code.is_none(), "{status} {body}");
        }
    }
}
