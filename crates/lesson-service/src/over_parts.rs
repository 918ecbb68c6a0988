//! A person's requests about a space that is worked on on the server: which are answered over a part of it, and how what they
//! make is sent.

use crate::host::Host;
use crate::http::answer::refusal;
use crate::http::context::RequestContext;
use crate::http::router::Route;
use crate::remote::on_server::Unread;
use crate::state::service_struct::Service;
use lesson_sync::{Change, Store};
use lesson_types::{
    ApiError, EndpointName, ErrorCode, LessonQuery, LessonSort, ON_SERVER, Request, Response,
    Settle,
};

/// By what a request is answered.
enum AnsweredBy {
    /// This service as it is: it is about the device, or asks the server itself.
    Device,
    /// A part of the space.
    Part,
    /// All of the space, which is not here. The text says for what, and what to do instead.
    Whole(&'static str),
}

fn answered_by(route: &Route) -> AnsweredBy {
    match route.endpoint.name {
        EndpointName::list_lessons if sorts_by_course(route) => AnsweredBy::Whole(
            "trends and what stands out are reckoned from all runs; sort by success instead",
        ),
        EndpointName::sync_status
        | EndpointName::connect
        | EndpointName::sign_in
        | EndpointName::sign_out
        | EndpointName::hold
        | EndpointName::delete_space
        | EndpointName::sync_now
        | EndpointName::list_agent_keys
        | EndpointName::make_agent_key
        | EndpointName::revoke_agent_key
        | EndpointName::list_members
        | EndpointName::change_member
        | EndpointName::remove_member
        | EndpointName::invite
        | EndpointName::revoke_invite => AnsweredBy::Device,
        EndpointName::search
        | EndpointName::recommend
        | EndpointName::patterns
        | EndpointName::track
        | EndpointName::outcome
        | EndpointName::feedback
        | EndpointName::rate
        | EndpointName::vote
        | EndpointName::add_lesson
        | EndpointName::record_session
        | EndpointName::record_tool_success
        | EndpointName::suggest_tools
        | EndpointName::list_lessons
        | EndpointName::get_lesson
        | EndpointName::edit_lesson
        | EndpointName::lesson_history
        | EndpointName::list_tags
        | EndpointName::list_decisions
        | EndpointName::get_decision
        | EndpointName::stats
        | EndpointName::health
        | EndpointName::policy
        | EndpointName::archive
        | EndpointName::restore
        | EndpointName::grant_trial
        | EndpointName::review
        | EndpointName::merge
        | EndpointName::bulk
        | EndpointName::show_revision
        | EndpointName::explain_standing
        | EndpointName::compare
        | EndpointName::tool_records
        | EndpointName::change_policy
        | EndpointName::list_set_aside
        | EndpointName::settle => AnsweredBy::Part,
        EndpointName::import => AnsweredBy::Whole(
            "an import is compared with every lesson; import in a browser that keeps a copy, which Settings, Sync turns on",
        ),
        EndpointName::export => AnsweredBy::Whole(
            "an export holds every lesson; export in a browser that keeps a copy, which Settings, Sync turns on",
        ),
        EndpointName::review_queue => AnsweredBy::Whole(
            "the review queue is made of all lessons; find those to review under Lessons, with the filter by trust, and decide on each one's page",
        ),
        EndpointName::settle_suggestion => AnsweredBy::Whole(
            "suggested outcomes come with the review queue, which is made of all lessons; give the outcome on the run's page",
        ),
        EndpointName::lift | EndpointName::insights => AnsweredBy::Whole(
            "what lessons do over time is reckoned from all runs; look at it in a browser that keeps a copy, which Settings, Sync turns on",
        ),
    }
}

/// Whether a list is wanted in an order that no part of a space tells. A query that is wrong is its handler's to refuse.
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
        match answered_by(&route) {
            AnsweredBy::Device => self.handle_for(context, route, request).await,
            AnsweredBy::Whole(what) => refusal(
                ApiError::new(
                    ErrorCode::Conflict,
                    format!("you work on this space on the server, and {what}"),
                )
                .at(ON_SERVER),
            ),
            AnsweredBy::Part => match self.answer_over_part(context, route, request).await {
                Ok(response) => response,
                Err(unread) => refusal(unread.error),
            },
        }
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
            true => Some(self.sending.lock().await),
            false => None,
        };
        self.send_waiting().await;
        if writes && !self.has_nothing_to_send() {
            return Err(self.waiting().into());
        }
        let service = self
            .part_for(context, &route, &request, self.no_model.get())
            .await?;
        *service.whole.borrow_mut() = Some(self.status());
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

    /// What was settled over a part is so here.
    async fn settled(&self, request: &Request) -> Result<(), ApiError> {
        let Ok(asked) = serde_json::from_value::<Settle>(request.body.clone()) else {
            return Ok(());
        };
        let _turn = self.syncing.lock().await;
        let link = self.linked_or_refuse()?;
        self.commit_link(Change {
            settled: asked.ids,
            ..Change::to(link)
        })
        .await
    }

    /// Health tells of this device's store; the part's is gone with the answer.
    fn tell_store(&self, response: &mut Response) {
        let trouble = self.trouble.borrow().clone();
        response.body["store"]["kind"] = self.store.kind().into();
        response.body["store"]["events"] = self.events_held().into();
        response.body["store"]["unsaved"] = self.queue.borrow().len().into();
        response.body["store"]["error"] = trouble.into();
    }
}
