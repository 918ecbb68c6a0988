//! What one key may cost: requests, the bytes that it sends, and the engine's time.
//!
//! An isolate has one thread, so what takes long keeps everybody else waiting. Its clock stands still while it works, so time can't be
//! measured where it is spent: it is reckoned from what a request has to look at.

use crate::config::Config;
use crate::message::Refusal;
use crate::rate::Buckets;
use lesson_core::Millis;
use lesson_service::Route;
use lesson_types::EndpointName;

/// Milliseconds that a request takes whatever it asks.
const REQUEST_MS: f64 = 0.2;
/// Milliseconds for each megabyte that is sent: reading the JSON, looking for secrets and injections.
const MEGABYTE_MS: f64 = 60.0;
/// The same for a session, whose turns are also compared with what was recommended.
const SESSION_MEGABYTE_MS: f64 = 400.0;
/// Milliseconds for each thousand lessons that a request looks at, as nearly all do.
const THOUSAND_LESSONS_MS: f64 = 0.4;

/// The budgets of all keys, each by the key's id.
pub(crate) struct Budget {
    requests: Buckets,
    bytes: Buckets,
    work: Buckets,
}

impl Budget {
    pub fn new(config: &Config) -> Self {
        Self {
            requests: Buckets::new(config.rate),
            bytes: Buckets::new(config.bytes),
            work: Buckets::new(config.work),
        }
    }

    /// Counts a request and what it sends, before it is read.
    ///
    /// # Errors
    /// 429 with the time after which the key may send as much.
    pub fn request(&self, key: &str, bytes: usize, now: Millis) -> Result<(), Refusal> {
        let taken = self.requests.take(key, 1.0, now);
        taken.map_err(Refusal::too_often)?;
        let taken = self.bytes.take(key, bytes as f64, now);
        taken.map_err(|seconds| Refusal::too_much("bytes", seconds))
    }

    /// Counts another message of a batch.
    ///
    /// # Errors
    /// 429 above the rate.
    pub fn message(&self, key: &str, now: Millis) -> Result<(), Refusal> {
        let taken = self.requests.take(key, 1.0, now);
        taken.map_err(Refusal::too_often)
    }

    /// Counts the time that a request is going to take: `sent` bytes of text, over a space of so many lessons.
    ///
    /// # Errors
    /// 429 with the time after which the key may ask for as much.
    pub fn work(
        &self,
        key: &str,
        route: &Route,
        sent: usize,
        lessons: usize,
        now: Millis,
    ) -> Result<(), Refusal> {
        let megabyte = match route.is(EndpointName::record_session) {
            true => SESSION_MEGABYTE_MS,
            false => MEGABYTE_MS,
        };
        let ms =
            REQUEST_MS + sent as f64 / 1e6 * megabyte + lessons as f64 / 1e3 * THOUSAND_LESSONS_MS;
        let taken = self.work.take(key, ms, now);
        taken.map_err(|seconds| Refusal::too_much("work", seconds))
    }
}
