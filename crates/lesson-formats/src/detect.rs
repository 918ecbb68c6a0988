//! Which format a file has, by its name and content, and whether it is text at all.

use super::file_name::file_name;
use super::format::Format;
use super::limits::FILE_BYTES;
use super::{ace, reflections};

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

/// The format of a file.
pub(super) fn format_of(path: &str, content: &str) -> Result<Format, Refusal> {
    let name = file_name(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "jsonl" | "ndjson" => return Ok(Format::Jsonl),
        "json" => return Ok(json_kind(content)),
        "md" | "markdown" | "mdc" | "mdx" | "txt" | "" => {}
        _ => {
            return Err((
                "unknown_format",
                format!(
                    "files ending in .{extension} are not known; lessons come as .md, .json or .jsonl, or name the format"
                ),
            ));
        }
    }
    let start = content.trim_start();
    if !matches!(extension, "md" | "markdown" | "mdc" | "mdx") && start.starts_with(['{', '[']) {
        let first = start.lines().next().unwrap_or_default().trim_end();
        let many = start
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with('{'));
        return Ok(if first.starts_with('{') && first.ends_with('}') && many {
            Format::Jsonl
        } else {
            json_kind(content)
        });
    }
    if ace::is_playbook(content) {
        return Ok(Format::Ace);
    }
    if reflections::is_reflection(path, content) {
        return Ok(Format::Reflections);
    }
    if matches!(
        name.as_str(),
        "readme.md" | "changelog.md" | "license.md" | "contributing.md"
    ) && !start.starts_with("---")
    {
        return Err((
            "not_a_lesson",
            format!("{name} is about a folder, not a lesson; rename it if it is one"),
        ));
    }
    Ok(Format::Markdown)
}

/// ACE playbooks and ledgers that were named .json, told by their first field.
fn json_kind(content: &str) -> Format {
    let start = content.trim_start();
    // The second is how a ledger of 0.1.0-pre began: its reader says what to do.
    if start.starts_with(r#"{"format":"lessonloop-ledger""#)
        || start.starts_with(r#"{"lessonloop""#)
    {
        return Format::Jsonl;
    }
    let field = start
        .strip_prefix('{')
        .map_or("", str::trim_start)
        .strip_prefix('"')
        .and_then(|rest| rest.split_once('"'))
        .map_or("", |(field, _)| field);
    if matches!(field, "bullets" | "sections" | "playbook") {
        Format::Ace
    } else {
        Format::Json
    }
}
