//! Detecting the format of a file by its name and content, and whether it is text at all.

use super::exports::{self, Export};
use super::file_name::file_name;
use super::format::Format;
use super::limits::FILE_BYTES;
use super::{ace, claude_memory, cursor, instincts, reflections, rules, skill_file, yaml_file};

type Refusal = (&'static str, String);

/// The text without a byte-order mark, with the line of the first character that a decoder had
/// to replace.
pub(super) fn decoded(content: &str) -> Result<(&str, Option<u32>), Refusal> {
    if content.len() > FILE_BYTES {
        return Err((
            "too_large",
            format!(
                "the file has {} bytes, but at most {FILE_BYTES} (32 MiB) are taken; split it",
                content.len()
            ),
        ));
    }
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    if content.starts_with('\u{fffd}') || content.contains('\0') {
        return Err((
            "encoding",
            "the file is not UTF-8 text; save it as UTF-8 and import it again".to_owned(),
        ));
    }
    if content.trim().is_empty() {
        return Err((
            "empty",
            "the file is empty; remove it or fill it".to_owned(),
        ));
    }
    let replaced = content.find('\u{fffd}').map(|at| {
        let breaks = content[..at].bytes().filter(|b| *b == b'\n').count();
        super::node::line_number(breaks + 1)
    });
    Ok((content, replaced))
}

/// Reader of a kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Ace,
    ClaudeMemory,
    Cursor,
    Export(Export),
    Instincts,
    Json,
    Jsonl,
    Markdown,
    Reflections,
    Rules,
    Skill,
    Yaml,
}

impl Reader {
    /// The reader of a format that was named; `None` where the file tells it.
    pub fn of(format: Format) -> Option<Self> {
        match format {
            Format::Auto => None,
            Format::Markdown => Some(Self::Markdown),
            Format::Json => Some(Self::Json),
            Format::Jsonl => Some(Self::Jsonl),
            Format::Ace => Some(Self::Ace),
            Format::Reflections => Some(Self::Reflections),
        }
    }

    /// The format's name, as it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ace => "ace",
            Self::ClaudeMemory => "claude-memory",
            Self::Cursor => "cursor",
            Self::Export(export) => export.name(),
            Self::Instincts => "instincts",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Markdown => "markdown",
            Self::Reflections => "reflections",
            Self::Rules => "rules",
            Self::Skill => "skill",
            Self::Yaml => "yaml",
        }
    }
}

/// The reader that a file's path names, whatever it holds.
pub(super) fn by_path(path: &str) -> Option<Reader> {
    if skill_file::is_skill(path) {
        Some(Reader::Skill)
    } else if cursor::is_rule(path) {
        Some(Reader::Cursor)
    } else if rules::is_rules(path) {
        Some(Reader::Rules)
    } else {
        None
    }
}

/// The reader of a file.
pub(super) fn reader_of(path: &str, content: &str) -> Result<Reader, Refusal> {
    if let Some(reader) = by_path(path) {
        return Ok(reader);
    }
    let name = file_name(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_markdown = matches!(extension, "md" | "markdown" | "mdx");
    match extension {
        "jsonl" | "ndjson" => return Ok(lines(content)),
        "json" => return Ok(json_kind(content)),
        "yaml" | "yml" if !yaml_file::is_documents(content) && instincts::is_instincts(content) => {
            return Ok(Reader::Instincts);
        }
        "yaml" | "yml" => return Ok(Reader::Yaml),
        "md" | "markdown" | "mdx" | "txt" | "" => {}
        _ => {
            return Err((
                "unknown_format",
                format!(
                    "files ending in .{extension} are not known; lessons come as .md, .mdc, .yaml, .json or .jsonl, or name the format"
                ),
            ));
        }
    }
    let start = content.trim_start();
    if !is_markdown && start.starts_with(['{', '[']) {
        return Ok(json_kind(content));
    }
    if ace::is_playbook(content) {
        return Ok(Reader::Ace);
    }
    if reflections::is_reflection(path, content) {
        return Ok(Reader::Reflections);
    }
    if is_markdown && claude_memory::is_memory(path, content) {
        return Ok(Reader::ClaudeMemory);
    }
    if instincts::is_instincts(content) {
        return Ok(Reader::Instincts);
    }
    if matches!(
        name.as_str(),
        "readme.md"
            | "changelog.md"
            | "license.md"
            | "contributing.md"
            | "security.md"
            | "code_of_conduct.md"
    ) && !start.starts_with("---")
    {
        return Err((
            "not_a_lesson",
            format!("{name} is about a folder, not a lesson; rename it if it is one"),
        ));
    }
    Ok(Reader::Markdown)
}

/// The reader of JSON lines.
fn lines(content: &str) -> Reader {
    exports::of_lines(content).map_or(Reader::Jsonl, Reader::Export)
}

/// ACE playbooks and ledgers that were named .json, told by their first field.
fn json_kind(content: &str) -> Reader {
    let start = content.trim_start();
    // The second is how a ledger of 0.1.0-pre began: its reader says what to do.
    if start.starts_with(r#"{"format":"lessonloop-ledger""#)
        || start.starts_with(r#"{"lessonloop""#)
    {
        return Reader::Jsonl;
    }
    // JSON lines that were named .json: a whole object on the first line, another on the next.
    let mut said = start.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = said.next().unwrap_or_default();
    if first.starts_with('{')
        && first.ends_with('}')
        && said.next().is_some_and(|line| line.starts_with('{'))
    {
        return lines(start);
    }
    let field = start
        .strip_prefix('{')
        .map_or("", str::trim_start)
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'))
        .map_or("", |(field, _)| field);
    if matches!(field, "bullets" | "sections" | "playbook") {
        Reader::Ace
    } else {
        Reader::Json
    }
}
