//! Withholding lessons in quarantine from agents: their text, title and slug. People see and review them in the dashboard.

use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::state::service_struct::Service;
use lesson_types::{ApiError, ErrorCode};

impl<S, H> Service<S, H> {
    /// True if the lesson with this slug is withheld from the asker.
    pub(crate) fn withheld(&self, context: &RequestContext, slug: &str) -> bool {
        context.is_agent()
            && self
                .state
                .borrow()
                .space
                .lesson(slug)
                .is_some_and(|lesson| context.withholds(lesson))
    }

    /// Refuses an agent the text of a lesson in quarantine.
    pub(crate) fn readable(&self, context: &RequestContext, slug: &str) -> Result<(), ApiError> {
        if !self.withheld(context, slug) {
            return Ok(());
        }
        Err(ApiError::new(
            ErrorCode::Forbidden,
            format!(
                "`{}` is held back until a person has looked at it; go on without it",
                clip(slug)
            ),
        )
        .at("slug"))
    }
}
