//! Exchange of vectors with the linked server, so that each is computed on one device only.
//!
//! Vectors are beside the ledger: nothing that goes wrong here is shown or stops syncing. It is
//! tried again after a while, and lessons get their vectors here meanwhile.

use crate::host::Host;
use crate::remote::network::Network;
use crate::remote::remote_error::words;
use crate::state::service_struct::Service;
use crate::state::vector_exchange::{About, Exchange};
use lesson_core::Millis;
use lesson_sync::{
    Lacking, Link, RefusedVector, RemoteError, Store, Supabase, VECTOR_DIMS, VECTORS_ASKED,
    VectorPage, WhichVectors, back_off,
};
use lesson_types::{ApiError, ErrorCode};
use std::cell::RefCell;

/// Requests in one round; what is left over goes with the next one.
const REQUESTS: usize = 16;
/// Vectors sent at once: some 350 kB.
const BATCH: usize = 500;
/// While lessons are without a vector that nobody had, the server is asked again after this: who
/// wrote them may have sent it since.
const AGAIN: Millis = 60_000;
/// A round that takes longer is considered lost, in milliseconds: its host dropped the request.
const PATIENCE: Millis = 120_000;

/// Result of a look at the server's vectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorsRound {
    /// Requests sent. None: nothing was new, a round is under way, or it is not yet time to try
    /// again.
    pub requests: usize,
    /// Vectors that came from the server.
    pub taken: usize,
    /// Vectors that the server has stored.
    pub sent: usize,
    /// Vectors of the server that are none, by the hash of their text.
    pub refused: Vec<RefusedVector>,
    /// True if there is more, for another round right away.
    pub more: bool,
}

/// Work of a round.
struct Plan {
    link: Link,
    model: String,
    /// Texts to ask for, by their hash in order.
    wanted: Vec<String>,
    /// Set if the round goes through all vectors instead of naming them.
    walk: bool,
    /// Set if the round looks at what the server lacks.
    look: bool,
}

