//! Requests about a space that is too large to be held: each reads the part that it needs, is answered by the same handlers,
//! and what it made is sent from this isolate.

use crate::host::Signed;
use crate::message::Refusal;
use crate::space::Space;
use crate::timeout::timeout;
use crate::unanswered::Made;
use lesson_service::{Host, MadeEvents, NoModel, PartWanted, RequestContext, Route, Service};
use lesson_sync::{RemoteError, Store, lacks_function};
use lesson_types::{ApiError, Request, Response};

/// How long a part is waited for, in milliseconds.
const PATIENCE_MS: u32 = 6_000;
/// The same for numbers of all lessons, which the server counts.
const COUNTING_MS: u32 = 9_000;
/// Lessons that are embedded after an answer at a time.
const TEXTS: usize = 16;

impl<S: Store, H: Host> Space<S, H> {
    /// Answers a request that writes nothing, or only what was recommended.
    pub async fn read_part(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
        no_model: NoModel,
    ) -> Result<Response, Refusal> {
        let service = self.part_for(context, &route, &request, no_model).await?;
        let response = service.handle_for(context, route, request).await;
        self.take_over(service.made_events().await?).await?;
        Ok(response)
    }

    /// Makes a write's events over the part that it needs, and takes them over to be sent.
    ///
    /// # Errors
    /// When the part can't be read; nothing was made then.
    pub async fn make_over_part(
        &self,
        context: &RequestContext,
        route: &Route,
        request: &Request,
    ) -> Result<Made, Refusal> {
        // What was made here before is part of what this is about.
        if !self.has_nothing_to_send() {
            self.sync_for(PATIENCE_MS).await;
        }
        let service = self
            .part_for(context, route, request, NoModel::NotLoaded)
            .await?;
        if let Some(keyed) = context.keyed()
            && !self.service.knows_key(&keyed.key())
        {
            let asked = service.done_before(route, request, keyed).await;
            if let Some(response) = asked.map_err(|error| unread(&error))?? {
                return Ok(Made {
                    response,
                    events: Vec::new(),
                    through: 0,
                });
            }
        }
        let response = service
            .handle_for(context, route.clone(), request.clone())
            .await;
        let made = service.made_events().await?;
        let events = made.op_ids.clone();
        let through = self.take_over(made).await?;
        Ok(Made {
            response,
            events,
            through,
        })
    }

    async fn take_over(&self, made: MadeEvents) -> Result<u64, ApiError> {
        self.texts.borrow_mut().extend(made.texts);
        self.service.forward(made.entries).await
    }

    /// A service over the part of the space that a request needs.
    async fn part_for(
        &self,
        context: &RequestContext,
        route: &Route,
        request: &Request,
        no_model: NoModel,
    ) -> Result<Service<S, Signed<H>>, Refusal> {
        let model = self.service.model();
        let wanted = PartWanted::of(context, route, &request.body, model.as_deref());
        self.over(wanted, no_model).await
    }

    async fn over(
        &self,
        wanted: PartWanted,
        no_model: NoModel,
    ) -> Result<Service<S, Signed<H>>, Refusal> {
        let patience = match wanted.function {
            Some("space_report") => COUNTING_MS,
            _ => PATIENCE_MS,
        };
        let rest = self.service.host().sleep(patience);
        let asked = timeout(self.service.part(&wanted), rest).await;
        let late = || RemoteError::NoAnswer("it takes too long".to_owned());
        let part = asked
            .unwrap_or_else(|| Err(late()))
            .map_err(|error| match wanted.function {
                Some(function) if lacks_function(&error) => lacking(function),
                _ => unread(&error),
            })?;
        let host = Signed::by(
            &self.maker.host,
            &self.maker.tokens,
            &self.service.space_id(),
        );
        let store = (self.maker.store)();
        let service = self
            .service
            .over_part(store, host, part, wanted, no_model)
            .await?;
        Ok(service)
    }

    /// Gives the server the vectors of lessons that got another text here. What fails is left to whoever embeds next.
    pub async fn embed_texts(&self) {
        if !self.service.has_model() {
            return;
        }
        let mut slugs = std::mem::take(&mut *self.texts.borrow_mut());
        slugs.sort_unstable();
        slugs.dedup();
        for some in slugs.chunks(TEXTS) {
            let wanted = PartWanted::lessons(some);
            if let Ok(service) = self.over(wanted, NoModel::NotLoaded).await {
                let _ = service.give_vectors().await;
            }
        }
    }
}

/// What to do about a server of before, by the function that it lacks.
fn lacking(function: &str) -> Refusal {
    let up_to = match function {
        "space_report" => "20261124160000_report.sql",
        "space_lessons" | "space_decisions" => "20261124120300_lists.sql",
        _ => "20261124120200_candidates.sql",
    };
    Refusal::unavailable(
        format!(
            "this space is too large to be held in the memory of an edge, and its server lacks the function {function}: the operator has to apply the migrations up to {up_to}; nothing was done"
        ),
        60,
    )
}

/// Why a part could not be read.
fn unread(error: &RemoteError) -> Refusal {
    let cause = match error {
        RemoteError::NoAnswer(cause) => format!("the store can't be reached ({cause})"),
        RemoteError::Trouble(cause) | RemoteError::Refused(cause) => cause.clone(),
        RemoteError::Busy(_) => "the store is busy".to_owned(),
        RemoteError::TooLarge => "the store refuses so much at once".to_owned(),
        RemoteError::Unauthorized | RemoteError::ActorTaken | RemoteError::NotFound => {
            "the store does not let this edge read the space".to_owned()
        }
    };
    let wait = match error {
        RemoteError::Busy(Some(ms)) => ms / 1_000 + 1,
        _ => 1,
    };
    Refusal::unavailable(
        format!(
            "this space is read from the store at each request, and {cause}; nothing was done, try again"
        ),
        wait,
    )
}
