//! The operator's settings, and their validation.

use crate::limits::BODY_BYTES;
use crate::rate::Rate;
use lesson_sync::server_url;
use lesson_types::ApiError;

/// An isolate has 128 MB, of which the module and the model take some 45.
const REPLICA_BYTES: u64 = 48_000_000;
/// Placeholder of the project's address in wrangler.toml.
const PLACEHOLDER: &str = "https://project.supabase.co";

/// The operator's settings, validated by `Edge::new`.
#[derive(Clone)]
pub struct EdgeConfig {
    /// The Supabase project's address, such as `https://abc.supabase.co`.
    pub url: String,
    /// The project's publishable key: `sb_publishable_…`, or the legacy JWT of `anon`. It is no secret.
    pub key: String,
    /// A dashboard on another origin that may call, such as `https://lessons.example.org`.
    pub dashboard_origin: Option<String>,
    /// The values of `Host` that are answered, such as `127.0.0.1:8787`; any, when there are none.
    pub hosts: Vec<String>,
    /// Requests a second that a key may make in the long run; 50 when absent.
    pub requests_per_second: Option<f64>,
    /// Requests that a key may make at once; four seconds' worth when absent.
    pub burst: Option<f64>,
    /// Bytes that a key may send a second in the long run; 65,536 when absent. At once 24 seconds' worth, and a whole body at least.
    pub bytes_per_second: Option<f64>,
    /// Milliseconds of the engine's time that a key may ask for a second in the long run, as reckoned from what a request looks at;
    /// 250 when absent. At once eight seconds' worth, and a second at least.
    pub work_per_second: Option<f64>,
    /// Bytes of memory that spaces may take in an isolate; 48 million when absent. A space that is larger by itself is not held:
    /// each request reads the part of it that it needs from the server. 0 holds none.
    pub replica_bytes: Option<f64>,
}

impl std::fmt::Debug for EdgeConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EdgeConfig")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Settings that were validated, with defaults filled in.
pub(crate) struct Config {
    pub url: String,
    pub key: String,
    pub dashboard_origin: Option<String>,
    pub hosts: Vec<String>,
    pub rate: Rate,
    pub bytes: Rate,
    pub work: Rate,
    pub replica_bytes: u64,
}

impl Config {
    /// Validates the settings.
    ///
    /// # Errors
    /// Names the setting and what it has to be.
    pub fn check(given: EdgeConfig) -> Result<Self, ApiError> {
        let url = server_url(&given.url)
            .map_err(|error| ApiError::invalid("url", error.message().to_owned()))?;
        if url == PLACEHOLDER {
            return Err(ApiError::invalid(
                "url",
                "SUPABASE_URL is not set yet: deploy with --var SUPABASE_URL:https://abc.supabase.co, the address of your project",
            ));
        }
        let key = given.key.trim().to_owned();
        if key.starts_with("sb_secret_") {
            return Err(ApiError::invalid(
                "key",
                "this is a secret key of the project, which may read everything: put the publishable one in its place, and revoke this one",
            ));
        }
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiError::invalid(
                "key",
                "the publishable key is missing or holds characters that no key has; copy it from the project's API settings",
            ));
        }
        let dashboard_origin = given
            .dashboard_origin
            .filter(|origin| !origin.is_empty())
            .map(|origin| {
                let host = origin
                    .strip_prefix("https://")
                    .or_else(|| origin.strip_prefix("http://"));
                match host {
                    Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']) => {
                        Ok(origin.to_ascii_lowercase())
                    }
                    _ => Err(ApiError::invalid(
                        "dashboard_origin",
                        "the dashboard's origin has to be like https://lessons.example.org, without a path",
                    )),
                }
            })
            .transpose()?;
        let number = |field: &str, given: Option<f64>, absent: f64, most: f64| match given {
            None => Ok(absent),
            Some(number) if (0.1..=most).contains(&number) => Ok(number),
            Some(_) => Err(ApiError::invalid(
                field,
                format!("{field} has to be a number from 0.1 to {most}"),
            )),
        };
        let per_second = number("requests_per_second", given.requests_per_second, 50.0, 1e6)?;
        let burst = number("burst", given.burst, per_second * 4.0, 1e6)?.max(1.0);
        let bytes = number("bytes_per_second", given.bytes_per_second, 65_536.0, 1e9)?;
        let work = number("work_per_second", given.work_per_second, 250.0, 1e9)?;
        let replica_bytes = match given.replica_bytes {
            None => REPLICA_BYTES,
            Some(bytes) if bytes.is_finite() && (0.0..=1e9).contains(&bytes) => bytes as u64,
            Some(_) => {
                return Err(ApiError::invalid(
                    "replica_bytes",
                    "replica_bytes has to be a number of bytes from 0 to 1000000000",
                ));
            }
        };
        Ok(Self {
            url,
            key,
            dashboard_origin,
            hosts: given
                .hosts
                .iter()
                .map(|host| host.trim().to_ascii_lowercase())
                .filter(|host| !host.is_empty())
                .collect(),
            rate: Rate { per_second, burst },
            bytes: Rate {
                per_second: bytes,
                burst: (bytes * 24.0).max(BODY_BYTES as f64),
            },
            work: Rate {
                per_second: work,
                burst: (work * 8.0).max(1_000.0),
            },
            replica_bytes,
        })
    }
}
