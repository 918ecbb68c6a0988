//! Waiting for the first of two, and futures that see a value of their own while they run.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// `work`'s result, unless `limit` is over first. What is under way in `work` is dropped then.
pub(crate) async fn within<T>(work: impl Future<Output = T>, limit: impl Future) -> Option<T> {
    let mut work = pin!(work);
    let mut limit = pin!(limit);
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        limit.as_mut().poll(context).map(|_| None)
    })
    .await
}

/// Runs `enter` before and `leave` after each step of `work`, so that nothing else that runs in
/// between is inside.
pub(crate) async fn inside<T>(
    work: impl Future<Output = T>,
    enter: impl Fn(),
    leave: impl Fn(),
) -> T {
    let mut work = pin!(work);
    poll_fn(|context| {
        enter();
        let step = work.as_mut().poll(context);
        leave();
        step
    })
    .await
}
