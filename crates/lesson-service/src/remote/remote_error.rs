//! From the failures of a server to words and errors of the interface.

use lesson_sync::{RemoteError, SignInError};
use lesson_types::{ApiError, ErrorCode};

/// Puts the server's failure into words, as the second half of a sentence.
pub(crate) fn words(error: &RemoteError) -> String {
    match error {
        RemoteError::NoAnswer(cause) => format!("it can't be reached ({cause})"),
        RemoteError::Trouble(cause) | RemoteError::Refused(cause) => {
            format!("it does not give it ({cause})")
        }
        RemoteError::Unauthorized => "you are signed out of it".to_owned(),
        RemoteError::TooLarge
        | RemoteError::Busy(_)
        | RemoteError::ActorTaken
        | RemoteError::NotFound => "it is busy".to_owned(),
    }
}

/// A failure of what was asked; `unknown` says what to do when it is not known whether it was done.
pub(crate) fn of_remote(unknown: &str, error: &RemoteError) -> ApiError {
    let (code, message) = match error {
        RemoteError::Unauthorized => (
            ErrorCode::Unauthorized,
            "the session on the server has ended; sign in again, then repeat this".to_owned(),
        ),
        RemoteError::NotFound => (
            ErrorCode::NotFound,
            "you are no member of this space any more; ask one of its members to add you"
                .to_owned(),
        ),
        RemoteError::Busy(_) => (
            ErrorCode::RateLimited,
            "the server is busy, and nothing was done; try again in a minute".to_owned(),
        ),
        RemoteError::TooLarge | RemoteError::ActorTaken => (
            ErrorCode::Forbidden,
            "the server does not allow this, and nothing was done".to_owned(),
        ),
        // Nothing was done, and repeating would not mend it.
        RemoteError::Refused(cause) => (ErrorCode::Unavailable, cause.clone()),
        RemoteError::NoAnswer(cause) => (
            ErrorCode::Unavailable,
            format!("the server can't be reached ({cause}); {unknown}"),
        ),
        RemoteError::Trouble(cause) => (
            ErrorCode::Unavailable,
            format!("the server does not answer as it should ({cause}); {unknown}"),
        ),
    };
    ApiError::new(code, message)
}

/// A failure to sign in.
pub(crate) fn of_sign_in(error: SignInError) -> ApiError {
    let message = error.message().to_owned();
    match error {
        SignInError::Url(_) => ApiError::invalid("url", message),
        SignInError::Credentials(_) => {
            ApiError::new(ErrorCode::Unauthorized, message).at("password")
        }
        SignInError::Invite(_) => ApiError::invalid("invite", message),
        SignInError::Key(_) => ApiError::invalid("key", message),
        SignInError::Server(_) => ApiError::new(ErrorCode::Unavailable, message).at("url"),
    }
}
