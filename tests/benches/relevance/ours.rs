//! The engine, asked through the whole handler as an agent asks it, with the model and without.

use crate::corpus::Corpus;
use lesson_embed::{EmbedError, Model};
use lesson_service::{Embedder, Host, Reading, Service};
use lesson_sync::MemoryStore;
use lesson_types::{Method, Request, limits};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// The words of relevance, least first.
pub const WORDS: [&str; 4] = ["low", "medium", "high", "very high"];

/// The place of *low* in [`WORDS`].
const LOW: usize = 0;

/// The answer to one query: lessons by their place in the corpus, best first.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The lessons.
    pub ranked: Vec<usize>,
    /// The relevance of each, as a place in [`WORDS`]; empty where a way of searching has no words.
    pub words: Vec<usize>,
    /// The stated likelihood that each is the right one, and the tokens that it takes; empty but for recommend.
    pub likely: Vec<(f64, u64)>,
}

impl Answer {
    /// True if no lesson is said to be of more than low relevance.
    pub fn is_modest(&self) -> bool {
        self.words.iter().all(|word| *word == LOW)
    }
}

/// The model, which embeds each text once.
pub struct Cached {
    model: Model,
    bytes: usize,
    loading: Duration,
    /// Embedding time of each text.
    times: RefCell<Vec<Duration>>,
    held: RefCell<BTreeMap<(String, bool), Vec<f32>>>,
}

impl Cached {
    /// Reads the pack.
    ///
    /// # Errors
    /// When the pack can't be read or is refused.
    #[expect(clippy::disallowed_methods, reason = "what is measured is time")]
    pub fn open(pack: &str) -> Result<Self, String> {
        let pack_bytes = std::fs::read(pack).map_err(|error| format!("{pack}: {error}"))?;
        let (bytes, began) = (pack_bytes.len(), Instant::now());
        let model = Model::load(pack_bytes).map_err(|error| format!("{pack}: {error}"))?;
        Ok(Self {
            model,
            bytes,
            loading: began.elapsed(),
            times: RefCell::default(),
            held: RefCell::default(),
        })
    }

    /// A row of a table: the model, its pack's size, how long it loads, and what the middle one of the texts took.
    pub fn cost(&self) -> String {
        let mut times = self.times.borrow().clone();
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        format!(
            "| {} | {:.1} MB | {} ms | {:.1} ms |",
            self.model.id(),
            self.bytes as f64 / 1e6,
            self.loading.as_millis(),
            middle.as_secs_f64() * 1e3
        )
    }

    #[expect(clippy::disallowed_methods, reason = "what is measured is time")]
    fn once(&self, text: &str, is_query: bool) -> Result<Vec<f32>, EmbedError> {
        let key = (text.to_owned(), is_query);
        if let Some(vector) = self.held.borrow().get(&key) {
            return Ok(vector.clone());
        }
        let began = Instant::now();
        let vector = match is_query {
            true => self.model.embed_query(text)?,
            false => self.model.embed(text)?,
        };
        self.times.borrow_mut().push(began.elapsed());
        self.held.borrow_mut().insert(key, vector.clone());
        Ok(vector)
    }
}

impl Embedder for Cached {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.once(text, false)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.once(text, true)
    }

    fn is_multilingual(&self) -> bool {
        self.model.is_multilingual()
    }

    fn reading(&self) -> Reading {
        self.model.reading()
    }
}

/// An engine with a corpus in it.
pub struct Engine {
    service: Service<MemoryStore, Still>,
    places: BTreeMap<String, usize>,
}

impl Engine {
    /// Imports the corpus; with a model, every lesson gets its vector.
    ///
    /// # Errors
    /// When a lesson is not taken, or the model fails.
    pub fn open(corpus: &Corpus, model: Option<Rc<Cached>>) -> Result<Self, String> {
        let service = block_on(Service::open(MemoryStore::new(), Still::default()))
            .map_err(|error| format!("a store in memory: {}", error.message))?;
        let places = (0..).zip(&corpus.lessons);
        let engine = Self {
            service,
            places: places
                .map(|(at, lesson)| (lesson.slug.clone(), at))
                .collect(),
        };
        for files in corpus.files.chunks(limits::FILES) {
            let files: Vec<Value> = files
                .iter()
                .map(|(path, content)| json!({ "path": path, "content": content }))
                .collect();
            let body = json!({ "format": "markdown", "files": files });
            let answer = engine.ask("/v1/import", body)?;
            if answer["rejected"] != json!([]) {
                return Err(format!("the import refused {}", answer["rejected"]));
            }
        }
        // Lessons that were held back can't be recommended; here it is their order that is measured.
        for lesson in &corpus.lessons {
            let path = format!("/v1/lessons/{}/review", lesson.slug);
            engine.ask(&path, json!({ "verdict": "approve" }))?;
        }
        if let Some(model) = model {
            block_on(engine.service.use_model(model)).map_err(|error| error.message)?;
            block_on(engine.service.idle()).map_err(|error| error.message)?;
        }
        Ok(engine)
    }

