//! A service over a part of a space: the same handlers over the rows that one request needs.

use crate::host::{Host, fresh_id};
use crate::http::fault::of_store;
use crate::large::part_wanted::PartWanted;
use crate::remote::network::Network;
use crate::state::embedder::{Embedder, NoModel, Reading};
use crate::state::held::{Held, PartHeld};
use crate::state::service_struct::Service;
use lesson_core::{EventKind, SpaceCounts};
use lesson_embed::EmbedError;
use lesson_sync::{
    Change, Entry, Lacking, Link, Part, RemoteError, SetAside, SpaceSize, Store, StoreError,
    Supabase, VECTOR_DIMS,
};
use lesson_types::ApiError;
use std::rc::Rc;

/// Times that events are put into the store again because others came in between.
const TRIES: usize = 8;

/// A model that has embedded one query already.
struct Remembering {
    model: Rc<dyn Embedder>,
    text: String,
    vector: Vec<f32>,
}

impl Embedder for Remembering {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.model.embed(text)
    }

    fn is_multilingual(&self) -> bool {
        self.model.is_multilingual()
    }

    fn reading(&self) -> Reading {
        self.model.reading()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if text == self.text {
            return Ok(self.vector.clone());
        }
        self.model.embed_query(text)
    }
}

/// The link by which events are sent and no rows are read.
pub(crate) fn sending_only(link: Link, size: &SpaceSize) -> Link {
    Link {
        sends_only: true,
        epoch: size.epoch.clone(),
        cursor: size.version,
        ..link
    }
}

/// Events that a request made, and the lessons whose texts they change.
#[derive(Debug, Clone, Default)]
pub struct MadeEvents {
    /// Its events, to be stored elsewhere.
    pub entries: Vec<Entry>,
    /// Their ids.
    pub op_ids: Vec<String>,
    /// Lessons that have another text by them.
    pub texts: Vec<String>,
}