/// Ends the round when it is dropped.
struct Turn<'a>(&'a RefCell<Exchange>);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().began = None;
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// Takes vectors that the linked server has and lessons here are without, and sends those that
    /// it lacks. Every [`Service::sync_round`] that ends well does this. Does nothing without a
    /// link, without a model, or with one whose vectors the server can't keep. Sends no request
    /// when no text and no vector has changed since the last time.
    ///
    /// # Errors
    /// When the server can't be asked. It is not asked again until some time has passed; what came
    /// before the failure is kept.
    pub async fn vectors_round(&self) -> Result<VectorsRound, ApiError> {
        self.exchange(true).await
    }

    /// True if texts that the server was not asked for wait until it was.
    pub(crate) fn asks_first(&self) -> bool {
        let about = self.about();
        let exchange = self.embedding.exchanged.borrow();
        match about {
            None => false,
            Some(about) if exchange.of.as_ref() == Some(&about) => !exchange.waits(self.host.now()),
            Some(_) => true,
        }
    }

    /// True if a text waits whose vector the server is to be asked for first.
    pub fn awaits_server(&self) -> bool {
        let unasked = self
            .state
            .borrow()
            .vectors
            .as_ref()
            .is_some_and(|vectors| vectors.has_unasked());
        unasked && self.asks_first()
    }

    /// Asks for what was not asked for yet, before it is embedded here.
    pub async fn ask_first(&self) {
        while self.awaits_server() {
            match self.exchange(false).await {
                Ok(round) if round.requests > 0 => self.host.pause().await,
                _ => return,
            }
        }
    }

    /// `look`: whether to send what the server lacks, too.
    pub(crate) async fn exchange(&self, look: bool) -> Result<VectorsRound, ApiError> {
        while self.look() {
            self.host.pause().await;
        }
        let now = self.host.now();
        let Some(plan) = self.plan(look, now) else {
            return Ok(VectorsRound::default());
        };
        self.embedding.exchanged.borrow_mut().began = Some(now);
        let _turn = Turn(&self.embedding.exchanged);
        // A host that makes its own tokens has none to trade.
        let refreshes = plan
            .link
            .session
            .as_ref()
            .is_some_and(|session| !session.refresh_token.is_empty());
        let mut done = self.carry_out(plan).await;
        if refreshes && matches!(done, Err(RemoteError::Unauthorized)) {
            // A round of syncing refreshes the session.
            let _ = self.sync_rows().await;
            let again = self.plan_now(look, self.host.now());
            done = match again {
                Some(plan) => self.carry_out(plan).await,
                None => Err(RemoteError::Unauthorized),
            };
        }
        let mut random = [0; 16];
        self.host.random(&mut random);
        let mut exchange = self.embedding.exchanged.borrow_mut();
        match done {
            Ok(round) => {
                exchange.failures = 0;
                Ok(round)
            }
            Err(error) => {
                exchange.failures = exchange.failures.saturating_add(1);
                let wait = back_off(exchange.failures, u128::from_be_bytes(random));
                exchange.not_before = self.host.now().saturating_add(wait);
                if error == RemoteError::TooLarge {
                    let batch = exchange.batch.unwrap_or(BATCH);
                    exchange.batch = Some((batch / 2).max(1));
                }
                // They are embedded here instead of waiting for a server that may be long in coming.
                if let Some(vectors) = &mut self.state.borrow_mut().vectors {
                    let unasked = vectors.to_ask(false);
                    vectors.asked(&unasked);
                }
                Err(ApiError::new(
                    ErrorCode::Unavailable,
                    format!(
                        "the server's vectors are not to be had: {}; it is tried again by itself",
                        words(&error)
                    ),
                ))
            }
        }
    }

    /// Returns the server and the model that vectors could be exchanged with; `None` when they can't be.
    fn about(&self) -> Option<About> {
        let state = self.state.borrow();
        let vectors = state.vectors.as_ref()?;
        let link = &state.linked.as_ref()?.link;
        (vectors.dims == VECTOR_DIMS && link.session.is_some()).then(|| About {
            url: link.url.clone(),
            space: link.space.id.clone(),
            epoch: link.epoch.clone(),
            model: vectors.model.clone(),
        })
    }

    /// As [`Service::plan_now`]; `None` also while another round is under way, and after failures.
    fn plan(&self, look: bool, now: Millis) -> Option<Plan> {
        let about = self.about()?;
        let mut exchange = self.embedding.exchanged.borrow_mut();
        let under_way = exchange
            .began
            .is_some_and(|began| (now - began).abs() < PATIENCE);
        if under_way {
            return None;
        }
        if exchange.of.as_ref() != Some(&about) {
            if exchange.of.is_some()
                && let Some(vectors) = &mut self.state.borrow_mut().vectors
            {
                vectors.ask_anew();
            }
            *exchange = Exchange {
                of: Some(about),
                ..Exchange::default()
            };
        }
        if exchange.waits(now) {
            return None;
        }
        drop(exchange);
        self.plan_now(look, now)
    }

    /// Plans what there is to do; `None` when nothing is.
    fn plan_now(&self, look: bool, now: Millis) -> Option<Plan> {
        self.about()?;
        let mut exchange = self.embedding.exchanged.borrow_mut();
        let state = self.state.borrow();
        let (vectors, linked) = (state.vectors.as_ref()?, state.linked.as_ref()?);
        let again = look && (exchange.failures > 0 || (now - exchange.asked_at).abs() >= AGAIN);
        let wanted = vectors.to_ask(again);
        let changes = vectors.changes();
        let look = look && exchange.seen != Some(changes);
        if look && vectors.offers() && exchange.lacking_after.is_empty() {
            // The server can't name lessons that it does not have yet.
            exchange.looking = (linked.unsent() == 0).then_some(changes);
        }
        if look && !vectors.offers() {
            exchange.seen = Some(changes);
        }
        let look = look && vectors.offers();
        // By name costs twice as much as one of all does.
        let walk = wanted.len() > VECTORS_ASKED && wanted.len() > state.space.lessons().len() / 2;
        if !walk {
            exchange.walked.clear();
        }
        (look || !wanted.is_empty()).then(|| Plan {
            link: linked.link.clone(),
            model: vectors.model.clone(),
            wanted,
            walk,
            look,
        })
    }

    async fn carry_out(&self, plan: Plan) -> Result<VectorsRound, RemoteError> {
        let Plan {
            link,
            model,
            wanted,
            walk,
            mut look,
        } = plan;
        self.embedding.exchanged.borrow_mut().asked_at = self.host.now();
        let network = Network(&self.host);
        let remote = Supabase::new(&network);
        let mut round = VectorsRound::default();
        let mut named = wanted.chunks(VECTORS_ASKED);
        let mut walking = walk;
        loop {
            let hashes = if walking {
                &[][..]
            } else {
                named.next().filter(|_| !walk).unwrap_or_default()
            };
            if !walking && hashes.is_empty() && !look {
                return Ok(round);
            }
            if round.requests >= REQUESTS || self.sync.leaving.get() {
                round.more = true;
                return Ok(round);
            }
            let (after, lacking_after) = {
                let exchange = self.embedding.exchanged.borrow();
                (exchange.walked.clone(), exchange.lacking_after.clone())
            };
            let which = if walking {
                WhichVectors::After(&after)
            } else {
                WhichVectors::Of(hashes)
            };
            round.requests += 1;
            let page = remote
                .pull_vectors(&link, &model, which, look.then_some(&*lacking_after))
                .await?;
            let VectorPage {
                vectors,
                refused,
                next_after,
                lacking,
                lacking_next_after,
            } = page;
            round.refused.extend(refused);
            if !self.take_pulled(&link, &model, vectors, &mut round).await {
                return Ok(round);
            }
            let asked = if walking {
                walking = next_after.is_some();
                self.embedding.exchanged.borrow_mut().walked = next_after.unwrap_or_default();
                if walking { &[][..] } else { &wanted[..] }
            } else {
                hashes
            };
            if let Some(vectors) = &mut self.state.borrow_mut().vectors {
                vectors.asked(asked);
            }
            if look {
                self.send(&remote, &link, &model, lacking, &mut round)
                    .await?;
                look = lacking_next_after.is_some();
                let mut exchange = self.embedding.exchanged.borrow_mut();
                exchange.lacking_after = lacking_next_after.unwrap_or_default();
                if !look {
                    exchange.seen = exchange.looking.take();
                }
            }
        }
    }

    /// Takes up and stores what came; whether it is still wanted.
    async fn take_pulled(
        &self,
        link: &Link,
        model: &str,
        pulled: Vec<lesson_sync::VectorRow>,
        round: &mut VectorsRound,
    ) -> bool {
        // A person who signs out wipes the store in this turn, and nothing may come after.
        let _turn = self.writer.turn.lock().await;
        let mut rows = Vec::with_capacity(pulled.len());
        {
            let mut state = self.state.borrow_mut();
            let state = &mut *state;
            let same = state.linked.as_ref().is_some_and(|linked| {
                linked.link.url == link.url
                    && linked.link.space.id == link.space.id
                    && linked.link.user.id == link.user.id
            });
            let Some(vectors) = state
                .vectors
                .as_mut()
                .filter(|held| same && held.model == model)
            else {
                return false;
            };
            for (hash, bytes) in pulled {
                match vectors.take_from_server(&hash, bytes) {
                    Ok(row) => rows.extend(row),
                    Err(error) => round.refused.push(RefusedVector {
                        hash,
                        reason: error.to_string(),
                    }),
                }
            }
        }
        round.taken += rows.len();
        // They are in memory; a store that fails costs asking for them again.
        let _ = self.store_vectors(model, &rows).await;
        true
    }

    /// Sends those of the lacking vectors that are here.
    async fn send(
        &self,
        remote: &Supabase<'_, Network<'_, H>>,
        link: &Link,
        model: &str,
        lacking: Vec<Lacking>,
        round: &mut VectorsRound,
    ) -> Result<(), RemoteError> {
        let rows: Vec<(Lacking, Vec<u8>)> = {
            let state = self.state.borrow();
            let vectors = state.vectors.as_ref().filter(|held| held.model == model);
            let bytes = |one: &Lacking| vectors?.bytes_of(&one.content_hash);
            lacking
                .into_iter()
                .filter_map(|one| bytes(&one).map(|bytes| (one, bytes)))
                .collect()
        };
        let most = self.embedding.exchanged.borrow().batch.unwrap_or(BATCH);
        for rows in rows.chunks(most) {
            round.requests += 1;
            let stored = remote.put_vectors(link, model, rows).await?;
            round.sent += usize::try_from(stored).unwrap_or(0);
        }
        Ok(())
    }
}
