//! Length bounds of every field, in characters unless said otherwise.

/// A slug: kebab-case, `a-z`, `0-9` and single `-`.
pub const SLUG: usize = 128;
/// A new slug, given by a request or made of a title: it reads as a name, not as a sentence.
pub const NEW_SLUG: usize = 60;
/// All texts of a new lesson together, in bytes: eight of them are what an agent can read at once.
pub const LESSON_BYTES: usize = 16_384;
/// A title.
pub const TITLE: usize = 300;
/// A description.
pub const DESCRIPTION: usize = 4_000;
/// A context.
pub const CONTEXT: usize = 20_000;
/// A recommendation.
pub const RECOMMENDATION: usize = 100_000;
/// A domain, tag, project type, tech stack, phase, source or server name.
pub const WORD: usize = 100;
/// The fields of a file that lessons lack, as JSON.
pub const EXTRA: usize = 8_000;
/// The number of such fields.
pub const EXTRA_FIELDS: usize = 100;
/// Entries in a list of tags, project types or tech stacks.
pub const WORDS: usize = 64;
/// A query, feature or tool request.
pub const QUERY: usize = 8_000;
/// A decision id or retrieval id.
pub const ID: usize = 200;
/// The mark that tells a request from others, in an event: a SHA-256 in hexadecimal digits.
pub const REQUEST: usize = 64;
/// An agent's reasoning, a transcript or an outcome text.
pub const TEXT: usize = 1_000_000;
/// Slugs in one feedback or merge.
pub const SLUGS: usize = 1_000;
/// The `limit` of recommend, search, patterns and suggest.
pub const LIMIT: usize = 100;
/// The fewest tokens that a prompt text can be held to: its frame and the beginning of a lesson.
pub const PROMPT_TOKENS_MIN: usize = 200;
/// The tokens of a prompt text when the request does not say: what an agent can read beside its work.
pub const PROMPT_TOKENS: usize = 6_000;
/// The most tokens of a prompt text.
pub const PROMPT_TOKENS_MAX: usize = 32_000;
/// The tokens of a tool's answer over MCP when the call does not say, as a text and as data alike: clients cut longer ones.
pub const TOOL_TOKENS: usize = 1_500;
/// The fewest tokens that such an answer can be held to.
pub const TOOL_TOKENS_MIN: usize = 500;
/// The tokens of the prompt text in such an answer; the rest is for what is said beside it.
pub const TOOL_PROMPT_TOKENS: usize = 1_200;
/// The `days` of insights.
pub const INSIGHT_DAYS: usize = 3_650;
/// Lessons of one agent's key in use that nobody has approved: more than a person reviews at a time.
pub const UNREVIEWED: usize = 200;
/// Open proposals of one agent's key: more than a person reviews at a time.
pub const PROPOSALS: usize = 50;
/// Open proposals for one lesson, one of a voice.
pub const LESSON_PROPOSALS: usize = 8;
/// Lessons that one agent's key gives feedback on at once: the places of the longest answer that it gets unasked.
pub const AGENT_FEEDBACK: usize = 15;
/// The `limit` of a list of lessons.
pub const PAGE: usize = 1_000;
/// A count that comes with a lesson, as from an import: uses, votes, revisions and the like.
pub const COUNT: u32 = 1_000_000;
/// Findings of screening in one lesson, and the characters of each.
pub const FINDINGS: usize = 1_000;
/// See [`FINDINGS`].
pub const FINDING: usize = 10_000;
/// Detections of the lessons of one decision at once.
pub const DETECTIONS: usize = 1_000;
/// The words of an agent that a detection quotes.
pub const QUOTE: usize = 10_000;
/// Files in one import.
pub const FILES: usize = 100_000;
/// One import file, in bytes.
pub const FILE_BYTES: usize = 32 * 1024 * 1024;
/// All files of one import, in bytes.
pub const IMPORT_BYTES: usize = 256 * 1024 * 1024;
