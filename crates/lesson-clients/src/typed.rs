//! The words that a person typed, in what a client hands on as a prompt.
//!
//! Clients put context beside a prompt, wrap it, and send prompts of their own: notices of finished tasks, output of
//! commands, feedback of hooks, summaries. They do so in elements whose names no prose has (`<task-notification>`), in
//! bracketed notes, or in fixed sentences, always from the beginning of a line. A tag that stands within a person's
//! sentence is theirs.

use crate::private::without_private;

/// Elements that come in the place of a prompt: nothing behind one is a person's.
const NOTICES: [&str; 14] = [
    "task-notification",
    "cross-session-message",
    "teammate-message",
    "channel-message",
    "agent-notification",
    "subagent_notification",
    "system_notification",
    "command-message",
    "command-name",
    "command-args",
    "turn_aborted",
    "user_shell_command",
    "fork-boilerplate",
    "skill",
];
/// Beginnings of the names of such elements: `<bash-input>`, `<local-command-stdout>`.
const NOTICE_FAMILIES: [&str; 2] = ["bash-", "local-command-"];
/// Elements with names of one word that clients put beside a prompt; of those with `-` or `_` any are.
const BESIDE: [&str; 5] = ["attachments", "context", "reminder", "rules", "timestamp"];
/// Elements around what a person typed (Cursor, VS Code).
const WRAPPERS: [&str; 5] = [
    "user_query",
    "user-query",
    "user_message",
    "user_request",
    "userRequest",
];
/// Headings before what a person typed (Codex in an editor).
const REQUEST: &str = "## My request for Codex:";
/// The heading of the files that a prompt refers to, which stand behind it (Gemini CLI).
const REFERRED: &str = "\n--- Content from referenced files ---";
/// Words in a note in capitals and brackets that a client or a program writes: `[SYSTEM NOTIFICATION]`.
const NOTES: [&str; 4] = ["SYSTEM", "NOTIFICATION", "AUTOMATED", "REMINDER"];
/// Beginnings of prompts that clients write themselves, in lower case.
const SENTENCES: [&str; 9] = [
    "please continue the conversation from where we left",
    "this session is being continued from a previous conversation",
    "caveat: the messages below were generated",
    "base directory for this skill:",
    "# agents.md instructions for",
    "generate a title for this conversation",
    "summarize the task tool output above",
    "the following tool was executed by the user",
    "another language model started to solve this problem",
];
/// Whole prompts that clients write themselves, in lower case, without their last full stop.
const WHOLE: [&str; 2] = ["continue from where you left off", "no response requested"];
/// A note that stands before or instead of a person's words.
const INTERRUPTED: &str = "[request interrupted by user";
/// Words in the first line of a hook's feedback: `Stop hook feedback:`, `PreToolUse:Bash hook error:`.
const FEEDBACK: [&str; 4] = [
    "hook feedback:",
    "hook error:",
    "hook blocking error",
    "hook additional context:",
];
/// The longest first line that is looked at for it.
const FEEDBACK_LINE: usize = 80;

const NOBODY: &str = "no person wrote this prompt";

/// Extracts a person's words, without what is private and without a slash command's name; the error says why there are none.
pub(crate) fn typed(prompt: &str) -> Result<String, &'static str> {
    let open = without_private(prompt);
    if open.trim().is_empty() {
        return Err("the prompt is empty or private");
    }
    let whole = without_trailing(open.trim());
    let whole = whole.find(REFERRED).map_or(whole, |at| &whole[..at]);
    let mut text = unwrapped(whole).unwrap_or(whole);
    loop {
        text = text.trim();
        if let Some(element) = leading(text) {
            if element.is_notice() {
                return Err(NOBODY);
            }
            if !element.is_beside() {
                break;
            }
            match element.after {
                Some(after) => text = after,
                // An element that is never closed reaches to the end.
                None => return Err(NOBODY),
            }
        } else if let Some(after) = after_interruption(text) {
            text = after;
        } else {
            break;
        }
    }
    let text = without_trailing(text);
    if text.is_empty() || is_sentence(text) {
        return Err(NOBODY);
    }
    Ok(unquoted(without_command(text)?).to_owned())
}

/// Returns the text in the last element of a prompt that wraps what a person typed, or below its heading.
fn unwrapped(text: &str) -> Option<&str> {
    if text.starts_with("# ")
        && let Some(at) = text.rfind(REQUEST)
    {
        return Some(&text[at + REQUEST.len()..]);
    }
    WRAPPERS.iter().find_map(|name| {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let inside = text.strip_suffix(&close)?;
        let at = inside.find(&open)?;
        // A tag within a line is quoted.
        let begins = inside[..at].trim_end_matches([' ', '\t']);
        (begins.is_empty() || begins.ends_with(['\n', '>'])).then(|| &inside[at + open.len()..])
    })
}