impl<S: Store, H: Host> Service<S, H> {
    /// Asks for the size of the linked space.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn space_size(&self) -> Result<SpaceSize, RemoteError> {
        let link = self.link().ok_or(RemoteError::NotFound)?;
        self.size_of(&link).await
    }

    /// Asks for the size of a link's space, also of a link that is not made yet.
    pub(crate) async fn size_of(&self, link: &Link) -> Result<SpaceSize, RemoteError> {
        let network = Network(&self.host);
        Supabase::new(&network).space_size(link).await
    }

    /// From now on events are sent to the linked space and no rows of it are read; whether the store took it. Nothing may be
    /// held of it yet.
    pub async fn send_only(&self, size: &SpaceSize) -> bool {
        let Some(link) = self.link() else {
            return false;
        };
        let change = Change::to(sending_only(link, size));
        self.commit_link(change).await.is_ok()
    }

    /// Bytes that the lessons held here take in memory, about.
    pub fn bytes_held(&self) -> u64 {
        let state = self.state.borrow();
        let space = &state.space;
        let texts = space.lessons().map(|lesson| {
            let text = &lesson.text;
            let long = [
                &text.title,
                &text.description,
                &text.context,
                &text.recommendation,
            ];
            (lesson.slug.len() + long.map(String::len).iter().sum::<usize>()) as u64
        });
        let records = space.decisions().map(|(_, one)| one.records.len() as u64);
        SpaceSize {
            lessons: space.lessons().len() as u64,
            bytes: texts.sum(),
            records: records.sum(),
            ..SpaceSize::default()
        }
        .replica_bytes()
    }

    /// The part of the linked space that is wanted.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn part(&self, wanted: &PartWanted) -> Result<Part, RemoteError> {
        let link = self.link().ok_or(RemoteError::NotFound)?;
        let Some(function) = wanted.function else {
            return Ok(Part::default());
        };
        self.signed_in(&link, async |link: &Link| {
            let network = Network(&self.host);
            Supabase::new(&network)
                .part(link, function, &wanted.ask)
                .await
        })
        .await
    }

    /// The model in use.
    pub fn model(&self) -> Option<Rc<dyn Embedder>> {
        self.embedding.model.borrow().clone()
    }

    /// A service over a part of this one's space, in a store of its own: it answers one request, and what it makes of it
    /// goes on by [`Service::forward`]. Keys of repeated requests are known to both.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn over_part(
        &self,
        store: S,
        host: H,
        part: Part,
        wanted: PartWanted,
        no_model: NoModel,
    ) -> Result<Self, ApiError> {
        let link = Link {
            cursor: part.version,
            epoch: part.epoch,
            revision: 0,
            based: 0,
            acked: 0,
            tried: 0,
            sends_only: false,
            ..self.link().unwrap_or_default()
        };
        let failed = |error: StoreError| of_store(&error);
        store.identity(&fresh_id(&host)).await.map_err(failed)?;
        let change = Change {
            rows: part.rows,
            renumber_after: Some(0),
            set_aside: self.events_set_aside(),
            ..Change::to(link)
        };
        store.commit(0, change).await.map_err(failed)?;
        let model = self.model();
        if let Some(model) = &model {
            store
                .put_vectors(model.id(), &part.vectors)
                .await
                .map_err(failed)?;
        }
        let mut service = Self::open(store, host).await?;
        service.answers = Rc::clone(&self.answers);
        service.held = Held::Part(Box::new(PartHeld {
            counted: part.counted.clone(),
            page: part.listed,
            report: part.report,
            syncing: None,
        }));
        service.tools.clone_from(&self.tools);
        service.set_no_model(no_model);
        if let Some(model) = model {
            let model = match wanted.vector {
                Some((text, vector)) => Rc::new(Remembering {
                    model,
                    text,
                    vector,
                }),
                None => model,
            };
            service.use_model(model).await?;
        }
        if let Some(counted) = &part.counted {
            let words = wanted.words.iter().map(String::as_str);
            let words = words.zip(counted.having.iter().copied());
            let with_vector = service.has_model().then_some(counted.with_vector);
            let counts = SpaceCounts::new(counted.lessons, with_vector, words);
            service.state.borrow_mut().index.count_as(counts);
        }
        Ok(service)
    }

    fn events_set_aside(&self) -> Vec<SetAside> {
        let state = self.state.borrow();
        let linked = state.linked.as_ref();
        linked.map_or_else(Vec::new, |linked| linked.set_aside.clone())
    }

    /// Of how many lessons those at hand are candidates; `None` where all are at hand.
    pub(crate) fn candidates_of(&self) -> Option<u32> {
        self.held
            .candidates_of()
            .map(|lessons| u32::try_from(lessons).unwrap_or(u32::MAX))
    }

    /// The events that requests have made here, with those that waited.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn made_events(&self) -> Result<MadeEvents, ApiError> {
        let _ = self.flush().await;
        let mut made = MadeEvents::default();
        for event in self.own_events(0).await? {
            match &event.event {
                EventKind::LessonAdded { lesson } => made.texts.push(lesson.slug.clone()),
                EventKind::LessonEdited { lesson, .. } => made.texts.push(lesson.clone()),
                _ => {}
            }
            made.op_ids.push(event.op_id.clone());
            made.entries.push(Entry::Own {
                op_id: event.op_id,
                at: event.at,
                by: event.by,
                request: event.request,
                event: event.event,
            });
        }
        Ok(made)
    }

    /// Stores events that were checked elsewhere, to be sent from here; the position of the last.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn forward(&self, entries: Vec<Entry>) -> Result<u64, ApiError> {
        if entries.is_empty() {
            return Ok(self.position());
        }
        let _turn = self.writer.turn.lock().await;
        for _ in 0..TRIES {
            match self.append(entries.clone()).await {
                Ok(()) => return Ok(self.position()),
                Err(StoreError::Behind) => {
                    self.read_news().await.map_err(|error| of_store(&error))?
                }
                Err(error) => return Err(of_store(&error)),
            }
        }
        Err(of_store(&StoreError::Behind))
    }

    /// Embeds the lessons at hand that have no vector, and gives the server theirs; how many.
    ///
    /// # Errors
    /// See [`RemoteError`]; nothing is stored then.
    pub async fn give_vectors(&self) -> Result<u64, RemoteError> {
        let (Some(link), Some(model)) = (self.link(), self.model()) else {
            return Ok(0);
        };
        let mut rows: Vec<(Lacking, Vec<u8>)> = Vec::new();
        self.look();
        let texts = {
            // The server was asked for their vectors with the lessons themselves.
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            let vectors = state.vectors.as_mut();
            vectors.map_or_else(Vec::new, |held| {
                held.hand_out(&state.space, usize::MAX, false)
            })
        };
        for wanted in texts.into_iter().filter(|_| model.dims() == VECTOR_DIMS) {
            let Ok(vector) = model.embed(&wanted.text) else {
                continue;
            };
            let taken = match &mut self.state.borrow_mut().vectors {
                Some(vectors) => vectors.take_from_others(&wanted.hash, &vector),
                None => None,
            };
            let Some((hash, bytes)) = taken else { continue };
            let state = self.state.borrow();
            let lessons = state.space.lessons();
            rows.extend(
                lessons
                    .filter(|lesson| lesson.text.embedded_hash() == hash)
                    .map(|lesson| {
                        let lacking = Lacking {
                            slug: lesson.slug.clone(),
                            content_hash: hash.clone(),
                        };
                        (lacking, bytes.clone())
                    }),
            );
        }
        if rows.is_empty() {
            return Ok(0);
        }
        let network = Network(&self.host);
        Supabase::new(&network)
            .put_vectors(&link, model.id(), &rows)
            .await
    }
}
