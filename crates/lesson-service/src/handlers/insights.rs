//! `GET /v1/insights`: how runs and lessons do over time.

use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_sync::Store;
use lesson_types::{ApiError, Insights, InsightsQuery};
use serde_json::Value;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn insights(
        &self,
        _: &RequestContext,
        asked: &InsightsQuery,
        body: &Value,
    ) -> Result<Answer<Insights>, ApiError> {
        validate::no_body(body)?;
        asked.days.map_or(Ok(()), validate::days)?;
        let state = self.state.borrow();
        let policy = state.in_force(&self.policy);
        let now = self.host.now();
        Ok(Answer::json(lesson_core::insights(
            &state.space,
            now,
            asked.days,
            &policy,
        )))
    }
}
