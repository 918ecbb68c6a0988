//! Taking in a transcript, line by line.

use super::read::TranscriptRead;
use super::shell::SignKind;
use super::shown;
use super::sign::{self, Running, Sign};
use crate::fingerprint::fingerprint;
use crate::private::without_private;
use lesson_core::{Policy, extract, without_outcomes};
use serde_json::Value;
use std::collections::HashSet;

/// Names of our tools that hand out lessons end so, whatever a client puts before them.
const GIVES_LESSONS: [&str; 3] = [
    "playbook_recommend_lessons",
    "playbook_search_lessons",
    "playbook_patterns_for_feature",
];
/// Word that marks the lines that name lessons.
const INJECTED: &str = "injected";
/// Where tools that begin a subagent have its prompt: `Task` and `Agent` (Claude Code, OpenCode), `spawn_agent` (Codex),
/// `task` (Copilot CLI), a subagent's own tool (Gemini CLI).
const PROMPTS: [&str; 6] = [
    "prompt",
    "message",
    "instructions",
    "task",
    "objective",
    "query",
];
/// Most lessons that are taken from prompts.
const MOST_PROMPTED: usize = 200;
const FEEDBACK: &str = "playbook_feedback";
/// Most calls whose answer is waited for, and the longest id of one.
const MOST_OPEN: usize = 256;
const LONGEST_ID: usize = 200;
/// Characters of a hash that are kept of a line's id: 48 bits, by which a million lines hardly collide.
const HASH: usize = 12;
/// Most folders that are remembered.
const MOST_FOLDERS: usize = 64;
/// Most lines that are remembered as counted; the oldest go first.
const MOST_COUNTED: usize = 20_000;

/// A transcript as far as it has been read.
pub(super) struct Reading {
    pub(super) read: TranscriptRead,
    /// The hashes of `read.counted` and of `read.known`.
    seen: HashSet<String>,
}

impl Reading {
    pub(super) fn after(before: &TranscriptRead) -> Self {
        Self {
            seen: before
                .counted
                .iter()
                .chain(&before.known)
                .cloned()
                .collect(),
            read: TranscriptRead {
                headless: before.headless,
                subagent: before.subagent,
                cwd: before.cwd.clone(),
                folders: before.folders.clone(),
                project_hash: before.project_hash.clone(),
                session: before.session.clone(),
                open: before.open.clone(),
                running: before.running.clone(),
                counted: before.counted.clone(),
                known: before.known.clone(),
                began: before.began.clone(),
                copied_to: before.copied_to,
                copying: before.copying,
                ..TranscriptRead::default()
            },
        }
    }

    /// True if the line with this id has not counted yet; it has from now on. Clients write lines again: after a second
    /// compaction, in a fork, when a call was answered. One without an id is new.
    /// `content` is hashed with the id: a copy has both.
    pub(super) fn is_new(&mut self, id: &str, content: &str) -> bool {
        if id.is_empty() {
            return true;
        }
        let mut hash = fingerprint(&[id, content]);
        hash.truncate(HASH);
        if !self.seen.insert(hash.clone()) {
            return false;
        }
        if self.read.counted.len() >= MOST_COUNTED {
            self.read.counted.drain(..MOST_COUNTED / 4);
        }
        self.read.counted.push(hash);
        true
    }

    /// The agent said this, or one of its subagents did, whose outcome is not the session's.
    pub(super) fn say(&mut self, text: &str, by_subagent: bool) {
        let mut text = without_private(text);
        if by_subagent {
            text = without_outcomes(&text);
        }
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.read.said.push_str(text);
        self.read.said.push_str("\n\n");
        if !by_subagent && let Some(outcome) = extract(text, &Policy::default().session).outcome {
            self.read.outcome = Some(outcome);
        }
    }