    /// Returns the answer of `POST /v1/recommend`; nothing is counted as shown.
    ///
    /// # Errors
    /// When it fails.
    pub fn recommend(&self, query: &str) -> Result<Answer, String> {
        self.recommend_by(query, &json!({}))
    }

    /// The same, with every lesson that is relevant at all, however unlikely.
    ///
    /// # Errors
    /// When it fails.
    pub fn recommend_all(&self, query: &str) -> Result<Answer, String> {
        self.recommend_by(query, &json!({ "min_likelihood": 0.0 }))
    }

    fn recommend_by(&self, query: &str, policy: &Value) -> Result<Answer, String> {
        let body = json!({
            "query": query,
            "limit": limits::LIMIT,
            "max_tokens": limits::PROMPT_TOKENS_MAX,
            "dry_run": true,
            "explain": true,
            "policy": policy,
        });
        let told = self.ask("/v1/recommend", body)?;
        let mut answer = self.read(&told["recommended"])?;
        let (given, traces) = (&told["recommended"], &told["trace"]);
        for (one, trace) in given
            .as_array()
            .into_iter()
            .flatten()
            .zip(traces.as_array().into_iter().flatten())
        {
            if one["slug"] != trace["slug"] {
                return Err(format!("the trace of {} is not in its place", one["slug"]));
            }
            let likelihood = trace["likelihood"].as_f64().unwrap_or(0.0);
            answer
                .likely
                .push((likelihood, one["tokens"].as_u64().unwrap_or(0)));
        }
        Ok(answer)
    }

    /// Returns the answer of `POST /v1/patterns`.
    ///
    /// # Errors
    /// When it fails.
    #[allow(
        dead_code,
        reason = "the suite asks it, and the bench of the same name does not"
    )]
    pub fn patterns(&self, feature: &str) -> Result<Answer, String> {
        let body = json!({ "feature": feature });
        self.read(&self.ask("/v1/patterns", body)?["results"])
    }

    /// Returns the answer of `POST /v1/search`.
    ///
    /// # Errors
    /// When it fails.
    pub fn search(&self, query: &str) -> Result<Answer, String> {
        let body = json!({ "query": query, "limit": limits::LIMIT });
        self.read(&self.ask("/v1/search", body)?["results"])
    }

    fn read(&self, found: &Value) -> Result<Answer, String> {
        let mut answer = Answer::default();
        for one in found.as_array().into_iter().flatten() {
            let slug = one["slug"].as_str().unwrap_or_default();
            let place = self
                .places
                .get(slug)
                .ok_or_else(|| format!("`{slug}` is no lesson of the corpus"))?;
            let said = one["relevance"].as_str().unwrap_or_default();
            let word = WORDS
                .iter()
                .position(|word| *word == said)
                .ok_or_else(|| format!("`{said}` is no word of relevance"))?;
            answer.ranked.push(*place);
            answer.words.push(word);
        }
        Ok(answer)
    }

    fn ask(&self, path: &str, body: Value) -> Result<Value, String> {
        let request = Request {
            method: Method::Post,
            path: path.to_owned(),
            headers: BTreeMap::new(),
            body,
        };
        let response = block_on(self.service.handle(request));
        match response.status {
            200..300 => Ok(response.body.value()),
            status => Err(format!("{path}: {status}: {}", response.body)),
        }
    }
}

/// A clock that stands still, and numbers that are the same in every run.
#[derive(Default)]
struct Still {
    drawn: Cell<u64>,
}

impl Host for Still {
    fn now(&self) -> lesson_core::Millis {
        1_795_336_200_000
    }

    fn random(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let next = self
                .drawn
                .get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            self.drawn.set(next);
            *byte = (next >> 33) as u8;
        }
    }

    async fn pause(&self) {}
}

/// Nothing here waits for anything outside, so polling in place is enough.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
