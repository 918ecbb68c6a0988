//! Agents by their keys: looked up on the server, cached for a short time.

use crate::agent::{Agent, AgentKey};
use crate::config::Config;
use crate::host::WithKeys;
use crate::key_form::may_be_key;
use crate::key_ring::KeyRing;
use crate::message::Refusal;
use lesson_core::Millis;
use lesson_service::timeout;
use lesson_service::{Host, Network};
use lesson_sync::{Link, RemoteError, Session, Supabase};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Time that a look-up is cached, in milliseconds: a revoked key is refused after that.
const FRESH: Millis = 30_000;
/// Time for which a key that was valid is accepted while the server can't be reached, in milliseconds.
const GRACE: Millis = 10 * 60_000;
/// Time that an invalid key is cached, in milliseconds, so that repeating it costs no look-up.
const UNKNOWN: Millis = 5_000;
/// Time limits of a look-up, in milliseconds: of a key that is not cached, and of one that was valid before.
const PATIENCE_MS: u32 = 8_000;
const SHORT_PATIENCE_MS: u32 = 1_500;
/// Time between two failed look-ups of a key that was valid, in milliseconds.
const PAUSE: Millis = 5_000;
/// The most keys in the cache.
const KEPT: usize = 5_000;

/// The server's answer to the look-up of a key.
#[derive(Deserialize)]
struct Told {
    agent: Option<Agent>,
}

/// A cached look-up.
#[derive(Clone)]
struct Known {
    /// The key's agent; `None` for an invalid key.
    agent: Option<Rc<Agent>>,
    /// When the server answered.
    at: Millis,
    /// When a look-up last failed since then.
    in_vain: Option<Millis>,
}

/// The cache of look-ups, by the SHA-256 of the key.
#[derive(Default)]
pub(crate) struct Keys {
    known: RefCell<HashMap<[u8; 32], Known>>,
}

impl Keys {
    /// The agent of a key. `may_ask` is called before the server is asked, and may refuse that.
    ///
    /// # Errors
    /// 401 for an invalid key, 429 where `may_ask` refuses, 503 where the server can't be reached.
    pub async fn agent(
        &self,
        key: &str,
        host: &Rc<impl Host>,
        config: &Config,
        may_ask: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Rc<Agent>, Refusal> {
        if !may_be_key(key) {
            return Err(Refusal::unauthorized(true));
        }
        let hash: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let now = host.now();
        let held = self.known.borrow().get(&hash).cloned();
        let since = |at: Millis| (now - at).abs();
        // One that was in force, and since when.
        let was = match held {
            Some(Known {
                agent: None, at, ..
            }) if since(at) <= UNKNOWN => {
                return Err(Refusal::unauthorized(true));
            }
            Some(Known {
                agent: Some(agent),
                at,
                in_vain,
            }) => {
                let rests = in_vain.is_some_and(|at| since(at) <= PAUSE);
                if since(at) <= FRESH || (rests && since(at) <= GRACE) {
                    return Ok(agent);
                }
                Some((agent, at))
            }
            _ => None,
        };
        if was.is_none() {
            may_ask()?;
        }
        let link = Link {
            url: config.url.clone(),
            key: config.key.clone(),
            session: Some(Session::default()),
            ..Link::default()
        };
        let key = AgentKey::new(key);
        let host = WithKeys::of(host, &Rc::new(KeyRing::of(&key)));
        let network = Network(&host);
        let remote = Supabase::new(&network);
        let patience = if was.is_some() {
            SHORT_PATIENCE_MS
        } else {
            PATIENCE_MS
        };
        let asked: Result<Told, RemoteError> = timeout(
            remote.rpc(&link, "agent_key", &json!({})),
            host.sleep(patience),
        )
        .await
        .unwrap_or_else(|| Err(RemoteError::NoAnswer("it takes too long".to_owned())));
        match asked {
            Ok(told) => {
                let agent = told.agent.map(|agent| Rc::new(Agent { key, ..agent }));
                let known = Known {
                    agent: agent.clone(),
                    at: now,
                    in_vain: None,
                };
                self.remember(hash, known);
                agent.ok_or_else(|| Refusal::unauthorized(true))
            }
            Err(error) => match was {
                Some((agent, at)) if passing(&error) && since(at) <= GRACE => {
                    let known = Known {
                        agent: Some(Rc::clone(&agent)),
                        at,
                        in_vain: Some(host.now()),
                    };
                    self.remember(hash, known);
                    Ok(agent)
                }
                _ => Err(of_remote(&error)),
            },
        }
    }

    fn remember(&self, hash: [u8; 32], known: Known) {
        let mut held = self.known.borrow_mut();
        if held.len() >= KEPT {
            let now = known.at;
            held.retain(|_, one| one.agent.is_some() && (now - one.at).abs() <= GRACE);
            if held.len() >= KEPT {
                held.clear();
            }
        }
        held.insert(hash, known);
    }
}

/// True if the failure may pass by itself.
fn passing(error: &RemoteError) -> bool {
    matches!(
        error,
        RemoteError::NoAnswer(_) | RemoteError::Trouble(_) | RemoteError::Busy(_)
    )
}

/// Why a key could not be looked up.
fn of_remote(error: &RemoteError) -> Refusal {
    let cause = match error {
        RemoteError::NoAnswer(cause) => format!("the store can't be reached ({cause})"),
        RemoteError::Trouble(cause) | RemoteError::Refused(cause) => cause.clone(),
        RemoteError::Busy(_) => "the store is busy".to_owned(),
        RemoteError::Unauthorized => {
            "the store refuses this edge; the operator has to check SUPABASE_KEY".to_owned()
        }
        RemoteError::TooLarge | RemoteError::ActorTaken | RemoteError::NotFound => {
            "the store refuses to look up keys".to_owned()
        }
    };
    Refusal::unavailable(
        format!("your key could not be checked: {cause}; nothing was done, try again"),
        5,
    )
}
