//! A hook's payload → what the host is to do.

use crate::client::Client;
use crate::event::HookEvent;
use crate::fingerprint::fingerprint;
use crate::moment;
use crate::nested::{self, nested};
use crate::output::OutputShape;
use crate::payload::Payload;
use crate::query;
use crate::transcript::{TranscriptRead, read_messages};
use lesson_types::{Method, Recommend, Request, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Tokens of lessons when the host does not say.
const TOKENS: u32 = 1_500;
/// Most tokens of lessons: clients cut what is longer than 10,000 characters, and a token is reckoned as four bytes.
const MOST_TOKENS: u32 = 2_400;
/// Most tokens at a session's start, which knows no task yet.
const START_TOKENS: u32 = 600;
/// Lessons at a session's start.
const START_LESSONS: u32 = 3;
/// Time for a transcript's last line to be written once the hook is called. Claude Code was seen to flush it 20 to 50 ms
/// after SubagentStop; this is twice that.
const SETTLE_MS: u32 = 100;

/// A call of the hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HookInput {
    /// Name of the client that calls, as `init` wrote it: see [`Client::named`].
    pub client: String,
    /// `session-start`, `prompt`, `moment`, `compact`, `stop`, `subagent-stop` or `session-end`; when empty, the payload
    /// says it.
    pub event: String,
    /// Standard input: a JSON object.
    pub payload: String,
    /// Most tokens of lessons to print: 200 to 2,400; 0 stands for 1,500.
    pub max_tokens: u32,
    /// The hook's environment, as far as it tells who started the run: [`crate::RUN_VARIABLES`].
    pub environment: BTreeMap<String, String>,
    /// Set if the host knows by other means that a tool started the run.
    pub child: bool,
}

/// The action for a hook's call. In JSON, the field `do` names it: `skip`, `recommend`, `forget` or `record`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HookPlan {
    /// Nothing.
    Skip {
        /// Why, for a log.
        reason: String,
    },
    /// Send the request, and print [`crate::hook_output`] of the answer's `prompt`, or nothing when it recommends none.
    Recommend {
        /// The same for every client that calls for this prompt of this session; a second call within seconds is a double
        /// firing, and prints nothing.
        key: String,
        /// The session.
        session: String,
        /// The decision that the session is.
        decision_id: String,
        /// `POST /v1/recommend`.
        request: Request,
        /// The form in which the client reads it.
        shape: OutputShape,
        /// The folder that the session is about.
        cwd: Option<String>,
        /// The subagent that reads it; `None` for the session's own agent. Each has a context of its own.
        agent: Option<String>,
        /// True if that context is a new one, which holds no lesson yet.
        fresh: bool,
        /// True if the query is of a failed tool: then the lesson is given only where [`crate::helps_now`] says so.
        moment: bool,
    },
    /// Remember no longer that lessons were given in this context: the client shortens it.
    Forget {
        /// The session.
        session: String,
        /// The subagent whose context it is; `None` for the session's own agent.
        agent: Option<String>,
    },
    /// Read the transcripts on from where they were read before, and send what [`crate::record`] makes of them.
    Record {
        /// The same for every client that calls for this moment of this session; see `Recommend`.
        key: String,
        /// The session.
        session: String,
        /// The decision that the session is.
        decision_id: String,
        /// Files to read; a missing one is no fault.
        transcripts: Vec<String>,
        /// A folder whose `agent-*.jsonl`, at any depth, are transcripts of subagents. Read them before the transcripts.
        subagents_of: Option<String>,
        /// The parts of the transcript that the payload itself held; hand them on before those that are read from files.
        reads: Vec<TranscriptRead>,
        /// The agent's last message, which may not have reached the transcript.
        last_message: Option<String>,
        /// True if a subagent finished: an outcome that it tells is not the session's.
        subagent: bool,
        /// Wait so long before reading, for the last line to be written.
        settle_ms: u32,
        /// The folder that the session is about.
        cwd: Option<String>,
        /// True if the session is over.
        done: bool,
    },
}

/// Says what to do about a hook's call. What can't be read is skipped with its reason.
pub fn plan_hook(input: &HookInput) -> HookPlan {
    planned(input).unwrap_or_else(|reason| HookPlan::Skip { reason })
}

fn planned(input: &HookInput) -> Result<HookPlan, String> {
    if input.child {
        return Err("a tool started this run".to_owned());
    }
    let payload = Payload::read(&input.payload)?;
    let named = if input.event.trim().is_empty() {
        payload
            .event()
            .ok_or("neither the call nor the payload names the event")?
    } else {
        input.event.as_str()
    };
    let event = HookEvent::named(named).ok_or_else(|| format!("nothing is done at {named}"))?;
    // Claude Code runs a subagent's Stop hooks as SubagentStop; Copilot CLI runs both, the former with the parent's
    // transcript.
    let event = match payload.event().and_then(HookEvent::named) {
        Some(HookEvent::SubagentStop) if event == HookEvent::Stop => HookEvent::SubagentStop,
        _ if event == HookEvent::Stop && payload.agent().is_some() => HookEvent::SubagentStop,
        _ => event,
    };
    let session = payload
        .parent_agent()
        .or_else(|| payload.session())
        .ok_or("the payload names no session")?
        .to_owned();
    let client = caller(&payload, Client::named(&input.client), input);
    if let Some(reason) = nested(client, &session, &input.environment) {
        return Err(reason.to_owned());
    }
    match event {
        HookEvent::SessionStart | HookEvent::Prompt => {
            recommend(input, &payload, client, event, session)
        }
        HookEvent::Moment => moment(&payload, client, session),
        HookEvent::Compact => Ok(HookPlan::Forget {
            agent: payload.agent(),
            session,
        }),
        HookEvent::Stop | HookEvent::SubagentStop | HookEvent::SessionEnd => {
            record_plan(input, &payload, client, event, session)
        }
    }
}

