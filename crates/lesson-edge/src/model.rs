//! Loading the model pack into an isolate. The first requests wait for it, and for the vectors of their space's lessons.
//!
//! On workerd a promise belongs to the request that made it, so no request may await another's fetch: one request has
//! the host fetch the pack, and all poll for the model.

use crate::edge::Edge;
use crate::limits::{GLANCE, LOOK_MS};
use crate::pack::Pack;
use crate::space::Space;
use lesson_core::Millis;
use lesson_service::timeout;
use lesson_service::{Embedder, Host, NoModel, loaded};
use lesson_sync::Store;
use lesson_types::ApiError;
use std::rc::Rc;

/// Time that requests wait for a pack that is being fetched, in milliseconds. A cold isolate takes about half of that to
/// fetch and load one; an agent should not wait longer for a better ranking.
const PACK: Millis = 1_000;
/// Time until the host is asked for the pack again when it gave none, in milliseconds: it may have lost the request.
const AGAIN: Millis = 60_000;
/// Until how long after its beginning a request waits for the server's vectors, and the least that it waits for them when
/// the pack took most of that, in milliseconds.
const SERVERS: Millis = 1_000;
const SERVERS_LEAST: Millis = 200;
/// Time in which requests don't wait for the server's vectors after these did not come in time, in milliseconds.
const SILENCE: Millis = 10_000;
/// Lessons without a vector are embedded before the answer if that takes at most this long, in milliseconds.
const FIRST: Millis = 2_000;
/// The least time assumed per embedding, in milliseconds, before one was measured.
const LEAST_PER_TEXT: f64 = 1.0;
/// Time in which embeddings are left out of the measured pace, in milliseconds: the host still compiles their code.
const WARM_UP: Millis = 250;
/// Time spent on embedding lessons after an answer, in milliseconds.
const AFTER: Millis = 300;

impl<S: Store, H: Host> Edge<S, H> {
    /// Has the host fetch the pack, unless it is loaded or being fetched.
    pub(crate) fn want_model(&self, fetch: Option<&dyn Fn()>) {
        let Some(fetch) = fetch else { return };
        let now = self.host.now();
        let due = match self.pack.get() {
            Pack::NotAsked => true,
            Pack::Asked(at) | Pack::Without(at, _) => (now - at).abs() >= AGAIN,
            Pack::Loaded => false,
        };
        if due {
            self.pack.set(Pack::Asked(now));
            fetch();
        }
    }

    /// Waits for what ranking by meaning needs, within the limits above: the pack, then the vectors of the lessons.
    /// `begun`: when the request came.
    pub(crate) async fn wait_for_meaning(&self, space: &Space<S, H>, begun: Millis) {
        while !space.service.has_model() && self.is_pack_near() {
            self.host.sleep(LOOK_MS).await;
        }
        if space.service.has_model() && !space.is_on_server() {
            self.take_servers(space, begun).await;
            self.embed_few(space).await;
        }
        space.service.set_no_model(self.why_no_model());
    }

    /// Why there is no model, as long as there is none.
    pub(crate) fn why_no_model(&self) -> NoModel {
        match self.pack.get() {
            Pack::NotAsked | Pack::Loaded => NoModel::NotLoaded,
            Pack::Asked(_) => NoModel::Loading,
            Pack::Without(_, why) => why,
        }
    }

    /// The time limit of a sync that a request can do without. Time during which a request that `embeds` waits for the
    /// pack is not counted, because loading the pack blocks everything else.
    pub(crate) async fn glance(&self, embeds: bool) {
        let mut since = self.host.now();
        while (self.host.now() - since).abs() < GLANCE {
            // Asked before the sleep: loading may hold up all of it, and is over afterwards.
            let loads = embeds && self.is_pack_near();
            self.host.sleep(LOOK_MS).await;
            if loads {
                since = self.host.now();
            }
        }
    }

    fn is_pack_near(&self) -> bool {
        match self.pack.get() {
            Pack::Asked(at) => (self.host.now() - at).abs() < PACK,
            _ => false,
        }
    }

