//! The answer of a tool, made of the answer to its request. What others wrote stands in fences that it can't close, and under
//! `untrusted` in the data.

mod decisions;
mod lessons;
mod numbers;
mod opinions;
mod servers;

use super::told::{Answer, within};
use lesson_types::{Body, EndpointName};
use serde_json::{Error, Value};

/// The answer of the tool that stands for this request. `asked` is the request's body, `bytes` what text and data each may
/// take; a recommendation was held to them by the service, which counts as shown what is in it.
pub(super) fn of(
    name: EndpointName,
    asked: &Value,
    answer: &Body,
    bytes: usize,
) -> Result<Answer, Error> {
    /// Tells an answer within its bytes.
    macro_rules! tell {
        ($tell:path) => {{
            let answer = typed(answer)?;
            within(bytes, |room| $tell(answer, room))
        }};
    }
    match name {
        EndpointName::recommend => lessons::recommended(asked, typed(answer)?),
        EndpointName::search | EndpointName::patterns => tell!(lessons::found),
        EndpointName::add_lesson => tell!(lessons::added),
        EndpointName::track => tell!(decisions::tracked),
        EndpointName::outcome => tell!(decisions::outcome),
        EndpointName::get_decision => tell!(decisions::decision),
        EndpointName::feedback => tell!(opinions::feedback),
        EndpointName::rate | EndpointName::vote => tell!(opinions::rated),
        EndpointName::record_session => tell!(opinions::session),
        EndpointName::record_tool_success => tell!(servers::recorded),
        EndpointName::suggest_tools => tell!(servers::suggested),
        EndpointName::stats => tell!(numbers::stats),
        EndpointName::health => tell!(numbers::health),
        // No tools. Each is named, so that a new tool is asked for its words here.
        EndpointName::list_lessons
        | EndpointName::get_lesson
        | EndpointName::edit_lesson
        | EndpointName::lesson_history
        | EndpointName::list_tags
        | EndpointName::list_decisions
        | EndpointName::policy
        | EndpointName::import
        | EndpointName::turn_import
        | EndpointName::export
        | EndpointName::archive
        | EndpointName::restore
        | EndpointName::grant_trial
        | EndpointName::review
        | EndpointName::merge
        | EndpointName::list_proposals
        | EndpointName::settle_proposal
        | EndpointName::list_voices
        | EndpointName::withdraw_voice
        | EndpointName::bulk
        | EndpointName::show_revision
        | EndpointName::explain_standing
        | EndpointName::compare
        | EndpointName::tool_records
        | EndpointName::review_queue
        | EndpointName::settle_suggestion
        | EndpointName::lift
        | EndpointName::insights
        | EndpointName::digest
        | EndpointName::change_policy
        | EndpointName::sync_status
        | EndpointName::connect
        | EndpointName::sign_in
        | EndpointName::sign_out
        | EndpointName::hold
        | EndpointName::delete_space
        | EndpointName::sync_now
        | EndpointName::list_set_aside
        | EndpointName::settle
        | EndpointName::list_agent_keys
        | EndpointName::make_agent_key
        | EndpointName::revoke_agent_key
        | EndpointName::list_members
        | EndpointName::change_member
        | EndpointName::remove_member
        | EndpointName::invite
        | EndpointName::revoke_invite => Err(serde::de::Error::custom(format!(
            "`{}` is no tool",
            name.as_str()
        ))),
    }
}

/// The answer of the type that its endpoint's row names.
fn typed<T: 'static>(answer: &Body) -> Result<&T, Error> {
    answer
        .get()
        .ok_or_else(|| serde::de::Error::custom("it is of another type"))
}