/// Finds the client that really calls: some run the hooks of others' settings, and read their own form only.
fn caller(payload: &Payload, named: Client, input: &HookInput) -> Client {
    if payload.has("cursor_version") {
        return Client::Cursor;
    }
    if nested::value(&input.environment, nested::COPILOT) == Some("1") {
        return Client::Copilot;
    }
    // Copilot CLI's own form has camelCase and no name of the event.
    let camel = payload.has("sessionId") && payload.event().is_none();
    // VS Code names the transcript in every payload; Copilot CLI only at a stop.
    let silent = !payload.has("transcript_path") && payload.has("hook_event_name");
    match named {
        Client::Claude | Client::Vscode if camel => Client::Copilot,
        Client::Vscode if silent => Client::Copilot,
        // Both read the file that is written for Copilot CLI.
        Client::Copilot if payload.transcript().is_some() && payload.has("hookEventName") => {
            Client::Vscode
        }
        // Claude Code tells no time; VS Code and Copilot CLI do, and run the hooks of its settings.
        Client::Claude if payload.has("timestamp") && payload.transcript().is_some() => {
            Client::Vscode
        }
        Client::Claude if payload.has("timestamp") => Client::Copilot,
        named => named,
    }
}

fn recommend(
    input: &HookInput,
    payload: &Payload,
    client: Client,
    event: HookEvent,
    session: String,
) -> Result<HookPlan, String> {
    if payload.parent().is_some() {
        return Err("the agent wrote this prompt, for a subagent".to_owned());
    }
    let cwd = payload.cwd();
    let start = event == HookEvent::SessionStart;
    // Cursor runs the hooks of Claude Code's settings, too, with its own version in the payload.
    let named = payload.event().filter(|_| !payload.has("cursor_version"));
    let query = if start {
        match payload.first_prompt() {
            // The prompt itself is on its way, where its hook is heard.
            Some(_) if client.deaf_at_prompts(named).is_none() => {
                Err("the session's first prompt comes next".to_owned())
            }
            Some(prompt) => query::of_prompt(prompt).map_err(str::to_owned),
            None => of_start(payload, cwd.as_deref()),
        }
    } else if let Some(deaf) = client.deaf_at_prompts(named) {
        Err(deaf.to_owned())
    } else {
        let prompt = payload.prompt().ok_or("the payload has no prompt")?;
        query::of_prompt(prompt).map_err(str::to_owned)
    };
    let source = payload.text(&["source"]).unwrap_or_default();
    let fresh = start && matches!(source, "compact" | "clear");
    let query = match query {
        // Without a question of its own, the context is shortened all the same.
        Err(_) if fresh => {
            return Ok(HookPlan::Forget {
                agent: payload.agent(),
                session,
            });
        }
        query => query?,
    };
    let asked = match input.max_tokens {
        0 => TOKENS,
        tokens => tokens,
    };
    let most = if start { START_TOKENS } else { MOST_TOKENS };
    let decision_id = decision_of(&session);
    // Before anybody said what the session is about, the project is all that is known: a run's title is what was asked.
    let project = start && payload.first_prompt().is_none();
    let asks = Some(query.clone());
    let (asked_for, project_type) = if project { (None, asks) } else { (asks, None) };
    let body = Recommend {
        query: asked_for,
        project_type,
        limit: start.then_some(START_LESSONS),
        max_tokens: Some(asked.min(most).max(limits::PROMPT_TOKENS_MIN as u32)),
        decision_id: Some(decision_id.clone()),
        ..Recommend::default()
    };
    Ok(HookPlan::Recommend {
        key: fingerprint(&[
            &session,
            event.as_str(),
            if fresh { source } else { "" },
            &query,
        ]),
        decision_id,
        request: post("/v1/recommend", &body, None),
        shape: OutputShape::of(client, event),
        cwd,
        agent: payload.agent(),
        fresh,
        moment: false,
        session,
    })
}

