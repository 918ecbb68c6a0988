//! Shared parts of managing the keys and members of a space: a question to the linked server, names and ids.

use crate::host::Host;
use crate::http::fault::clip;
use crate::http::validate;
use crate::remote::remote_error::of_remote;
use crate::state::service_struct::Service;
use lesson_sync::{Link, RemoteError, Store};
use lesson_types::{ApiError, limits};

impl<S: Store, H: Host> Service<S, H> {
    /// Asks the linked server, signed in; `unknown` says what to do when it is not known whether something was done.
    pub(super) async fn of_server<T>(
        &self,
        unknown: &str,
        ask: impl AsyncFn(&Link) -> Result<T, RemoteError>,
    ) -> Result<T, ApiError> {
        let link = self.linked_or_refuse()?;
        let answer = self.signed_in(&link, ask).await;
        answer.map_err(|error| of_remote(unknown, &error))
    }
}

/// A name that people read, without blanks around it.
pub(super) fn name(name: &str) -> Result<&str, ApiError> {
    validate::filled("name", name, limits::WORD)?;
    if name.chars().any(char::is_control) {
        return Err(ApiError::invalid(
            "name",
            "name holds a control character; write it in one line of plain text",
        ));
    }
    Ok(name.trim())
}

/// Refuses what is no id of a `thing`, which `list` would have told.
pub(super) fn uuid(id: &str, thing: &str, list: &str) -> Result<(), ApiError> {
    if is_uuid(id) {
        return Ok(());
    }
    Err(ApiError::invalid(
        "id",
        format!("`{}` is no {thing}'s id; {list} lists them", clip(id)),
    ))
}

/// True if a text is a UUID as the server writes them.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
