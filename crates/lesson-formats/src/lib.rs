//! Import and export: the files that lessons come in and go out as.
//!
//! Every reader keeps what is good and lists what is bad with its file, line and field; a lesson
//! is taken whole or not at all. Nothing read here is trusted: lessons come out unreviewed (or
//! quarantined, when the file says so), and the caller screens them with `lesson-screen`.
#![forbid(unsafe_code)]

mod ace;
mod agents_md;
mod applies_to;
mod basic_memory;
mod beads;
mod beside;
mod cass;
mod claude_mem;
mod claude_memory;
mod csv;
mod cursor;
mod detect;
mod export;
mod exports;
mod extra;
mod fields;
mod file_name;
mod fit;
mod format;
mod front_matter;
mod front_matter_names;
mod generated;
mod headings;
mod instincts;
mod json;
mod json_tree;
mod ledger;
mod limits;
mod markdown;
mod mem0;
mod merge_block;
mod node;
mod parsed;
mod plain_yaml;
mod quoted;
mod record;
mod record_texts;
mod reflections;
mod rules;
mod server_memory;
mod sink;
mod skill_file;
mod skill_form;
mod skills;
mod split;
mod standing;
mod toml;
mod tool_records;
mod words;
mod yaml;
mod yaml_file;

pub use agents_md::agents_md;
pub use csv::to_csv;
pub use export::to_markdown;
pub use format::Format;
pub use ledger::{LEDGER_HEADER, ledger_line};
pub use merge_block::{DamagedBlock, merge_block};
pub use parsed::{Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem};
pub use skills::to_skills;

use beside::Beside;
use detect::Reader;
use lesson_core::Millis;
use sink::{Batch, Sink};

/// Reads one file. `now` becomes the time of lessons that name none.
pub fn parse(path: &str, content: &str, format: Format, now: Millis) -> Parsed {
    parse_all(&[(path, content)], format, now)
}

/// Reads files as one batch. A slug that comes twice with another text gets a suffix from its folders; in one folder it is taken
/// once, and refused the second time (`duplicate_slug`, naming both places). What lies beside a `SKILL.md` belongs to that skill:
/// it is named, not read.
pub fn parse_all<P: AsRef<str>, C: AsRef<str>>(
    files: &[(P, C)],
    format: Format,
    now: Millis,
) -> Parsed {
    let mut batch = Batch::default();
    let mut beside = Beside::of(files.iter().map(|(path, _)| path.as_ref()));
    for (path, content) in files {
        let path = path.as_ref();
        if format == Format::Auto && detect::by_path(path).is_none() && beside.takes(path) {
            continue;
        }
        let mut sink = Sink::new(path, &mut batch);
        file(content.as_ref(), format, now, &mut sink);
        sink.close();
    }
    for (skill, message) in beside.told() {
        let mut sink = Sink::new(&skill, &mut batch);
        sink.warn(None, "beside", message);
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
    let reader = match Reader::of(format) {
        Some(reader) => reader,
        None => match detect::reader_of(path, content) {
            Ok(reader) => reader,
            Err((code, message)) => return sink.reject(None, code, message),
        },
    };
    sink.format = reader.name();
    match reader {
        Reader::Ace => ace::read(content, now, sink),
        Reader::ClaudeMemory => claude_memory::read(content, now, sink),
        Reader::Cursor => cursor::read(content, now, sink),
        Reader::Export(export) => exports::lines(export, content, now, sink),
        Reader::Instincts => instincts::read(content, now, sink),
        Reader::Json => json::read(content, now, sink),
        Reader::Jsonl => ledger::read(content, now, sink),
        Reader::Markdown => markdown::read(content, now, sink),
        Reader::Reflections => reflections::read(content, now, sink),
        Reader::Rules => rules::read(content, now, sink),
        Reader::Skill => skill_file::read(content, now, sink),
        Reader::Yaml => yaml_file::read(content, now, sink),
    }
}
