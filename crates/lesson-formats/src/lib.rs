//! Import and export: the files that lessons come in and go out as.
//!
//! Every reader keeps what is good and lists what is bad with its file, line and field; a lesson
//! is taken whole or not at all. Nothing read here is trusted: lessons come out unreviewed (or
//! quarantined, when the file says so), and the caller screens them with `lesson-screen`.
#![forbid(unsafe_code)]

mod ace;
mod csv;
mod detect;
mod export;
mod fields;
mod front_matter;
mod generated;
mod headings;
mod json;
mod json_tree;
mod ledger;
mod limits;
mod markdown;
mod node;
mod record;
mod reflections;
mod tool_records;
mod words;

pub use csv::to_csv;
pub use export::to_markdown;
pub use ledger::{LEDGER_HEADER, ledger_line};

use lesson_core::Event;
use lesson_core::Lesson;
use lesson_core::Millis;
use std::collections::BTreeMap;

/// How a file is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// By name and content of each file.
    #[default]
    Auto,
    /// Markdown, with YAML front matter or without.
    Markdown,
    /// Records of the source systems: lessons, one, an array, or `{"lessons": […]}`; or tools
    /// that worked.
    Json,
    /// This product's ledger, or one lesson record a line.
    Jsonl,
    /// ACE playbooks with helpful and harmful counts, as text or JSON.
    Ace,
    /// `.claude/reflections` files.
    Reflections,
}

/// What a file, or a part of one, was refused or changed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// A stable code, such as `front_matter`.
    pub code: &'static str,
    /// What was wrong, and what to do.
    pub message: String,
}

/// A lesson and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLesson {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// The lesson.
    pub lesson: Lesson,
}

/// A ledger event and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedEvent {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The event.
    pub event: Event,
}

/// A tool that worked, and where that stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedTool {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The request.
    pub query: String,
    /// The server that helped with it.
    pub server: String,
    /// When; not after the time of reading.
    pub at: Millis,
}

/// What was found in one or more files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// Lessons, in the order of the files; each slug once.
    pub lessons: Vec<ParsedLesson>,
    /// Ledger events, in the order of the files. Lossless: their trust is as it was written.
    pub events: Vec<ParsedEvent>,
    /// Records of tools, in the order of the files.
    pub tools: Vec<ParsedTool>,
    /// Lessons that were met again with the very same text.
    pub unchanged: u32,
    /// What was not taken.
    pub rejected: Vec<Problem>,
    /// What was taken, but not as it stood.
    pub warnings: Vec<Problem>,
}

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
        let mut sink = Sink {
            path: path.as_ref(),
            batch: &mut batch,
            rejected: 0,
            warned: 0,
        };
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

/// Everything read so far, and where each slug was met.
#[derive(Default)]
struct Batch {
    parsed: Parsed,
    /// Slug → place in `parsed.lessons`.
    slugs: BTreeMap<String, usize>,
}

/// Where the readers put what they find in one file.
struct Sink<'a> {
    path: &'a str,
    batch: &'a mut Batch,
    rejected: usize,
    warned: usize,
}

impl Sink<'_> {
    /// Whether the batch holds as much as it may.
    fn full(&self) -> bool {
        let parsed = &self.batch.parsed;
        parsed.lessons.len() + parsed.events.len() + parsed.tools.len() >= limits::RECORDS
    }

    fn reject(&mut self, line: Option<u32>, code: &'static str, message: impl Into<String>) {
        self.rejected += 1;
        if self.rejected <= limits::PROBLEMS {
            let problem = self.problem(line, code, message.into());
            self.batch.parsed.rejected.push(problem);
        }
    }

    fn warn(&mut self, line: Option<u32>, code: &'static str, message: impl Into<String>) {
        self.warned += 1;
        if self.warned <= limits::PROBLEMS {
            let problem = self.problem(line, code, message.into());
            self.batch.parsed.warnings.push(problem);
        }
    }

    fn problem(&self, line: Option<u32>, code: &'static str, message: String) -> Problem {
        Problem {
            path: self.path.to_owned(),
            line,
            code,
            message,
        }
    }

    fn event(&mut self, line: u32, event: Event) {
        if self.full() {
            return self.reject(Some(line), "too_many", TOO_MANY);
        }
        self.batch.parsed.events.push(ParsedEvent {
            path: self.path.to_owned(),
            line,
            event,
        });
    }

    fn tool(&mut self, line: u32, query: String, server: String, at: Millis) {
        if self.full() {
            return self.reject(Some(line), "too_many", TOO_MANY);
        }
        self.batch.parsed.tools.push(ParsedTool {
            path: self.path.to_owned(),
            line,
            query,
            server,
            at,
        });
    }

    fn lesson(&mut self, line: Option<u32>, lesson: Lesson) {
        if self.full() {
            return self.reject(line, "too_many", TOO_MANY);
        }
        let lessons = &mut self.batch.parsed.lessons;
        let Some(&known) = self.batch.slugs.get(&lesson.slug) else {
            self.batch.slugs.insert(lesson.slug.clone(), lessons.len());
            lessons.push(ParsedLesson {
                path: self.path.to_owned(),
                line,
                lesson,
            });
            return;
        };
        // Indices in `slugs` are those of `lessons`, which only grows.
        let Some(first) = lessons.get(known) else {
            return;
        };
        if first.lesson.text == lesson.text {
            self.batch.parsed.unchanged = self.batch.parsed.unchanged.saturating_add(1);
            return;
        }
        let place = match first.line {
            Some(line) => format!("{}, line {line}", first.path),
            None => first.path.clone(),
        };
        let message = format!(
            "`{}` was read from {place} already, with another text; rename or remove one of them",
            lesson.slug
        );
        self.reject(line, "duplicate_slug", message);
    }

    /// Counts the problems that were not listed one by one.
    fn close(self) {
        let more = |count: usize| count.saturating_sub(limits::PROBLEMS);
        let note = |count: usize| {
            self.problem(
                None,
                "more",
                format!("and {count} more of the kind in this file"),
            )
        };
        let (rejected, warned) = (more(self.rejected), more(self.warned));
        let (rejection, warning) = (note(rejected), note(warned));
        if rejected > 0 {
            self.batch.parsed.rejected.push(rejection);
        }
        if warned > 0 {
            self.batch.parsed.warnings.push(warning);
        }
    }
}

const TOO_MANY: &str =
    "this import holds 1,000,000 lessons and events already; import the rest in another one";
