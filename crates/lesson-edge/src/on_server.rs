//! Requests about a space that is too large to be held: each reads the part that it needs, is answered by the same handlers,
//! and what it made is sent from this isolate.

use crate::message::Refusal;
use crate::space::Space;
use crate::unanswered::Made;
use lesson_service::{Host, NoModel, PATIENCE_MS, RequestContext, Route, Unread, unread};
use lesson_sync::Store;
use lesson_types::{ErrorCode, Request, Response};

impl<S: Store, H: Host> Space<S, H> {
    /// Answers a request that writes nothing, or only what was recommended.
    pub async fn read_part(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
        no_model: NoModel,
    ) -> Result<Response, Refusal> {
        let service = self
            .service
            .part_for(context, &route, &request, no_model)
            .await?;
        let response = service.handle_for(context, route, request).await;
        self.service.take_over(service.made_events().await?).await?;
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
        // The request builds on what was made here before, so that is sent first.
        if !self.has_nothing_to_send() {
            self.sync_for(PATIENCE_MS).await;
        }
        let service = self
            .service
            .part_for(context, route, request, NoModel::NotLoaded)
            .await?;
        if let Some(keyed) = context.keyed()
            && !self.service.knows_key(&keyed.key())
        {
            let asked = service.done_before(route, request, keyed).await;
            if let Some(response) = asked.map_err(|error| Refusal::from(unread(&error)))?? {
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
        let through = self.service.take_over(made).await?;
        Ok(Made {
            response,
            events,
            through,
        })
    }
}

impl From<Unread> for Refusal {
    fn from(unread: Unread) -> Self {
        // A retry would be refused for its size again.
        let headers = match unread.error.code {
            ErrorCode::TooLarge => Vec::new(),
            _ => vec![("retry-after", unread.wait.to_string())],
        };
        Self {
            error: unread.error,
            headers,
        }
    }
}
