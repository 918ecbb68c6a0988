//! Parts of a space on a server, for a host that can't hold it: how large it is, the lessons that may fit, rows by name.

use crate::http::Http;
use crate::link::{Link, VersionedRow};
use crate::remote::RemoteError;
use crate::schema::{LACKS, MIGRATE};
use crate::store::VectorRow;
use crate::supabase::Supabase;
use crate::vectors::WireVector;
use crate::wire::WirePage;
use lesson_types::{Bands, Funnel, RunCounts, SessionFeedback, Stats, Supply, Tags};
use serde::Deserialize;
use serde_json::{Value, json};

/// Size of a space: lessons, bytes of texts and recommendations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SpaceSize {
    /// Lessons, archived ones too.
    pub lessons: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Recommendations on record.
    pub records: u64,
    /// The space's version.
    pub version: u64,
    /// The server's epoch.
    pub epoch: String,
}

/// Bytes that a replica holds for each lesson besides its texts and their words, and for each recommendation on record:
/// measured in workerd with 1,000 to 10,000 lessons, with vectors.
const LESSON_BYTES: u64 = 2_600;
const RECORD_BYTES: u64 = 700;
/// Bytes that a replica holds for each byte of text: the text, and its words in the index.
const TEXT_FACTOR: u64 = 3;

impl SpaceSize {
    /// Bytes that a replica of it takes in memory, about.
    pub fn replica_bytes(&self) -> u64 {
        (self.lessons.saturating_mul(LESSON_BYTES))
            .saturating_add(self.bytes.saturating_mul(TEXT_FACTOR))
            .saturating_add(self.records.saturating_mul(RECORD_BYTES))
    }
}

/// Some rows of a space, as they are at its version.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// The rows.
    pub rows: Vec<VersionedRow>,
    /// The space's version.
    pub version: u64,
    /// The server's epoch.
    pub epoch: String,
    /// Vectors of the lessons' texts.
    pub vectors: Vec<VectorRow>,
    /// The whole space, where the rows are candidates of it.
    pub counted: Option<Counted>,
    /// The order of a list's page.
    pub listed: Option<ListedPage>,
    /// Numbers of the whole space.
    pub report: Option<Report>,
}

/// Numbers that a server counted of a whole space.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Its stats, with lists that are empty: these are made from the rows beside it.
    pub stats: Stats,
    /// Feedback in the last seven days.
    pub feedback_last_7_days: u32,
    /// Uses that feedback names: Σ use_count.
    pub uses: u32,
    /// Σ causal_hits / Σ use_count; `None` without uses.
    pub causal_ratio: Option<f64>,
    /// Lessons per band of effectiveness.
    pub bands: Bands,
    /// Surfaced → applied → outcome.
    pub funnel: Funnel,
    /// Counts of its runs, by how they went.
    pub runs: RunCounts,
    /// Supply of lessons for agents.
    pub supply: Supply,
    /// Feedback that was heard in the sessions of the last seven days.
    pub sessions: Option<SessionFeedback>,
    /// Lessons with a vector of the model that was asked for.
    pub embedded: u32,
    /// The words that its lessons have.
    pub tags: Tags,
}

/// Numbers of the space that candidates are of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Counted {
    /// Lessons, archived ones too.
    pub lessons: usize,
    /// Number of them that have a vector of the model that was asked for.
    pub with_vector: usize,
    /// In how many lessons each of the words that were asked for is.
    pub having: Vec<usize>,
    /// Words that are too common to find lessons by.
    #[serde(default)]
    pub hot: Vec<String>,
    /// Way in which the nearest were found: `exact`, `due` or `ready`.
    #[serde(default)]
    pub index: String,
}

/// A page of a list that the server made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ListedPage {
    /// Slugs of lessons, or ids of decisions, in their order.
    pub slugs: Vec<String>,
    /// True if there are more.
    pub more: bool,
    /// Number that fit, counted up to some thousands.
    pub total: u32,
}

#[derive(Deserialize)]
struct WirePart {
    page: WirePage,
    #[serde(default)]
    counted: Option<Counted>,
    #[serde(default)]
    listed: Option<ListedPage>,
    #[serde(default)]
    report: Option<Report>,
    #[serde(default)]
    vectors: Vec<WireVector>,
}

/// Tells whether the server lacks the function that was called: its schema is older than [`crate::SCHEMA_VERSION`].
pub fn lacks_function(error: &RemoteError) -> bool {
    matches!(error, RemoteError::Refused(cause) if cause.starts_with(LACKS))
}

impl<H: Http> Supabase<'_, H> {
    /// Asks how large the space is, before anything of it is read.
    ///
    /// # Errors
    /// See [`RemoteError`], and [`lacks_function`].
    pub async fn space_size(&self, link: &Link) -> Result<SpaceSize, RemoteError> {
        let body = json!({ "p_space": link.space.id });
        self.call(link, "space_size", body.to_string()).await
    }

    /// A part of the space: `function` is `lesson_candidates`, `space_rows`, `space_report` or that of a list, `ask` what is
    /// asked of it.
    ///
    /// # Errors
    /// See [`RemoteError`], and [`lacks_function`].
    pub async fn part(
        &self,
        link: &Link,
        function: &str,
        ask: &Value,
    ) -> Result<Part, RemoteError> {
        let body = json!({ "p_space": link.space.id, "p_ask": ask });
        let wire: WirePart = self.call(link, function, body.to_string()).await?;
        let page = wire.page.read("").map_err(|cause| {
            RemoteError::Trouble(format!(
                "The server's answer can't be read ({cause}). {MIGRATE}"
            ))
        })?;
        Ok(Part {
            rows: page.rows,
            version: page.version,
            epoch: page.epoch,
            // One that is none is as one that is not there: the lesson is ranked by its words.
            vectors: wire
                .vectors
                .into_iter()
                .filter_map(|one| one.read().ok())
                .collect(),
            counted: wire.counted,
            listed: wire.listed,
            report: wire.report,
        })
    }
}
