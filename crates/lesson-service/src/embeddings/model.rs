//! The model: loading it, embedding queries, and giving every lesson its vector in slices.

use crate::host::Host;
use crate::http::fault::{clip, of_model, of_store};
use crate::http::validate::chars;
use crate::state::embedder::Embedder;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use crate::state::vector_exchange::Exchange;
use crate::state::vectors::{Vectors, Wanted};
use lesson_embed::Model;
use lesson_sync::Store;
use lesson_types::{ApiError, ErrorCode, limits};
use std::rc::Rc;

/// The most texts embedded in one slice.
const SLICE: usize = 16;
/// A slice ends after this many milliseconds of the host's clock.
const SLICE_MS: i64 = 40;

/// Progress of embedding: the lessons with their vectors, and all that have or await one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Lessons with a vector.
    pub done: usize,
    /// Lessons with a vector, and those that wait for one.
    pub total: usize,
    /// Of those that wait: lessons whose text was handed out by [`Service::texts_to_index`], or
    /// whose vector a linked server is asked for first, or that another process embeds.
    pub elsewhere: usize,
}

impl Indexing {
    /// True if nothing waits.
    pub fn is_done(self) -> bool {
        self.done == self.total
    }

    /// True if nothing is left to be embedded here: every lesson has its vector, or others are at
    /// it.
    pub fn is_done_here(self) -> bool {
        self.done + self.elsewhere >= self.total
    }
}

/// Ends a slice when it is dropped, however it went.
struct Turn<'a, S: Store>(&'a S);

