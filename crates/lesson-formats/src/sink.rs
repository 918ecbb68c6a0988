//! Where the readers put what they find.

use super::file_name::{folders, stem};
use super::limits;
use super::parsed::{Parsed, ParsedEvent, ParsedLesson, ParsedTool, Problem};
use lesson_core::{Event, Lesson, Millis, Text, slug_of};
use lesson_types::limits::NEW_SLUG;
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
    /// The name of the file's format.
    pub format: &'static str,
    batch: &'a mut Batch,
    rejected: usize,
    warned: usize,
    /// Fields that lessons lack: where they were met first, and their names.
    unknown: Option<(Option<u32>, Vec<String>)>,
}

impl<'a> Sink<'a> {
    /// For what is found in the file at `path`.
    pub fn new(path: &'a str, batch: &'a mut Batch) -> Self {
        Self {
            path,
            format: "markdown",
            batch,
            rejected: 0,
            warned: 0,
            unknown: None,
        }
    }

    /// True if the batch holds as much as it may.
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

    /// Fields that lessons lack and keep; a file says so once.
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

    /// Takes a lesson. One whose slug is taken by another text gets a suffix: `apart` within one file, else a folder's name that
    /// the other does not lie in.
    pub fn lesson(&mut self, line: Option<u32>, mut lesson: Lesson, apart: Option<&str>) {
        if self.full() {
            return self.reject(line, "too_many", TOO_MANY);
        }
        let Some(first) = self.taken(&lesson.slug) else {
            return self.take(line, lesson);
        };
        if first.lesson.text == lesson.text {
            return self.repeated();
        }
        let (first_path, first_line) = (first.path.clone(), first.line);
        for suffix in self.suffixes(&first_path, apart) {
            let Some(slug) = with_suffix(&lesson.slug, &suffix) else {
                continue;
            };
            match self.taken(&slug) {
                None => {
                    lesson.slug = slug;
                    return self.take(line, lesson);
                }
                Some(other) if other.lesson.text == lesson.text => return self.repeated(),
                // One folder has a name once, whatever else bears it.
                Some(other)
                    if self.format != "rules"
                        && folders(&other.path) == folders(self.path)
                        && other.path != self.path =>
                {
                    break;
                }
                Some(_) => {}
            }
        }
        let place = match first_line {
            Some(line) => format!("{first_path}, line {line}"),
            None => first_path,
        };
        let message = format!(
            "`{}` was read from {place} already, with another text; rename or remove one of them",
            lesson.slug
        );
        self.reject(line, "duplicate_slug", message);
    }

    /// The lesson of this batch that has a slug.
    fn taken(&self, slug: &str) -> Option<&ParsedLesson> {
        let known = *self.batch.slugs.get(slug)?;
        self.batch.parsed.lessons.get(known)
    }

    fn take(&mut self, line: Option<u32>, lesson: Lesson) {
        let lessons = &mut self.batch.parsed.lessons;
        self.batch.slugs.insert(lesson.slug.clone(), lessons.len());
        lessons.push(ParsedLesson {
            path: self.path.to_owned(),
            line,
            format: self.format,
            lesson,
        });
    }

    fn repeated(&mut self) {
        self.batch.parsed.unchanged = self.batch.parsed.unchanged.saturating_add(1);
    }

    /// Lists suffixes that may tell a lesson from that of `first`, the best first.
    fn suffixes(&self, first: &str, apart: Option<&str>) -> Vec<String> {
        let mut suffixes: Vec<String> = Vec::new();
        if first == self.path {
            suffixes.extend(apart.map(slug_of));
            return suffixes;
        }
        let (own, others) = (folders(self.path), folders(first));
        let told: Vec<String> = own
            .iter()
            .filter(|name| !others.contains(name))
            .map(|name| slug_of(name))
            .filter(|name| !name.is_empty())
            .collect();
        suffixes.extend(told.iter().cloned());
        if own != others {
            // Many files of one name, such as `rules/LANGUAGE/testing.md` in several languages of people: by two folders, then
            // by all of them.
            suffixes.extend(
                told.windows(2)
                    .map(|two| [&*two[1], &*two[0]].join("-"))
                    .filter(|name| name.len() <= SUFFIX),
            );
            if suffixes.is_empty() {
                // Its folder holds the other's: its own name, or its place at the top, tells it apart.
                suffixes.extend(own.first().map(|name| slug_of(name)));
                suffixes.push("top".to_owned());
            }
            // The folders that the two have in common depend on where the import began.
            let common = own
                .iter()
                .rev()
                .zip(others.iter().rev())
                .take_while(|(own, other)| own == other)
                .count();
            let apart = &own[..own.len() - common];
            suffixes.push(short_hash(&apart.join("/")));
        } else if self.format == "rules"
            || stem(first) != stem(self.path) && !stem(self.path).is_ascii()
        {
            // Sections of two files of one folder, and names without Latin letters.
            suffixes.push(slug_of(stem(self.path)));
            suffixes.push(short_hash(stem(self.path)));
        }
        suffixes
    }

    /// Counts the problems that were not listed one by one.
    pub fn close(mut self) {
        if let Some((line, names)) = self.unknown.take() {
            let more = if names.len() > NAMED { " and more" } else { "" };
            let names = names.get(..NAMED).unwrap_or(&names).join(", ");
            let message = format!(
                "fields that lessons lack are kept beside them, shown and exported again: {names}{more}"
            );
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

/// Longest suffix of a slug, in characters.
const SUFFIX: usize = 24;

/// Eight hexadecimal digits that tell a text from others.
pub(super) fn short_hash(text: &str) -> String {
    let text = Text {
        title: text.to_owned(),
        ..Text::default()
    };
    text.content_hash().chars().take(8).collect()
}

/// A slug with a suffix, no longer than a new slug may be; `None` where the suffix says nothing.
pub(super) fn with_suffix(slug: &str, suffix: &str) -> Option<String> {
    let suffix = suffix.get(..SUFFIX).unwrap_or(suffix).trim_matches('-');
    if suffix.is_empty() || slug == suffix {
        return None;
    }
    // Slugs are ASCII.
    let head = slug.get(..NEW_SLUG - suffix.len() - 1).unwrap_or(slug);
    Some(format!("{}-{suffix}", head.trim_end_matches('-')))
}
