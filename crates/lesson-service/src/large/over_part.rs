//! A person's requests about a space that is worked on on the server: which are answered over a part of it, and how what they
//! make is sent.

use crate::host::Host;
use crate::http::answer::refusal;
use crate::http::context::RequestContext;
use crate::http::router::Route;
use crate::large::on_server::Unread;
use crate::state::service_struct::Service;
use lesson_sync::{Change, Store};
use lesson_types::{
    ApiError, Body, EndpointName, ErrorCode, Health, LessonQuery, LessonSort, Needs, ON_SERVER,
    Request, Response, Rows, Settle, StoreHealth,
};

/// The reason why a list in an order that no part tells is refused.
const BY_COURSE: &str = "trend and status are computed from all runs; sort by success instead";

fn needs_everything(what: &str) -> ApiError {
    ApiError::new(
        ErrorCode::Conflict,
        format!("you work on this space on the server, and {what}"),
    )
    .at(ON_SERVER)
}

/// True if a list is wanted in an order that no part of a space tells. A query that is wrong is its handler's to refuse.
fn sorts_by_course(route: &Route) -> bool {
    let asked = route.query::<LessonQuery>();
    asked.is_ok_and(|asked| matches!(asked.sort, Some(LessonSort::Trend | LessonSort::Standout)))
}

impl<S: Store, H: Host> Service<S, H> {
    /// Answers a person's request about a space that is not held here.
    pub(crate) async fn answer_on_server(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Response {
        let over_part = match route.endpoint.needs {
            Needs::Nothing => return self.handle_for(context, route, request).await,
            Needs::Everything(what) => Err(needs_everything(what).into()),
            Needs::Page(Rows::Lessons) if sorts_by_course(&route) => {
                Err(needs_everything(BY_COURSE).into())
            }
            Needs::Candidates(_)
            | Needs::Page(_)
            | Needs::Numbers
            | Needs::Tags
            | Needs::Named(_)
            | Needs::SetAside => self.answer_over_part(context, route, request).await,
        };
        over_part.unwrap_or_else(|unread: Unread| refusal(unread.error))
    }

    async fn answer_over_part(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Result<Response, Unread> {
        let writes = route.endpoint.writes && !route.is(EndpointName::recommend);
        // One write at a time: the next is made over what the one before it came to.
        let _turn = match writes {
            true => Some(self.on_server.sending.lock().await),
            false => None,
        };
        self.send_waiting().await;
        if writes && !self.has_nothing_to_send() {
            return Err(self.waiting().into());
        }
        let mut service = self
            .part_for(context, &route, &request, self.embedding.no_model.get())
            .await?;
        service.held.told_syncing(self.status());
        let mut response = service
            .handle_for(context, route.clone(), request.clone())
            .await;
        let made = service.made_events().await?;
        let events = made.op_ids.clone();
        self.take_over(made).await?;
        if writes && !events.is_empty() {
            self.send_waiting().await;
            if let Some(reason) = self.why_set_aside(&events) {
                return Err(ApiError::new(
                    ErrorCode::Conflict,
                    format!("the server did not take it: {reason}; look at the lesson as it is now and send what still holds"),
                )
                .into());
            }
        }
        if response.status < 400 && route.is(EndpointName::settle) {
            self.settled(&request).await?;
        }
        if response.status < 400 && route.is(EndpointName::health) {
            self.tell_store(&mut response);
        }
        Ok(response)
    }

    /// Sends what waits; what can't be sent stays.
    async fn send_waiting(&self) {
        if !self.has_nothing_to_send() {
            self.sync_rows().await;
        }
    }

    fn waiting(&self) -> ApiError {
        let unsent = self.unsent();
        let changes = match unsent {
            1 => "1 change".to_owned(),
            many => format!("{many} changes"),
        };
        ApiError::new(
            ErrorCode::Unavailable,
            format!(
                "{changes} that you made before could not be sent yet{}; nothing more was done, and what waits is kept here. Try again when the server can be reached",
                self.trouble_of_sync()
            ),
        )
    }

    /// Settles here what was settled over a part.
    async fn settled(&self, request: &Request) -> Result<(), ApiError> {
        let Ok(asked) = serde_json::from_value::<Settle>(request.body.clone()) else {
            return Ok(());
        };
        let _turn = self.sync.turn.lock().await;
        let link = self.linked_or_refuse()?;
        self.commit_link(Change {
            settled: asked.ids,
            ..Change::to(link)
        })
        .await
    }

    /// Health tells of this device's store; the part's is gone with the answer.
    fn tell_store(&self, response: &mut Response) {
        let Some(mut health) = response.body.get::<Health>().cloned() else {
            return;
        };
        health.store = StoreHealth {
            kind: self.store.kind().to_owned(),
            events: u32::try_from(self.events_held()).unwrap_or(u32::MAX),
            unsaved: u32::try_from(self.writer.queue.borrow().len()).unwrap_or(u32::MAX),
            error: self.writer.trouble.borrow().clone(),
        };
        response.body = Body::json(health);
    }
}