/// An element at a text's beginning.
struct Element<'a> {
    name: &'a str,
    /// Text behind its end; `None` where it is never closed.
    after: Option<&'a str>,
    /// True if the text after its first tag looks like the content of an element, and not like a sentence that goes on.
    is_block: bool,
}

impl Element<'_> {
    fn is_notice(&self) -> bool {
        let named = NOTICES.contains(&self.name)
            || NOTICE_FAMILIES
                .iter()
                .any(|family| self.name.starts_with(family));
        named && (self.after.is_some() || self.is_block)
    }

    fn is_beside(&self) -> bool {
        // No element of HTML and no component has such a name.
        let is_made_up = |c: char| matches!(c, '-' | '_') || c.is_ascii_uppercase();
        let named = self.name.contains(is_made_up) || BESIDE.contains(&self.name);
        named && (self.after.is_some() || self.is_block)
    }
}

fn leading(text: &str) -> Option<Element<'_>> {
    let rest = text.strip_prefix('<')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))?;
    let name = &rest[..end];
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let attributes = rest[end..].starts_with(' ');
    let inside = &rest[end..];
    let inside = &inside[inside.find('>')? + 1..];
    let close = format!("</{name}>");
    let after = inside.find(&close).map(|at| &inside[at + close.len()..]);
    Some(Element {
        name,
        after,
        is_block: attributes
            || inside
                .trim_start_matches([' ', '\t'])
                .starts_with(['\n', '<']),
    })
}

/// The text behind `[Request interrupted by user]`, which clients put before the next prompt.
fn after_interruption(text: &str) -> Option<&str> {
    let head = text.get(..INTERRUPTED.len())?;
    let rest = &text[INTERRUPTED.len()..];
    head.eq_ignore_ascii_case(INTERRUPTED)
        .then(|| rest.find(']').map_or("", |at| &rest[at + 1..]))
}

/// The text without the elements at its end that clients put there, each from the beginning of a line.
fn without_trailing(text: &str) -> &str {
    let mut text = text.trim();
    while text.ends_with('>') {
        let Some(open) = text.rfind("</") else { break };
        let name = &text[open + 2..text.len() - 1];
        if WRAPPERS.contains(&name) {
            break;
        }
        let Some(at) = opening(&text[..open], name) else {
            break;
        };
        let Some(element) = leading(&text[at..]) else {
            break;
        };
        if !(element.is_beside() || element.is_notice()) {
            break;
        }
        text = text[..at].trim_end();
    }
    text
}

/// Where the last element of this name begins, if it does at the beginning of a line or behind another element.
fn opening(text: &str, name: &str) -> Option<usize> {
    let at = text.rfind(&format!("<{name}"))?;
    let before = text[..at].trim_end_matches([' ', '\t']);
    (before.is_empty() || before.ends_with(['\n', '>'])).then_some(at)
}

/// True if a line begins with a note in capitals, of which one word says that no person wrote it.
fn is_note(line: &str) -> bool {
    let note = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    note.is_some_and(|(note, _)| {
        !note.chars().any(char::is_lowercase) && NOTES.iter().any(|word| note.contains(word))
    })
}

fn is_sentence(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let head: String = first
        .chars()
        .take(FEEDBACK_LINE)
        .flat_map(char::to_lowercase)
        .collect();
    is_note(first)
        || SENTENCES.iter().any(|sentence| head.starts_with(sentence))
        || WHOLE.contains(&text.to_lowercase().trim_end_matches('.'))
        || FEEDBACK.iter().any(|words| {
            // `Stop hook feedback:` and no more than a name before it.
            head.find(words)
                .is_some_and(|at| head[..at].split_whitespace().count() <= 1)
        })
}

/// Folders at the root of a file system: `/tmp is full` is no command.
const ROOTS: [&str; 12] = [
    "bin", "dev", "etc", "home", "mnt", "opt", "proc", "root", "srv", "tmp", "usr", "var",
];

/// The text without the name of a slash command before it. A path is none.
fn without_command(text: &str) -> Result<&str, &'static str> {
    let Some(rest) = text.strip_prefix('/') else {
        return Ok(text);
    };
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, words) = rest.split_at(end);
    let is_command = !ROOTS.contains(&name)
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'));
    if !is_command {
        return Ok(text);
    }
    let words = words.trim();
    if words.is_empty() {
        return Err("the prompt is a command of the client");
    }
    Ok(words)
}

