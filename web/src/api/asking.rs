//! The one way to act: one request at a time, as an action of Leptos, and what went wrong with the last one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::ApiError;
use std::cell::Cell;
use std::pin::Pin;

/// The handling of an answer.
type Then = Box<dyn FnOnce()>;

/// A request, and then what is done with its answer. Whatever is asked, so that Leptos' action is compiled once.
type Request = Pin<Box<dyn Future<Output = Result<Then, ApiError>>>>;

/// The state of acts made one at a time: one is under way or not, and why the last one failed. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Asking {
    act: Action<Cell<Option<Request>>, ()>,
    /// A request is under way; another one is not begun meanwhile.
    pub busy: Memo<bool>,
    /// The error of the last request; to be shown beside the button that made it.
    pub error: RwSignal<Option<ApiError>>,
}

impl Default for Asking {
    fn default() -> Self {
        let error = RwSignal::new(None);
        let act = Action::new_local(move |request: &Cell<Option<Request>>| {
            let request = request.take();
            async move {
                let Some(request) = request else { return };
                match request.await {
                    // Once the act is over: what comes next may be another one, or focus the button that this one disabled.
                    Ok(then) => spawn_local(async move { then() }),
                    // The page may have been left meanwhile, and its signals with it.
                    Err(failed) => drop(error.try_set(Some(failed))),
                }
            }
        });
        Self {
            act,
            busy: act.pending(),
            error,
        }
    }
}

impl Asking {
    /// Runs `request`, unless one is under way, and hands its answer to `then`.
    pub fn run<T: 'static>(
        self,
        request: impl Future<Output = Result<T, ApiError>> + 'static,
        then: impl FnOnce(T) + 'static,
    ) {
        self.start(Box::pin(async move {
            let answer = request.await?;
            Ok(Box::new(move || then(answer)) as Then)
        }));
    }

    /// The same where `then` also tells of a failure.
    pub fn settle<T: 'static>(
        self,
        request: impl Future<Output = T> + 'static,
        then: impl FnOnce(T) + 'static,
    ) {
        self.run(async move { Ok(request.await) }, then);
    }

    fn start(self, request: Request) {
        if !self.busy.get_untracked() {
            self.error.set(None);
            self.act.dispatch_local(Cell::new(Some(request)));
        }
    }
}

/// An act without a button that could be pressed twice: that of a message, which closes with it, or one that follows from
/// another.
pub fn act_apart<T: 'static>(
    request: impl Future<Output = T> + 'static,
    then: impl FnOnce(T) + 'static,
) {
    spawn_local(async move { then(request.await) });
}
