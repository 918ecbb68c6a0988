//! Requests about a space that is not held here: each reads the part that it needs, and what it made is sent from here. The
//! edge and the browser both go this way.

use crate::host::Host;
use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::http::router::Route;
use crate::large::part::MadeEvents;
use crate::large::part_wanted::PartWanted;
use crate::remote::timeout::timeout;
use crate::state::embedder::NoModel;
use crate::state::service_struct::Service;
use crate::state::snapshot::TextOf;
use lesson_sync::{RemoteError, SCHEMA_VERSION, Store, lacks_function};
use lesson_types::{ApiError, ErrorCode, Needs, Request};

/// Time limit of reading a part, in milliseconds.
pub const PATIENCE_MS: u32 = 6_000;
/// The same for numbers of all lessons, which the server counts.
const COUNTING_MS: u32 = 9_000;
/// Lessons that are embedded after an answer at a time.
const TEXTS: usize = 16;

/// Why a part was not read; nothing was done then.
#[derive(Debug)]
pub struct Unread {
    /// The cause, and its remedy.
    pub error: ApiError,
    /// Seconds after which to try again.
    pub wait: u64,
}

impl From<ApiError> for Unread {
    fn from(error: ApiError) -> Self {
        Self { error, wait: 1 }
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// Lets requests be answered over parts of the linked space: how to make a store in memory for one, and a host of this
    /// one's kind.
    #[must_use]
    pub fn with_parts(mut self, store: fn() -> S, host: fn(&H) -> H) -> Self {
        self.on_server.parts = Some((store, host));
        self
    }

    /// True if the linked space is not held here.
    pub fn is_on_server(&self) -> bool {
        let state = self.state.borrow();
        let linked = state.linked.as_ref();
        linked.is_some_and(|linked| linked.link.sends_only)
    }

    /// A service over the part of the space that a request needs.
    ///
    /// # Errors
    /// When the part can't be read.
    pub async fn part_for(
        &self,
        context: &RequestContext,
        route: &Route,
        request: &Request,
        no_model: NoModel,
    ) -> Result<Self, Unread> {
        let wanted = if route.endpoint.needs == Needs::SetAside {
            match &self.lessons_set_aside()[..] {
                [] => PartWanted::default(),
                slugs => PartWanted::lessons(slugs),
            }
        } else {
            PartWanted::of(context, route, &request.body, self.model().as_deref())
        };
        self.over(wanted, no_model).await
    }

    async fn over(&self, wanted: PartWanted, no_model: NoModel) -> Result<Self, Unread> {
        let patience = match wanted.function {
            Some("space_report") => COUNTING_MS,
            _ => PATIENCE_MS,
        };
        let late = || RemoteError::NoAnswer("it takes too long".to_owned());
        let asked = match self.renews_session() {
            // Half-way through, a token that was traded already would be lost; the host's network has its own limit.
            true => Some(self.part(&wanted).await),
            false => timeout(self.part(&wanted), self.host.sleep(patience)).await,
        };
        let part = asked
            .unwrap_or_else(|| Err(late()))
            .map_err(|error| match wanted.function {
                Some(function) if lacks_function(&error) => lacking(function),
                _ => unread(&error),
            })?;
        let Some((store, host)) = self.on_server.parts else {
            return Err(ApiError::new(
                ErrorCode::Unavailable,
                "this host holds spaces whole; connect it anew",
            )
            .into());
        };
        let service = self
            .over_part(store(), host(&self.host), part, wanted, no_model)
            .await?;
        Ok(service)
    }

    /// Lessons that refused events are about.
    fn lessons_set_aside(&self) -> Vec<String> {
        let state = self.state.borrow();
        let held = state.linked.iter().flat_map(|linked| &linked.set_aside);
        held.filter_map(|one| one.event.event.text_of())
            .map(str::to_owned)
            .collect()
    }

    /// Stores what was made over a part, to be sent; the position of the last event.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn take_over(&self, made: MadeEvents) -> Result<u64, ApiError> {
        self.on_server.texts.borrow_mut().extend(made.texts);
        self.forward(made.entries).await
    }

    /// Gives the server the vectors of lessons that got another text here. What fails is left to whoever embeds next.
    pub async fn embed_texts(&self) {
        if !self.has_model() {
            return;
        }
        let mut slugs = std::mem::take(&mut *self.on_server.texts.borrow_mut());
        slugs.sort_unstable();
        slugs.dedup();
        for some in slugs.chunks(TEXTS) {
            let wanted = PartWanted::lessons(some);
            if let Ok(service) = self.over(wanted, NoModel::NotLoaded).await {
                let _ = service.give_vectors().await;
            }
        }
    }

    /// True if all that was made here has been sent.
    pub fn has_nothing_to_send(&self) -> bool {
        !self.has_queue() && self.unsent() == 0
    }
}

/// The refusal where the server lacks a function, which is one of an older schema.
pub fn lacking(function: &str) -> Unread {
    Unread {
        error: ApiError::new(
            ErrorCode::Unavailable,
            format!(
                "this space is too large to be held here, and its server lacks the function {function}, which is part of version {SCHEMA_VERSION} of the schema: the operator has to apply all files of supabase/migrations; nothing was done"
            ),
        ),
        wait: 60,
    }
}

/// The lessons that a request names have more text than the server gives of a large space at once.
fn too_much() -> Unread {
    ApiError::new(
        ErrorCode::TooLarge,
        "the lessons that are named here have more text than is read at once of a space that is read from the server at each request (4 MB); name fewer of them; nothing was done",
    )
    .at("lessons")
    .into()
}

/// Why a part could not be read.
pub fn unread(error: &RemoteError) -> Unread {
    let cause = match error {
        RemoteError::NoAnswer(cause) => format!("the server can't be reached ({})", clip(cause)),
        RemoteError::Trouble(cause) | RemoteError::Refused(cause) => cause.clone(),
        RemoteError::Busy(_) => "the server is busy".to_owned(),
        RemoteError::TooLarge => return too_much(),
        RemoteError::Unauthorized => {
            "the server does not take this session any more; sign in again".to_owned()
        }
        RemoteError::ActorTaken | RemoteError::NotFound => {
            "the server does not let it be read by this key or account".to_owned()
        }
    };
    let wait = match error {
        RemoteError::Busy(Some(ms)) => ms / 1_000 + 1,
        _ => 1,
    };
    Unread {
        error: ApiError::new(
            ErrorCode::Unavailable,
            format!(
                "this space is read from the server at each request, and {cause}; nothing was done, try again"
            ),
        ),
        wait,
    }
}
