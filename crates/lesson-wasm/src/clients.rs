//! Hooks and transcripts of coding agents, as functions of the class `Local`.

use crate::convert::{describe, thrown, to_js};
use crate::local::Local;
use js_sys::{JSON, Uint8Array};
use lesson_clients::{
    Given, HookInput, Needed, OutputShape, SessionInput, SessionSummary, Suggested, TranscriptRead,
};
use lesson_types::ApiError;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const CLIENTS: &str = r#"
/** A call of a client's hook. */
export interface HookInput { client: string; event?: string; payload: string; max_tokens?: number; environment?: Record<string, string>; child?: boolean }
/** The form in which a client reads what a hook prints. */
export type OutputShape = "text" | "additional_context" | "bare_context" | { hook_specific_output: string } | { both: string };
/** The action for a hook's call. */
export type HookPlan =
  | { do: "skip"; reason: string }
  | {
      do: "recommend"; key: string; session: string; decision_id: string; request: EngineRequest; shape: OutputShape; cwd: string | null;
      agent: string | null; fresh: boolean; moment: boolean;
    }
  | { do: "forget"; session: string; agent: string | null }
  | {
      do: "record"; key: string; session: string; decision_id: string; transcripts: string[]; subagents_of: string | null;
      reads: TranscriptRead[]; last_message: string | null; subagent: boolean; settle_ms: number; cwd: string | null; done: boolean;
    };
/** A lesson whose text was given to an agent; `text` is a hash of it. */
export interface Given { slug: string; text: string }
/** Output of a hook, and the lessons to remember as given. */
export interface GivenOnce { output: string; given: Given[] }
/** A lesson that may be given when a tool failed; times in milliseconds since the Unix epoch. */
export interface Needed { relevance: string; last: number | null; now: number }
/** Contents of a piece of a transcript, and where to read on. */
export interface TranscriptRead {
  said: string; shown: string[]; prompted: string[]; gave_feedback: boolean; outcome: string | null; headless: boolean; subagent: boolean;
  cwd: string | null; session: string | null; next: number; skipped: number; open: string[]; signs: Sign[];
  running: { id: string; kind: "tests" | "commit"; command: string }[]; folders: string[]; project_hash: string | null; counted: string[]; known: string[];
  began: string | null; copied_to: number; copying: boolean;
}
/** A test run or a commit that ended. */
export interface Sign { kind: "tests" | "commit"; passed: boolean; command: string }
/** An outcome that a session points to and nobody told. */
export interface Suggested { decision_id: string; outcome: "success" | "failure"; because: string }
/** State that the end of a session needs of earlier reads. */
export interface KeptOfSession { said: string; shown: string[]; prompted: string[]; gave_feedback: boolean; outcome: string | null; told: string | null; rated: string[]; signs: Sign[] }
/** A session to be recorded, with its reads. */
export interface SessionInput {
  session: string; decision_id: string; done?: boolean; last_message?: string | null; subagent?: boolean;
  reads?: TranscriptRead[]; kept?: KeptOfSession; shown?: string[];
}
/** Requests to send for a session, and the state to keep of it. */
export interface RecordedSession { requests: EngineRequest[]; suggested?: Suggested; keep: KeptOfSession }
/** Insights and outcome of a session of the past. */
export interface SessionSummary {
  session: string; cwd: string | null; folders: string[]; project_hash: string | null; outcome: string | null; skipped: number; said: string;
  insights: { slug: string; title: string; text: string; category: string; from_failure: boolean }[];
}
"#;

#[wasm_bindgen]
impl Local {
    /// Decides what to do about a hook's call. Never throws for a payload that can't be read: that is skipped.
    ///
    /// # Errors
    /// Throws an `EngineError` when the input is no `HookInput`.
    #[wasm_bindgen(unchecked_return_type = "HookPlan")]
    pub fn plan_hook(
        &self,
        #[wasm_bindgen(unchecked_param_type = "HookInput")] input: JsValue,
    ) -> Result<JsValue, JsValue> {
        let input: HookInput = read(&input, "input")?;
        Ok(to_js(&lesson_clients::plan_hook(&input)))
    }

    /// A recommendation's prompt text as the client reads it; empty where there is nothing to print.
    ///
    /// # Errors
    /// Throws an `EngineError` when the shape is none.
    pub fn hook_output(
        &self,
        #[wasm_bindgen(unchecked_param_type = "OutputShape")] shape: JsValue,
        text: &str,
    ) -> Result<String, JsValue> {
        let shape: OutputShape = read(&shape, "shape")?;
        Ok(lesson_clients::hook_output(&shape, text))
    }

