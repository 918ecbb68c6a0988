//! A request that a form makes: one at a time, and what went wrong with the last one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::ApiError;
use std::pin::Pin;

/// What is done with an answer.
type Then = Box<dyn FnOnce()>;

/// Whether a form's request is under way, and why the last one failed. Cheap to copy.
#[derive(Clone, Copy, Default)]
pub struct Asking {
    /// A request is under way; another one is not begun meanwhile.
    pub busy: RwSignal<bool>,
    /// What the last request failed of; to be shown beside the button that made it.
    pub error: RwSignal<Option<ApiError>>,
}

impl Asking {
    /// Runs `request`, unless one is under way, and hands its answer to `then`.
    pub fn run<T: 'static>(
        self,
        request: impl Future<Output = Result<T, ApiError>> + 'static,
        then: impl FnOnce(T) + 'static,
    ) {
        if self.busy.get_untracked() {
            return;
        }
        self.start(Box::pin(async move {
            let answer = request.await?;
            Ok(Box::new(move || then(answer)) as Then)
        }));
    }

    /// What [`Asking::run`] does whatever is asked.
    fn start(self, request: Pin<Box<dyn Future<Output = Result<Then, ApiError>>>>) {
        self.busy.set(true);
        self.error.set(None);
        spawn_local(async move {
            let answer = request.await;
            // The page may have been left meanwhile, and its signals with it.
            self.busy.try_set(false);
            match answer {
                Ok(then) => then(),
                Err(failed) => {
                    self.error.try_set(Some(failed));
                }
            }
        });
    }
}
