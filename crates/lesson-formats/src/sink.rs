//! Where the readers put what they find.

use super::limits;
use super::parsed::{Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem};
use lesson_core::{Event, Lesson, Millis};
use std::collections::BTreeMap;

/// Everything read so far, and where each slug was met.
#[derive(Default)]
pub(super) struct Batch {
    pub parsed: Parsed,
    /// Slug → place in `parsed.lessons`.
    slugs: BTreeMap<String, usize>,
}

/// Where the readers put what they find in one file.
pub(super) struct Sink<'a> {
    pub path: &'a str,
    batch: &'a mut Batch,
    rejected: usize,
    warned: usize,
    /// Fields that lessons don't have: where they were met first, and their names.
    unknown: Option<(Option<u32>, Vec<String>)>,
}

impl<'a> Sink<'a> {
    /// For what is found in the file at `path`.
    pub fn new(path: &'a str, batch: &'a mut Batch) -> Self {
        Self {
            path,
            batch,
            rejected: 0,
            warned: 0,
            unknown: None,
        }
    }

    /// Whether the batch holds as much as it may.
    pub fn full(&self) -> bool {
        let parsed = &self.batch.parsed;
        parsed.lessons.len() + parsed.events.len() + parsed.tools.len() >= limits::RECORDS
    }

    pub fn reject(&mut self, line: Option<u32>, code: &'static str, message: impl Into<String>) {
        self.rejected += 1;
        if self.rejected <= limits::PROBLEMS {
            let problem = self.problem(line, code, message.into());
            self.batch.parsed.rejected.push(problem);
        }
    }

    pub fn warn(&mut self, line: Option<u32>, code: &'static str, message: impl Into<String>) {
        self.warned += 1;
        if self.warned <= limits::PROBLEMS {
            let problem = self.problem(line, code, message.into());
            self.batch.parsed.warnings.push(problem);
        }
    }

    /// Fields that lessons don't have; a file says so once.
    pub fn unknown(&mut self, line: Option<u32>, names: Vec<String>) {
        if names.is_empty() {
            return;
        }
        let (_, known) = self.unknown.get_or_insert((line, Vec::new()));
        for name in names {
            if known.len() < NAMES && !known.contains(&name) {
                known.push(name);
            }
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

    pub fn event(&mut self, line: u32, event: Event) {
        if self.full() {
            return self.reject(Some(line), "too_many", TOO_MANY);
        }
        self.batch.parsed.events.push(ParsedEvent {
            path: self.path.to_owned(),
            line,
            event,
        });
    }

    pub fn tool(&mut self, line: u32, query: String, server: String, at: Millis) {
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

    pub fn lesson(&mut self, line: Option<u32>, lesson: Lesson) {
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
    pub fn close(mut self) {
        if let Some((line, names)) = self.unknown.take() {
            let more = if names.len() > NAMED { " and more" } else { "" };
            let names = names.get(..NAMED).unwrap_or(&names).join(", ");
            let message = format!("fields that lessons don't have were left out: {names}{more}");
            self.warn(line, "unknown_field", message);
        }
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

/// Names of unknown fields that are told.
const NAMED: usize = 20;
/// Names of unknown fields that are looked at.
const NAMES: usize = 21;
const TOO_MANY: &str =
    "this import holds 1,000,000 lessons and events already; import the rest in another one";
