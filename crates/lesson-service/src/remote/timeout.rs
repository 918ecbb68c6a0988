//! Work with a time limit.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// The result of `work`; `None` when `limit` ends first, and what is under way in `work` is then dropped. On workerd a
/// timer belongs to a request, so the limit is a future of the caller's.
pub async fn timeout<T>(work: impl Future<Output = T>, limit: impl Future) -> Option<T> {
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