impl<S: Store> Drop for Turn<'_, S> {
    fn drop(&mut self) {
        self.0.end_embedding();
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// Checks and loads a model pack and takes up the vectors that the store keeps of it. Lessons
    /// without one get it by [`Service::index_step`]. `sha256` is that of the pack from
    /// [`Model::HASHED_FROM`] on, where the host has computed it already. Returns the model's id.
    ///
    /// # Errors
    /// When the pack is refused or the store fails; the model that was loaded before stays.
    pub async fn load_model(
        &self,
        pack: Vec<u8>,
        sha256: Option<[u8; 32]>,
    ) -> Result<String, ApiError> {
        self.use_model(Rc::new(loaded(pack, sha256)?)).await
    }

    /// As [`Service::load_model`], with a model that is in memory already.
    ///
    /// # Errors
    /// When the store fails or the model's vectors can't be kept.
    pub async fn use_model(&self, model: Rc<dyn Embedder>) -> Result<String, ApiError> {
        let id = model.id().to_owned();
        let rows = self
            .store
            .vectors(&id)
            .await
            .map_err(|error| of_store(&error))?;
        let mut vectors = Vectors::new(&id, model.dims(), model.reading(), rows)
            .map_err(|error| of_model(&error))?;
        vectors.look_at_all(&self.state.borrow().space);
        self.state.borrow_mut().vectors = Some(vectors);
        *self.embedding.exchanged.borrow_mut() = Exchange::default();
        *self.embedding.model.borrow_mut() = Some(model);
        while self.look() {
            self.host.pause().await;
        }
        Ok(id)
    }

    /// Turns the embedding of lessons on or off; it is on at first. While it is off,
    /// [`Service::index_step`] and [`Service::texts_to_index`] do nothing, and lessons without a
    /// vector are ranked by keywords.
    pub fn set_indexing(&self, on: bool) {
        self.embedding.indexes.set(on);
    }

    /// True if lessons get their vectors.
    pub fn indexes(&self) -> bool {
        self.embedding.indexes.get()
    }

    /// Gives a slice of the lessons their vectors and stores these. Call it until
    /// [`Indexing::is_done_here`], with requests answered in between. Of a linked space, vectors
    /// that the server has are taken from there first; when it can't be asked, all are computed
    /// here.
    ///
    /// # Errors
    /// When the store fails, but not for want of room. The slice's vectors are in memory all the
    /// same, and the next step goes on. A text that the model refuses stays without a vector.
    pub async fn index_step(&self) -> Result<Indexing, ApiError> {
        let model = self.embedding.model.borrow().clone();
        let Some(model) = model.filter(|_| self.embedding.indexes.get()) else {
            return Ok(self.indexing());
        };
        self.look();
        self.ask_first().await;
        let ask_first = self.asks_first();
        let is_wanted = |state: &State| {
            let vectors = state.vectors.as_ref();
            vectors.is_some_and(|vectors| vectors.next(&state.space, ask_first).is_some())
        };
        if !is_wanted(&self.state.borrow()) {
            return Ok(self.indexing());
        }
        let begun = self.store.begin_embedding(model.id()).await;
        let Some(others) = begun.map_err(|error| of_store(&error))? else {
            // They are another process's to embed, and read with the next step.
            let indexing = self.indexing();
            let elsewhere = indexing.total - indexing.done;
            return Ok(Indexing {
                elsewhere,
                ..indexing
            });
        };
        let _turn = Turn(&self.store);
        if let Some(vectors) = &mut self.state.borrow_mut().vectors {
            vectors.take_in(others);
        }
        let begun = self.host.now();
        let mut rows = Vec::new();
        for _ in 0..SLICE {
            let wanted = {
                let state = self.state.borrow();
                state
                    .vectors
                    .as_ref()
                    .filter(|vectors| vectors.model == model.id())
                    .and_then(|vectors| vectors.next(&state.space, ask_first))
            };
            let Some(wanted) = wanted else { break };
            let vector = model.embed(&wanted.text);
            if let Some(vectors) = &mut self.state.borrow_mut().vectors {
                rows.extend(vectors.take(&wanted.hash, vector));
            }
            if self.host.now() - begun >= SLICE_MS {
                break;
            }
        }
        self.store_vectors(model.id(), &rows).await?;
        Ok(self.indexing())
    }

    /// Up to `limit` texts that need a vector, short ones first, for others to embed with the same
    /// model. They are reserved: the engine does not embed them itself until
    /// [`Service::take_vectors`] takes their vectors or [`Service::release`] gives them back. Empty
    /// without a model, when indexing is off, or when nothing waits.
    pub fn texts_to_index(&self, limit: usize) -> Vec<Wanted> {
        if !self.embedding.indexes.get() {
            return Vec::new();
        }
        self.look();
        let ask_first = self.asks_first();
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        state
            .vectors
            .as_mut()
            .map(|vectors| vectors.hand_out(&state.space, limit, ask_first))
            .unwrap_or_default()
    }

    /// Takes vectors that others computed for texts of [`Service::texts_to_index`], and stores
    /// them: `vectors` holds one after the other, in the order of `hashes`. A vector of a text that
    /// no lesson has any more is left out, and so is one that is there already. Returns how far
    /// the lessons are.
    ///
    /// # Errors
    /// When `model` is not the loaded one or the lengths don't fit: then nothing is taken. When the
    /// store fails, but not for want of room: the vectors are in memory all the same.
    pub async fn take_vectors(
        &self,
        model: &str,
        hashes: &[String],
        vectors: &[f32],
    ) -> Result<Indexing, ApiError> {
        let mut rows = Vec::with_capacity(hashes.len());
        {
            let mut state = self.state.borrow_mut();
            let Some(held) = &mut state.vectors else {
                return Err(no_model());
            };
            if held.model != model {
                return Err(ApiError::invalid(
                    "model",
                    format!(
                        "these are vectors of `{}`, but `{}` is loaded; embed the texts with that one",
                        clip(model),
                        held.model
                    ),
                ));
            }
            let expected = hashes.len().saturating_mul(held.dims);
            if vectors.len() != expected {
                return Err(ApiError::invalid(
                    "vectors",
                    format!(
                        "there are {} numbers for {} texts; give {} for each, one vector after the other",
                        vectors.len(),
                        hashes.len(),
                        held.dims
                    ),
                ));
            }
            for (hash, vector) in hashes.iter().zip(vectors.chunks_exact(held.dims)) {
                rows.extend(held.take_from_others(hash, vector));
            }
        }
        self.store_vectors(model, &rows).await?;
        Ok(self.indexing())
    }

    /// Gives texts of [`Service::texts_to_index`] back: whoever had them does not embed them.
    /// `failed` says that it tried and could not; a text that came back so twice is not handed out
    /// again, but embedded by [`Service::index_step`] only.
    pub fn release(&self, hashes: &[String], failed: bool) {
        if let Some(vectors) = &mut self.state.borrow_mut().vectors {
            for hash in hashes {
                vectors.release(hash, failed);
            }
        }
    }

    /// Returns when everything that waits is stored, and every lesson has its vector if a model is
    /// loaded and indexing is on.
    ///
    /// # Errors
    /// When the store fails; what waits goes on waiting.
    pub async fn idle(&self) -> Result<(), ApiError> {
        loop {
            self.flush().await?;
            let done = self.index_step().await?.is_done() || !self.embedding.indexes.get();
            if done && self.writer.queue.borrow().is_empty() {
                return Ok(());
            }
            self.host.pause().await;
        }
    }

    /// The vectors of some texts.
    ///
    /// # Errors
    /// When no model is loaded or a text is too long.
    pub fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ApiError> {
        let Some(model) = self.embedding.model.borrow().clone() else {
            return Err(no_model());
        };
        texts
            .iter()
            .enumerate()
            .map(|(at, text)| {
                chars(&format!("texts[{at}]"), text, limits::TEXT)?;
                model.embed(text).map_err(|error| of_model(&error))
            })
            .collect()
    }

    /// The cosine of a query's vector and a lesson's text, as the policy reads it; `None` without a model, when it refuses the text, and where
    /// the vector is of another one.
    pub(crate) fn cosine_to_text(&self, query: &[f32], text: &str) -> Option<f64> {
        let model = self.embedding.model.borrow().clone()?;
        let vector = model.embed(text).ok()?;
        if vector.len() != query.len() {
            return None;
        }
        let products = query.iter().zip(&vector);
        let cosine = products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        Some(model.reading().read(cosine))
    }

    /// The vector of a text that is looked for; `None` without a model, or when the model refuses the text.
    pub(crate) fn query_vector(&self, text: &str) -> Option<Vec<f32>> {
        let model = self.embedding.model.borrow().clone()?;
        model.embed_query(text).ok()
    }
}

/// The model of a pack, whose hash the host may have computed already.
pub fn loaded(pack: Vec<u8>, sha256: Option<[u8; 32]>) -> Result<Model, ApiError> {
    let model = match sha256 {
        Some(sha256) => Model::load_hashed(pack, sha256),
        None => Model::load(pack),
    };
    model.map_err(|error| of_model(&error))
}

fn no_model() -> ApiError {
    ApiError::new(
        ErrorCode::Unavailable,
        "no model is loaded; load a model pack first",
    )
}