    /// Takes the server's vectors of lessons that have none here.
    async fn take_servers(&self, space: &Space<S, H>, begun: Millis) {
        let now = self.host.now();
        let silent = space.vectors_silent.get();
        if space.has_failed() || silent.is_some_and(|since| (now - since).abs() < SILENCE) {
            return;
        }
        let until = (begun + SERVERS).max(now + SERVERS_LEAST);
        while space.service.awaits_server() {
            let left = u32::try_from(until - self.host.now()).unwrap_or_default();
            let limit = self.host.sleep(left);
            if left == 0 || timeout(space.service.ask_first(), limit).await.is_none() {
                space.vectors_silent.set(Some(self.host.now()));
                return;
            }
            if space.service.awaits_server() {
                // Another request asks, or there is more.
                self.host.sleep(LOOK_MS).await;
            }
        }
    }

    /// Embeds the lessons that nobody embedded, unless they are too many to be waited for.
    async fn embed_few(&self, space: &Space<S, H>) {
        let begun = self.host.now();
        loop {
            let at = space.service.indexing();
            let rest = at.total.saturating_sub(at.done + at.elsewhere);
            let spent = self.host.now() - begun;
            let pace = self.pace.get().unwrap_or(LEAST_PER_TEXT);
            let left = FIRST - spent;
            if rest == 0 || left <= 0 || rest as f64 * pace > left as f64 {
                return;
            }
            let limit = self.host.sleep(u32::try_from(left).unwrap_or_default());
            let tells = spent >= WARM_UP;
            let Some(true) = timeout(self.embed_slice(space, tells), limit).await else {
                return;
            };
        }
    }

    /// Gives lessons their vectors after an answer, for a while.
    pub(crate) async fn embed(&self, space: &Space<S, H>) {
        if !space.service.has_model() {
            return;
        }
        let begun = self.host.now();
        loop {
            let spent = self.host.now() - begun;
            if spent >= AFTER || !self.embed_slice(space, spent >= WARM_UP).await {
                return;
            }
        }
    }

    /// Embeds a slice; whether there may be more. `tells`: whether its time counts for the measured pace.
    async fn embed_slice(&self, space: &Space<S, H>, tells: bool) -> bool {
        let (begun, before) = (self.host.now(), space.service.indexing().done);
        let Ok(step) = space.service.index_step().await else {
            return false;
        };
        // On a host whose clock stands still while code runs, it goes on here.
        self.host.pause().await;
        let done = step.done.saturating_sub(before);
        if tells && done > 0 {
            let spent = (self.host.now() - begun).max(0) as f64;
            self.pace
                .set(Some((spent / done as f64).max(LEAST_PER_TEXT)));
        }
        !step.is_done_here()
    }

    /// To be called by the host when it can't give the pack: `missing` when there is none, otherwise when fetching failed.
    pub fn no_model(&self, missing: bool) {
        let why = if missing {
            NoModel::Missing
        } else {
            NoModel::Failed
        };
        if self.pack.get() != Pack::Loaded {
            self.pack.set(Pack::Without(self.host.now(), why));
        }
    }

    /// Checks and loads a model pack; lessons are found by meaning from then on. `sha256` is that
    /// of the pack from `Model::HASHED_FROM` (`lesson-embed`) on, where the host has computed it already.
    ///
    /// # Errors
    /// When the pack is refused; the edge goes on without it.
    pub async fn load_model(
        &self,
        pack: Vec<u8>,
        sha256: Option<[u8; 32]>,
    ) -> Result<String, ApiError> {
        match loaded(pack, sha256) {
            Ok(model) => self.use_model(Rc::new(model)).await,
            Err(error) => {
                self.no_model(false);
                Err(error)
            }
        }
    }

    /// As [`Edge::load_model`], with a model that is in memory already.
    ///
    /// # Errors
    /// When the model's vectors can't be kept.
    pub async fn use_model(&self, model: Rc<dyn Embedder>) -> Result<String, ApiError> {
        let id = model.id().to_owned();
        let spaces: Vec<Rc<Space<S, H>>> = self.spaces.borrow().clone();
        *self.model.borrow_mut() = Some(Rc::clone(&model));
        for space in spaces {
            space.service.use_model(Rc::clone(&model)).await?;
        }
        self.pack.set(Pack::Loaded);
        Ok(id)
    }
}