/// OpenCode hands an argument with blanks on in quotes.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .filter(|inside| !inside.contains('"') && !inside.trim().is_empty())
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn what_clients_write_is_nobodys() {
        for prompt in [
            "<task-notification>\n<task-id>b1</task-id>\n<summary>CI failed on main</summary>\n</task-notification>",
            "<task-notification><summary>done</summary></task-notification>\nRead the output file to see the result.",
            "<task-notification>\n<summary>torn",
            "<teammate-message teammate_id=\"b\">the index is mine</teammate-message>",
            "<bash-input>cargo test</bash-input>",
            "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
            "<local-command-caveat>ran by hand</local-command-caveat>\n<command-name>/clear</command-name>",
            "<command-name>/review</command-name>\n<command-args>the queue</command-args>",
            "<system-reminder>Todos changed.</system-reminder>",
            "<system-reminder>\nnever closed",
            "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
            "<hook_context>## Lessons learned</hook_context>",
            "<any-new-notice from=\"x\">the build is done</any-new-notice>",
            "<user-prompt-submit-hook>two files changed</user-prompt-submit-hook>",
            "[AUTOMATED MESSAGE] The nightly build of the queue failed.",
            "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThe agent finished the review.",
            "[Request interrupted by user]",
            "[Request interrupted by user for tool use]",
            "Stop hook feedback:\n- two tests fail",
            "PreToolUse:Bash hook error: exit 2",
            "Continue from where you left off.",
            "This session is being continued from a previous conversation that ran out of context.",
            "Caveat: The messages below were generated by the user while running local commands.",
        ] {
            assert_eq!(
                typed(prompt),
                Err("no person wrote this prompt"),
                "{prompt}"
            );
        }
    }

    #[test]
    fn what_a_person_typed_is_left_of_the_rest() {
        for (prompt, left) in [
            ("Retry the upload", "Retry the upload"),
            (
                "Why is there a <task-notification> for each build?",
                "Why is there a <task-notification> for each build?",
            ),
            (
                "<task-notification> comes for each build, why?",
                "<task-notification> comes for each build, why?",
            ),
            (
                "What is <system-reminder>x</system-reminder> for?",
                "What is <system-reminder>x</system-reminder> for?",
            ),
            (
                "Explain:\n```\n<bash-input>ls</bash-input>\n```",
                "Explain:\n```\n<bash-input>ls</bash-input>\n```",
            ),
            (
                "<div>Center this</div> with a grid",
                "<div>Center this</div> with a grid",
            ),
            (
                "<system-reminder>It is Monday.</system-reminder>\nRetry the upload",
                "Retry the upload",
            ),
            (
                "<ide_opened_file>The user opened a.rs</ide_opened_file>\nRetry the upload",
                "Retry the upload",
            ),
            (
                "<hook_context>## Lessons learned\n### a</hook_context>\n\nRetry the upload",
                "Retry the upload",
            ),
            (
                "<current_datetime>2026-11-26</current_datetime>\n\nRetry the upload",
                "Retry the upload",
            ),
            (
                "Retry the upload\n<system-reminder>It is Monday.</system-reminder>",
                "Retry the upload",
            ),
            (
                "<user_query>\nRetry the upload\n</user_query>",
                "\nRetry the upload\n",
            ),
            (
                "<attached_files>\na.rs\n</attached_files>\n<user_query>\nRetry the upload\n</user_query>",
                "\nRetry the upload\n",
            ),
            (
                "Take the <user_query> off of </user_query>",
                "Take the <user_query> off of </user_query>",
            ),
            (
                "[Request interrupted by user]\nRetry the upload instead",
                "Retry the upload instead",
            ),
            (
                "/fix-issue 42 the upload never ends",
                "42 the upload never ends",
            ),
            ("/plugin:review the upload", "the upload"),
            (
                "/srv/app/main.rs does not compile",
                "/srv/app/main.rs does not compile",
            ),
            (
                "Our stop hook feedback: it never comes",
                "Our stop hook feedback: it never comes",
            ),
            ("\"Retry the upload\"", "Retry the upload"),
            ("a <private>b</private> c", "a  c"),
            ("アップロードを再試行して", "アップロードを再試行して"),
        ] {
            assert_eq!(
                typed(prompt).as_deref().map(str::trim),
                Ok(left.trim()),
                "{prompt}"
            );
        }
        assert_eq!(
            typed("/clear"),
            Err("the prompt is a command of the client")
        );
        assert_eq!(
            typed("<private>a</private>"),
            Err("the prompt is empty or private")
        );
        assert_eq!(typed("  "), Err("the prompt is empty or private"));
    }
}
