//! Limits on the cost of one key: requests, the bytes that it sends, and the engine's time.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EdgeConfig;
    use lesson_types::Method;

    fn budget() -> Budget {
        let config = EdgeConfig {
            url: "https://abc.supabase.co".to_owned(),
            key: "sb_publishable_a".to_owned(),
            dashboard_origin: None,
            hosts: Vec::new(),
            requests_per_second: None,
            burst: None,
            bytes_per_second: None,
            work_per_second: None,
            replica_bytes: None,
        };
        Budget::new(&Config::check(config).unwrap())
    }

    #[test]
    fn work_grows_with_the_space_and_what_is_sent_and_is_bounded_for_each_key() {
        let path = |path| lesson_service::route(Method::Post, path).unwrap();
        let (search, session) = (path("/v1/search"), path("/v1/sessions"));
        let at_once = |route: &Route, sent: usize, lessons: usize| {
            let budget = budget();
            let asked =
                (0..100_000).take_while(|_| budget.work("a", route, sent, lessons, 0).is_ok());
            let count = asked.count();
            assert!(
                budget.work("b", route, sent, lessons, 0).is_ok(),
                "another key"
            );
            let wait = budget.work("a", route, sent, lessons, 0).unwrap_err();
            assert_eq!(wait.error.code.status(), 429);
            assert!(budget.work("a", route, sent, lessons, 8_000).is_ok());
            count
        };
        let small = at_once(&search, 100, 100);
        let large_space = at_once(&search, 100, 10_000);
        let large_body = at_once(&search, 1_000_000, 100);
        let large_session = at_once(&session, 1_000_000, 100);
        assert!(small > 1_000, "{small}");
        assert!((200..small / 10).contains(&large_space), "{large_space}");
        assert!(large_body < large_space && large_session < large_body);
        assert!(large_session >= 1, "one always fits");
    }

    #[test]
    fn a_whole_body_always_fits_and_a_second_waits() {
        let budget = budget();
        let body = crate::limits::BODY_BYTES;
        assert!(budget.request("a", body, 0).is_ok());
        let refusal = budget.request("a", body, 0).unwrap_err();
        let (_, seconds) = &refusal.headers[0];
        let seconds: i64 = seconds.parse().unwrap();
        assert!((1..=30).contains(&seconds), "{seconds}");
        assert!(budget.request("b", body, 0).is_ok());
        assert!(budget.request("a", body, seconds * 1_000).is_ok());
    }
}
