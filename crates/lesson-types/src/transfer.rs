//! Import and export.

use lesson_derive::Fields;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of import files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ImportFormat {
    /// By name and content of each file.
    #[default]
    Auto,
    /// Markdown with YAML front matter.
    Markdown,
    /// Lesson records of the source systems.
    Json,
    /// This product's ledger, or one lesson record a line.
    Jsonl,
    /// ACE playbooks with helpful and harmful counts.
    Ace,
    /// `.claude/reflections` files.
    Reflections,
}

/// One file to import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportFile {
    /// Path, for its name and for messages.
    #[field(lesson)]
    pub path: String,
    /// The text.
    #[field(lesson)]
    pub content: String,
}

/// `POST /v1/import`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Import {
    /// The files' format; `auto` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImportFormat>,
    /// The files.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::FILES)))]
    pub files: Vec<ImportFile>,
    /// Set to only say what would happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// A file, or a part of one, that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Rejected {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// A stable code, such as `front_matter`.
    pub code: String,
    /// The problem and the remedy.
    pub message: String,
}

/// The answer to an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imported {
    /// New lessons, and archived ones that the files bring back into use.
    pub added: u32,
    /// Lessons whose text changed.
    pub updated: u32,
    /// Approved lessons that the files have another text for: it waits as a proposal, and the text in force stays.
    #[serde(default)]
    pub proposed: u32,
    /// Lessons and records of tools that were there already.
    pub unchanged: u32,
    /// Events that were taken besides the lessons above: of a ledger, or records of tools.
    pub events: u32,
    /// The lessons that were added or changed, by the format of their file, such as `cursor`.
    #[serde(default)]
    pub formats: BTreeMap<String, u32>,
    /// Files and parts that were not taken.
    pub rejected: Vec<Rejected>,
    /// Parts that were taken, but not as they stood: dropped fields, redacted secrets, quarantined text.
    pub warnings: Vec<Rejected>,
    /// The lessons that were added or updated, to find them and to take the import back.
    pub lessons: Vec<ImportedLesson>,
}

/// A lesson that an import added or updated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportedLesson {
    /// The lesson's slug.
    #[field(sought)]
    pub slug: String,
    /// The revision that its text has now; 1 where it was added by a file of lessons.
    pub rev: u32,
    /// True if it was added, or brought back from the archive; otherwise its text was changed.
    pub added: bool,
    /// True if it is archived, so that no agent gets it until it is restored.
    pub archived: bool,
    /// The revision that it has since the import was taken back; absent while what the import did to it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub taken_back: Option<u32>,
}

/// `POST /v1/import/turn`: takes an import back, or brings it again. What was added is archived, a text that was changed is as
/// before; a text that changed since stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnImport {
    /// The import's lessons, 1 to 1,000 of them, as the import or its last turn answered them.
    pub lessons: Vec<ImportedLesson>,
    /// Set to bring an import again that was taken back.
    #[serde(default)]
    pub redo: bool,
}

/// The answer to `POST /v1/import/turn`: the changes of that turn. All of it is stored together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportTurned {
    /// Lessons that were archived, or taken into use again.
    pub archived: u32,
    /// Lessons whose text of before, or of the import, was put back.
    pub restored: u32,
    /// Lessons that changed since, and stayed.
    pub left: u32,
    /// The import's lessons as the next turn names them.
    pub lessons: Vec<ImportedLesson>,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ExportFormat {
    /// The whole ledger, lossless.
    #[default]
    Jsonl,
    /// One file a lesson: the body is `{"files": [{"path", "content"}]}`.
    Markdown,
    /// One row a lesson, for spreadsheets.
    Csv,
    /// A marked block for `AGENTS.md`: the best lessons in use, as many as coding agents read of such a file.
    AgentsMd,
    /// A folder with a `SKILL.md` for each lesson that a person approved and that proved itself; the body as for markdown.
    Skills,
}

/// `GET /v1/export`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportQuery {
    /// The format; the whole ledger when absent.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<ExportFormat>"))]
    pub format: ExportFormat,
}

/// The body of an export of several files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportFiles {
    /// One file a lesson, or one a skill.
    pub files: Vec<ImportFile>,
}
