//! The messages between the page and the engine worker, sent by `postMessage`.

use crate::envelope::{Request, Response};
use serde::{Deserialize, Serialize};

/// Page → worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ToWorker {
    /// A request; answered by [`FromWorker::Response`] with the same id.
    Request {
        /// Chosen by the page, unique in its life.
        id: u32,
        /// The request; its body may be a text of JSON. The files of an import may have a `File` as `content` instead of its text: the worker reads
        /// it, so that the page is not held, and rejects what is not UTF-8.
        request: Request,
        /// Set to get the body of a good answer as a `Blob`: an export as the file that a person saves
        /// (markdown as a zip archive), made in the worker.
        #[serde(default)]
        as_file: bool,
    },
    /// Fetch the model pack (from the cache when it is there), load it and embed what has no
    /// vector yet; answered by [`FromWorker::Model`] as it goes on.
    LoadModel {
        /// The model to load in place of one that is loaded; absent: the one that is kept, or else the English one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        model: Option<ModelName>,
    },
    /// Stop a download that is under way; what has come is kept, and the next one goes on there.
    CancelModel,
    /// Stop giving lessons their vectors.
    StopIndexing,
    /// Go on with it.
    ResumeIndexing,
    /// Somebody looks at the page, or not any more: what a server has is asked for more often meanwhile.
    Watch {
        /// True if somebody does.
        watched: bool,
    },
}

/// Worker → page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum FromWorker {
    /// The engine is open and answers.
    Ready {
        /// The build that runs: `relaxed-simd` or `simd128`.
        build: String,
        /// True if a model pack is in the cache; the page then asks for it without being told.
        model_cached: bool,
        /// The start of a command of the process that serves the page, as a person types it, such as `npx lessonloop`; absent
        /// where a browser runs the engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        command: Option<String>,
    },
    /// The answer to a request.
    Response {
        /// The request's id.
        id: u32,
        /// The answer; its body is a text of JSON, or a `Blob` where one was asked for.
        response: Response,
    },
    /// The model's condition changed.
    Model {
        /// The condition.
        state: ModelState,
    },
    /// The models that the server has packs of.
    Models {
        /// Those that can be chosen.
        offered: Vec<ModelName>,
        /// The one that is loaded, kept, or would be loaded.
        chosen: ModelName,
    },
    /// The store was changed, by this tab or by another one.
    Changed,
    /// The stored data was deleted under the open page, by a person or by the browser; the engine goes on with what is there
    /// now.
    Cleared,
    /// Where syncing stands has changed: `GET /v1/sync` answers something else.
    Synced,
    /// The engine failed and was started anew; stored events are kept.
    Restarted {
        /// The failure, for a person.
        message: String,
    },
    /// The engine can't be opened, for example for want of WebAssembly or IndexedDB.
    Failed {
        /// The failure and the remedy, for a person.
        message: String,
    },
}

/// A model that lessons are found by meaning with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ModelName {
    /// all-MiniLM-L6-v2: English, 23 MB.
    English,
    /// multilingual-e5-small: some hundred languages, 45 MB.
    Multilingual,
}

/// The model's condition, as the page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ModelState {
    /// No model; keyword ranking.
    Absent,
    /// Bytes are coming in.
    Downloading {
        /// Bytes so far.
        loaded: u32,
        /// Bytes in all; 0 when the server does not say.
        total: u32,
    },
    /// The pack is verified and loaded.
    Loading,
    /// Loaded; lessons are being embedded.
    Indexing {
        /// Lessons with a vector.
        done: u32,
        /// Lessons in all.
        total: u32,
        /// The model's id.
        id: String,
    },
    /// Loaded, but embedding was stopped; lessons without a vector are found by keywords.
    Paused {
        /// Lessons with a vector.
        done: u32,
        /// Lessons in all.
        total: u32,
        /// The model's id.
        id: String,
    },
    /// Loaded, and every lesson has a vector.
    Ready {
        /// The model's id.
        id: String,
    },
    /// It did not work out; keyword ranking goes on.
    Failed {
        /// The failure and the remedy, for a person.
        message: String,
    },
}
