//! Import and export: the files that lessons come in and go out as.
//!
//! Every reader keeps what is good and lists what is bad with its file, line and field; a lesson
//! is taken whole or not at all. Nothing read here is trusted: lessons come out unreviewed (or
//! quarantined, when the file says so), and the caller screens them with `lesson-screen`.
#![forbid(unsafe_code)]

mod ace;
mod agents_md;
mod csv;
mod detect;
mod export;
mod fields;
mod file_name;
mod format;
mod front_matter;
mod front_matter_names;
mod generated;
mod headings;
mod json;
mod json_tree;
mod ledger;
mod limits;
mod markdown;
mod merge_block;
mod node;
mod parsed;
mod plain_yaml;
mod record;
mod reflections;
mod sink;
mod skills;
mod toml;
mod tool_records;
mod words;
mod yaml;

pub use agents_md::agents_md;
pub use csv::to_csv;
pub use export::to_markdown;
pub use format::Format;
pub use ledger::{LEDGER_HEADER, ledger_line};
pub use merge_block::{DamagedBlock, merge_block};
pub use parsed::{Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem};
pub use skills::to_skills;

use lesson_core::Millis;
use sink::{Batch, Sink};

/// Reads one file. `now` becomes the time of lessons that name none.
pub fn parse(path: &str, content: &str, format: Format, now: Millis) -> Parsed {
    parse_all(&[(path, content)], format, now)
}

/// Reads files as one batch: a slug that comes twice is taken once, and refused the second time
/// (`duplicate_slug`, naming both places) unless the text is the same.
pub fn parse_all<P: AsRef<str>, C: AsRef<str>>(
    files: &[(P, C)],
    format: Format,
    now: Millis,
) -> Parsed {
    let mut batch = Batch::default();
    for (path, content) in files {
        let mut sink = Sink::new(path.as_ref(), &mut batch);
        file(content.as_ref(), format, now, &mut sink);
        sink.close();
    }
    batch.parsed
}

/// Reads one file into `sink`.
fn file(content: &str, format: Format, now: Millis, sink: &mut Sink<'_>) {
    let path = sink.path;
    let content = match detect::decoded(content) {
        Ok((content, replaced)) => {
            if let Some(line) = replaced {
                sink.warn(Some(line), "encoding", "characters that could not be read stand as U+FFFD here; save the file as UTF-8 and import it again");
            }
            content
        }
        Err((code, message)) => return sink.reject(None, code, message),
    };
    let format = match format {
        Format::Auto => match detect::format_of(path, content) {
            Ok(format) => format,
            Err((code, message)) => return sink.reject(None, code, message),
        },
        format => format,
    };
    match format {
        Format::Auto | Format::Markdown => markdown::read(content, now, sink),
        Format::Reflections => reflections::read(content, now, sink),
        Format::Json => json::read(content, now, sink),
        Format::Ace => ace::read(content, now, sink),
        Format::Jsonl => ledger::read(content, now, sink),
    }
}