/// A failed command asks with its error text.
fn moment(payload: &Payload, client: Client, session: String) -> Result<HookPlan, String> {
    let query = moment::query_of(payload)?;
    let decision_id = decision_of(&session);
    let body = Recommend {
        query: Some(query.clone()),
        limit: Some(1),
        max_tokens: Some(START_TOKENS),
        decision_id: Some(decision_id.clone()),
        ..Recommend::default()
    };
    let agent = payload.agent();
    Ok(HookPlan::Recommend {
        key: fingerprint(&[
            &session,
            HookEvent::Moment.as_str(),
            agent.as_deref().unwrap_or_default(),
            payload.tool_use().unwrap_or(&query),
        ]),
        decision_id,
        request: post("/v1/recommend", &body, None),
        shape: OutputShape::after_tool(client, payload.event()),
        cwd: payload.cwd(),
        agent,
        fresh: false,
        moment: true,
        session,
    })
}

/// Makes the query at a session's start, before anybody said what it is about: the project by its folder's name.
fn of_start(payload: &Payload, cwd: Option<&str>) -> Result<String, String> {
    let source = payload.text(&["source"]).unwrap_or_default();
    if matches!(source, "resume" | "fork") {
        return Err(format!(
            "the session goes on after {source} with the lessons it has"
        ));
    }
    let query = cwd.and_then(query::of_folder);
    query.ok_or_else(|| {
        "the folder's name says nothing of the project; the first prompt does".to_owned()
    })
}

fn record_plan(
    input: &HookInput,
    payload: &Payload,
    client: Client,
    event: HookEvent,
    session: String,
) -> Result<HookPlan, String> {
    let parent = payload.parent().map(str::to_owned);
    let of_subagent = event == HookEvent::SubagentStop || parent.is_some();
    // Claude Code compacts by an agent without a type, whose last words are the summary.
    if of_subagent && payload.is_blank("agent_type") {
        return Err("a summary is nobody's words".to_owned());
    }
    // OpenCode tells no end: when it waits for a person, what it did may be the last.
    let idle = client == Client::Opencode && event == HookEvent::Stop;
    let done = !of_subagent && (event == HookEvent::SessionEnd || idle);
    let transcript = if event == HookEvent::SubagentStop {
        // `transcript_path` stays the parent's there (Claude Code's documentation of SubagentStop).
        payload.agent_transcript().map(str::to_owned)
    } else {
        let named = payload.transcript().map(str::to_owned);
        named.or_else(|| kept_transcript(input, client, &session).filter(|_| done))
    };
    let last_message = payload.last_message().map(str::to_owned);
    let messages = payload.messages();
    if transcript.is_none() && last_message.is_none() && messages.is_empty() && !done {
        return Err("the payload names no transcript and no message".to_owned());
    }
    let reads = if messages.is_empty() {
        Vec::new()
    } else {
        vec![read_messages(messages, &session, of_subagent)]
    };
    let about = transcript.as_deref().unwrap_or_default();
    let said: String = reads
        .iter()
        .flat_map(|read| &read.counted)
        .cloned()
        .collect();
    let key = fingerprint(&[
        &session,
        event.as_str(),
        if of_subagent { about } else { "" },
        last_message.as_deref().unwrap_or(&said),
    ]);
    let subagents_of = transcript
        .as_deref()
        .filter(|_| done)
        .and_then(|path| path.strip_suffix(".jsonl"))
        .map(|stem| format!("{stem}/subagents"));
    let session = parent.unwrap_or(session);
    Ok(HookPlan::Record {
        key,
        decision_id: decision_of(&session),
        transcripts: transcript.into_iter().collect(),
        subagents_of,
        reads,
        last_message,
        // Codex ends what its hook at the end does after 3 s, and others wait for it.
        settle_ms: if event == HookEvent::SessionEnd && client != Client::Claude {
            0
        } else {
            SETTLE_MS
        },
        cwd: payload.cwd(),
        subagent: of_subagent,
        done,
        session,
    })
}

/// Where Copilot CLI keeps a session's transcript, which it does not name at the end.
fn kept_transcript(input: &HookInput, client: Client, session: &str) -> Option<String> {
    let is_name = session
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if client != Client::Copilot || !is_name {
        return None;
    }
    let home = nested::value(&input.environment, nested::COPILOT_HOME).map(str::to_owned);
    let home = home.or_else(|| {
        let homes = nested::HOMES.iter();
        let home = homes
            .filter_map(|name| nested::value(&input.environment, name))
            .next()?;
        Some(format!("{home}/.copilot"))
    })?;
    Some(format!("{home}/session-state/{session}/events.jsonl"))
}

/// The decision that a session is: its id, or a hash of one that the interface would not take.
pub(crate) fn decision_of(session: &str) -> String {
    let plain = session.bytes().all(|byte| byte.is_ascii_graphic());
    if plain && session.len() <= limits::ID {
        session.to_owned()
    } else {
        fingerprint(&[session])
    }
}

/// A request with a JSON body, and its key where repeating it must count once.
pub(crate) fn post<T: Serialize>(path: &str, body: &T, key: Option<String>) -> Request {
    let mut headers = BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]);
    headers.extend(key.map(|key| ("idempotency-key".to_owned(), key)));
    Request {
        method: Method::Post,
        path: path.to_owned(),
        headers,
        // Types of the interface always become JSON; a `null` would be refused by name.
        body: serde_json::to_value(body).unwrap_or(Value::Null),
    }
}