    /// The agent called a tool.
    pub(super) fn call(&mut self, name: &str, id: &str) {
        if name.ends_with(FEEDBACK) {
            self.read.gave_feedback = true;
        }
        let fits = !id.is_empty() && id.len() <= LONGEST_ID && self.read.open.len() < MOST_OPEN;
        if gives_lessons(name) && fits && !self.read.open.iter().any(|one| one == id) {
            self.read.open.push(id.to_owned());
        }
    }

    /// The agent wrote this prompt for a subagent: what it names in `INJECTED:` lines was shown to it.
    pub(super) fn prompt(&mut self, text: &str) {
        if !text.to_ascii_lowercase().contains(INJECTED) {
            return;
        }
        for slug in extract(&without_private(text), &Policy::default().session).injected {
            if self.read.prompted.len() < MOST_PROMPTED && !self.read.prompted.contains(&slug) {
                self.read.prompted.push(slug);
            }
        }
    }

    /// A tool got this input, an object or JSON in a text; one that begins a subagent has its prompt in it.
    pub(super) fn prompts(&mut self, input: &Value) {
        let parsed = input
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        let input: &Value = parsed.as_ref().unwrap_or(input);
        for field in PROMPTS {
            if let Some(prompt) = input.get(field).and_then(Value::as_str) {
                self.prompt(prompt);
            }
        }
    }

    /// A tool answered.
    pub(super) fn answer(&mut self, id: &str, content: &Value) {
        let before = self.read.open.len();
        self.read.open.retain(|one| one != id);
        if self.read.open.len() < before {
            self.show(shown::in_answer(content));
        }
    }

    /// The agent called a tool that may run a command.
    pub(super) fn runs(&mut self, tool: &str, id: &str, input: &Value) {
        let fits = !id.is_empty() && id.len() <= LONGEST_ID && self.read.running.len() < MOST_OPEN;
        if fits && let Some((kind, command)) = sign::begun(tool, input) {
            let id = id.to_owned();
            self.read.running.push(Running { id, kind, command });
        }
    }

    /// A call ended; `code` is its exit code, where that is known.
    pub(super) fn ran(&mut self, id: &str, code: Option<i64>) {
        let Some(at) = self.read.running.iter().position(|one| one.id == id) else {
            return;
        };
        let Running { kind, command, .. } = self.read.running.swap_remove(at);
        if let Some(code) = code {
            self.sign(kind, command, code);
        }
    }

    /// A command ended.
    pub(super) fn sign(&mut self, kind: SignKind, command: String, code: i64) {
        // A part that a person marked as private is no reason to be shown.
        let command = without_private(&command);
        let passed = code == 0;
        let sign = Sign {
            kind,
            passed,
            command,
        };
        Sign::put(&mut self.read.signs, sign);
    }

    /// The agent called a tool, which answered: both in one line.
    pub(super) fn called(&mut self, name: &str, content: &Value) {
        self.call(name, "");
        if gives_lessons(name) {
            self.show(shown::in_answer(content));
        }
    }

    /// A hook put this before the agent.
    pub(super) fn injected(&mut self, content: &Value) {
        self.show(shown::in_hook(content));
    }

    fn show(&mut self, slugs: Vec<String>) {
        for slug in slugs {
            if !self.read.shown.contains(&slug) {
                self.read.shown.push(slug);
            }
        }
    }

    /// The session and its folder, as the first line says that names them.
    pub(super) fn about(&mut self, session: Option<&Value>, cwd: Option<&Value>) {
        let text = |value: Option<&Value>| {
            let text = value?.as_str()?;
            (!text.is_empty()).then(|| text.to_owned())
        };
        if self.read.session.is_none() {
            self.read.session = text(session);
        }
        let Some(cwd) = text(cwd) else { return };
        let fits = self.read.folders.len() < MOST_FOLDERS;
        if fits && !self.read.folders.contains(&cwd) {
            self.read.folders.push(cwd.clone());
        }
        if self.read.cwd.is_none() {
            self.read.cwd = Some(cwd);
        }
    }
}

fn gives_lessons(name: &str) -> bool {
    GIVES_LESSONS.iter().any(|tool| name.ends_with(tool))
}