    /// The same, with the text of those lessons only that this context does not hold yet.
    ///
    /// # Errors
    /// Throws an `EngineError` when the shape or `given` are none.
    #[wasm_bindgen(unchecked_return_type = "GivenOnce")]
    pub fn hook_output_once(
        &self,
        #[wasm_bindgen(unchecked_param_type = "OutputShape")] shape: JsValue,
        text: &str,
        #[wasm_bindgen(unchecked_param_type = "Given[]")] given: JsValue,
    ) -> Result<JsValue, JsValue> {
        let shape: OutputShape = read(&shape, "shape")?;
        let given: Vec<Given> = read(&given, "given")?;
        Ok(to_js(&lesson_clients::hook_output_once(
            &shape, text, &given,
        )))
    }

    /// True if a lesson is worth an interruption when a tool failed.
    ///
    /// # Errors
    /// Throws an `EngineError` when `needed` is none.
    pub fn helps_now(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Needed")] needed: JsValue,
    ) -> Result<bool, JsValue> {
        let needed: Needed = read(&needed, "needed")?;
        Ok(lesson_clients::helps_now(&needed))
    }

    /// Reads the whole lines of a piece that begins at byte `from` of a transcript.
    #[wasm_bindgen(unchecked_return_type = "TranscriptRead")]
    pub fn read_transcript(&self, client: &str, bytes: &Uint8Array, from: f64) -> JsValue {
        // Whole and not below 0.
        let read = lesson_clients::read_transcript(client, &bytes.to_vec(), from as u64);
        to_js(&read)
    }

    /// Reads the piece at `next` of the piece before.
    ///
    /// # Errors
    /// Throws an `EngineError` when `before` is no `TranscriptRead`.
    #[wasm_bindgen(unchecked_return_type = "TranscriptRead")]
    pub fn read_transcript_after(
        &self,
        client: &str,
        bytes: &Uint8Array,
        #[wasm_bindgen(unchecked_param_type = "TranscriptRead")] before: JsValue,
    ) -> Result<JsValue, JsValue> {
        let before: TranscriptRead = read(&before, "before")?;
        let bytes = bytes.to_vec();
        let read = lesson_clients::read_transcript_after(client, &bytes, &before);
        Ok(to_js(&read))
    }

    /// Makes the requests for what was said in a session.
    ///
    /// # Errors
    /// Throws an `EngineError` when the input is no `SessionInput`.
    #[wasm_bindgen(unchecked_return_type = "EngineRequest[]")]
    pub fn session_requests(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SessionInput")] input: JsValue,
    ) -> Result<JsValue, JsValue> {
        let input: SessionInput = read(&input, "input")?;
        Ok(to_js(&lesson_clients::session_requests(&input)))
    }

    /// The same, with what to keep until the session is recorded again.
    ///
    /// # Errors
    /// As `session_requests`.
    #[wasm_bindgen(unchecked_return_type = "RecordedSession")]
    pub fn record_session(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SessionInput")] input: JsValue,
    ) -> Result<JsValue, JsValue> {
        let input: SessionInput = read(&input, "input")?;
        Ok(to_js(&lesson_clients::record(&input)))
    }

    /// Keeps an outcome that a session suggests, for a person to confirm in Review; whether it waits there now. One of a
    /// decision that is not known, or that has an outcome, or that a person dismissed, does not.
    ///
    /// # Errors
    /// Throws an `EngineError` when it is no `Suggested`, or the store fails.
    pub async fn suggest(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Suggested")] suggested: JsValue,
    ) -> Result<bool, JsValue> {
        let suggested: Suggested = read(&suggested, "suggested")?;
        let kept =
            self.inner()
                .suggest(suggested.decision_id, suggested.outcome, suggested.because);
        kept.await.map_err(|error| thrown(&error))
    }

    /// Summarises the transcripts of one session; `null` for one that teaches nothing.
    ///
    /// # Errors
    /// Throws an `EngineError` when `reads` are none.
    #[wasm_bindgen(unchecked_return_type = "SessionSummary | null")]
    pub fn backfill(
        &self,
        #[wasm_bindgen(unchecked_param_type = "TranscriptRead[]")] reads: JsValue,
    ) -> Result<JsValue, JsValue> {
        let reads: Vec<TranscriptRead> = read(&reads, "reads")?;
        Ok(to_js(&lesson_clients::backfill(&reads)))
    }

    /// Makes the requests for a session of the past.
    ///
    /// # Errors
    /// Throws an `EngineError` when the summary is none.
    #[wasm_bindgen(unchecked_return_type = "EngineRequest[]")]
    pub fn backfill_requests(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SessionSummary")] summary: JsValue,
    ) -> Result<JsValue, JsValue> {
        let summary: SessionSummary = read(&summary, "summary")?;
        Ok(to_js(&lesson_clients::backfill_requests(&summary)))
    }
}

/// Reads plain data, by way of JSON.
fn read<T: DeserializeOwned>(value: &JsValue, name: &str) -> Result<T, JsValue> {
    let refused = |why: &str| {
        thrown(&ApiError::invalid(
            name,
            format!("`{name}` can't be read: {why}"),
        ))
    };
    let text = JSON::stringify(value).map_err(|error| refused(&describe(&error)))?;
    let text = text.as_string().unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| refused(&error.to_string()))
}
