//! Tool servers: what worked, and for which requests.

use crate::told::{Answer, Rows, Told, many, more};
use lesson_core::{beginning, fenced, one_line};
use lesson_types::{NotRecorded, SuggestedServer, ToolReason, ToolRecorded, ToolSuggestions};
use serde::Serialize;
use serde_json::Error;

/// Bytes of what is said beside the rows.
const BESIDE: usize = 500;
/// The longest request that an answer repeats.
const QUERY: usize = 240;

/// Tells whether a success was recorded.
pub(super) fn recorded(answer: &ToolRecorded, _: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    told.say(match answer.reason {
        Some(NotRecorded::Core) => "Not recorded: this server is always at hand.",
        Some(NotRecorded::Duplicate) => "Known already; it counts as used today.",
        None => "Recorded.",
    });
    told.with(answer)
}

#[derive(Serialize)]
struct AskedThen {
    query: String,
}

#[derive(Serialize)]
struct Reason {
    age_days: f64,
    weight: f64,
    score: f64,
    untrusted: AskedThen,
}

impl From<&ToolReason> for Reason {
    fn from(one: &ToolReason) -> Self {
        Self {
            age_days: one.age_days,
            weight: one.weight,
            score: one.score,
            untrusted: AskedThen {
                query: beginning(&one_line(&one.query), QUERY),
            },
        }
    }
}

#[derive(Serialize)]
struct Server {
    server: String,
    score: f64,
    because: Vec<Reason>,
}

impl From<&SuggestedServer> for Server {
    fn from(one: &SuggestedServer) -> Self {
        Self {
            server: one_line(&one.server),
            score: one.score,
            because: one.because.iter().map(Reason::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct Suggested {
    servers: Vec<Server>,
    records: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

/// Servers that worked for requests like this.
pub(super) fn suggested(answer: &ToolSuggestions, room: usize) -> Result<Answer, Error> {
    let mut told = Told::default();
    let mut rows = Rows::within(room.saturating_sub(BESIDE));
    let servers = answer.servers.iter().map(Server::from).collect();
    let (servers, lines) = rows.fit(servers, |one| {
        let mut row = format!("{} · score {:.2}", one.server, one.score);
        for reason in &one.because {
            row.push_str(&format!(
                "\n  {:.1} days ago, weight {:.2}, adds {:.2}: {}",
                reason.age_days, reason.weight, reason.score, reason.untrusted.query
            ));
        }
        row
    })?;
    if answer.servers.is_empty() {
        told.note("No tool server is known to have worked for requests like this. When one does, call playbook_record_tool_success.");
    } else {
        told.say("Tool servers that worked for requests like this, best first, by the names that agents gave them:");
        if !lines.is_empty() {
            told.say(fenced(&lines.join("\n")).trim_end());
        }
        if let Some(count) = rows.left_out() {
            told.note(more(count, "server"));
        }
        told.note("When one works, call playbook_record_tool_success.");
    }
    told.say(format_args!(
        "{} in all.",
        many(answer.records as usize, "record")
    ));
    told.with(Suggested {
        servers,
        records: answer.records,
        left_out: rows.left_out(),
    })
}
