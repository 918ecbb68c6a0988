//! Waiting for something for a while.

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
