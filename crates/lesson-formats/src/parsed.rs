//! Lessons, events and problems found in files, each with its place.

use lesson_core::{Event, Lesson, Millis};

/// Reason for which a file, or a part of one, was refused or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// A stable code, such as `front_matter`.
    pub code: &'static str,
    /// The fault and its remedy.
    pub message: String,
}

/// A lesson and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLesson {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// The name of the format that it came in, such as `cursor`.
    pub format: &'static str,
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

/// Contents of one or more files, and the problems with them.
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
    /// Problems for which something was not taken.
    pub rejected: Vec<Problem>,
    /// Problems of what was taken, but not as it stood.
    pub warnings: Vec<Problem>,
}
