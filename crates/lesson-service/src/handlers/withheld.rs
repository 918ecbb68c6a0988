//! What agents are not given: the text, titles and slugs of lessons in quarantine. People see them
//! in the dashboard, where they judge them.

use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::state::held::Service;
use lesson_types::{ApiError, ErrorCode};

impl<S, H> Service<S, H> {
    /// Whether whoever asks is not given the lesson with this slug.
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
