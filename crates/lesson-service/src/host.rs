//! The engine's interface to its host: a clock, randomness, and a chance for others to run.

use lesson_core::Millis;
use lesson_sync::{HttpRequest, HttpResponse, NoAnswer};

/// The host's part. The engine itself reads no clock and draws no random number.
///
/// Futures are polled on one thread; a wasm host has no other.
#[allow(async_fn_in_trait)] // One thread: no `Send` bound is wanted.
pub trait Host {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;

    /// Fills `bytes` with random bytes.
    fn random(&self, bytes: &mut [u8]);

    /// Returns once the event loop has had a turn, so that other requests are answered meanwhile.
    async fn pause(&self);

    /// Returns after about `ms` milliseconds, with others running meanwhile; a host that syncs by
    /// itself has to have a clock for it.
    async fn sleep(&self, _ms: u32) {
        self.pause().await;
    }

    /// Sends a request over the network, with a timeout.
    ///
    /// # Errors
    /// [`NoAnswer`] when there was no whole answer. A host without a network always says so.
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        Err(NoAnswer("this host has no network".to_owned()))
    }

    /// Keeps what `write` gives piece by piece as one, in place of what had the name before. It may
    /// be lost at any time. `write` is called before anything is awaited; a host that keeps nothing
    /// does not call it.
    async fn keep(&self, _name: &str, _write: impl FnOnce(&mut dyn FnMut(&[u8]))) {}

    /// Returns what is kept under the name.
    async fn recall(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }
}

/// A UUID of version 7: 48 bits of time, then `random`.
///
/// ```
/// let id = lesson_service::uuid7(1_795_336_200_000, [0; 10]);
/// assert_eq!(id, "01a20260-5f40-7000-8000-000000000000");
/// ```
pub fn uuid7(now: Millis, random: [u8; 10]) -> String {
    let mut bytes = [0; 16];
    bytes[6..].copy_from_slice(&random);
    lesson_sync::uuid7(now, u128::from_be_bytes(bytes))
}

/// A fresh id by the host's clock and randomness.
pub fn fresh_id(host: &impl Host) -> String {
    let mut random = [0; 10];
    host.random(&mut random);
    uuid7(host.now(), random)
}
