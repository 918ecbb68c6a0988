//! Where syncing stands, for every page: asked once, told in few words.

mod chip;
pub mod stage;

use crate::api::{Client, Latest, Query, use_get};
use crate::format;
use crate::who::{self, Names};
pub use chip::{SyncChip, SyncIcon, tone};
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use lesson_types::{SyncPhase, SyncStatus};
pub use stage::Stage;
use stage::stage;

/// Syncs of fewer events are over before a share of them says anything.
pub const LONG: u32 = 100;

/// The latest status; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Syncing {
    client: Client,
    query: Query<SyncStatus>,
    me: Memo<Option<String>>,
    renamed: RwSignal<u32>,
}

impl Syncing {
    /// Follows the status from now on.
    pub fn follow(client: Client) -> Self {
        let query = use_get::<SyncStatus>(|| "/v1/sync".to_owned());
        let syncing = Self {
            client,
            query,
            renamed: RwSignal::new(0),
            // Of its own, so that a page which names people is not drawn anew with every round.
            me: Memo::new(move |_| {
                let account = query.map(|status| status.account.clone())?;
                who::me(&query.data.with(stage), &account)
            }),
        };
        syncing.follow_names();
        syncing.look_again();
        Effect::new(move |before: Option<u32>| {
            let now = client.synced.get();
            if before.is_some_and(|before| before != now) {
                query.ask_again();
            }
            now
        });
        syncing
    }

    /// Learns what people and agents of the space are called, when a server is connected and when it is back in reach.
    fn follow_names(self) {
        let (names, latest) = (Names::default(), Latest::default());
        provide_context(names);
        let space = Memo::new(move |_| {
            self.read(|status| {
                let reaches = !matches!(
                    status.phase,
                    SyncPhase::Off | SyncPhase::Offline | SyncPhase::SignedOut | SyncPhase::Trouble
                );
                reaches.then(|| status.space_id.clone())
            })
        });
        Effect::new(move |_| {
            self.renamed.track();
            names.unknown.track();
            if space.read().as_ref().is_none_or(String::is_empty) {
                return;
            }
            let asked = async move {
                let members = self.client.get("/v1/members").await.ok();
                (members, self.client.get("/v1/agent-keys").await.ok())
            };
            latest.ask(asked, move |(members, keys)| names.take(members, keys));
        });
    }

    /// Has names asked for again, after one has changed.
    pub fn ask_names(self) {
        self.renamed.update(|n| *n = n.wrapping_add(1));
    }

    /// Nothing tells this page of what others do to a space on the server: it asks anew when a person comes back to it.
    fn look_again(self) {
        let on_server = self.on_server();
        let _ = use_event_listener(window(), leptos::ev::focus, move |_| {
            if on_server.get_untracked() {
                self.client.ask_again();
            }
        });
    }

    /// The status that the app follows.
    pub fn get_from_context() -> Self {
        // The app provides it before any page is made.
        expect_context()
    }

    /// Reads the status, and reads it again when it changes; with syncing off and all fields empty before it is known.
    pub fn read<R>(self, read: impl FnOnce(&SyncStatus) -> R) -> R {
        self.query.data.with(|answer| match answer {
            Some(Ok(status)) => read(status),
            _ => read(&SyncStatus::default()),
        })
    }

    /// Returns the stage: unknown or failed where there is no status, else whether a server is connected.
    pub fn stage(self) -> Stage {
        self.query.data.with(stage)
    }

    /// Names this browser's person in the ledger, as [`who::me`] has it.
    pub fn me(self) -> Memo<Option<String>> {
        self.me
    }

    /// True while the space is worked on on the server.
    pub fn on_server(self) -> Memo<bool> {
        Memo::new(move |_| self.read(|status| status.on_server))
    }

    /// Takes a status that an act was answered with.
    pub fn take(self, status: SyncStatus) {
        self.query.set(Ok(status));
    }

    /// Asks anew, after an act that is answered with something else.
    pub async fn renew(self) {
        let answer = self.client.get("/v1/sync").await;
        self.query.set(answer);
    }
}

/// The symbol of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Both sides are the same.
    Same,
    /// Something is on its way.
    Moving,
    /// Something waits to be sent.
    Waiting,
    /// The server is out of reach.
    Offline,
    /// A person should look.
    Look,
    /// A person has to act, or nothing goes on.
    Stuck,
}

/// A status in few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// The symbol.
    pub mark: Mark,
    /// The words.
    pub text: String,
}

impl Sign {
    /// The sign of a status; `None` when syncing is off.
    pub fn of(status: &SyncStatus) -> Option<Self> {
        let (mark, text) = match status.phase {
            SyncPhase::Off => return None,
            SyncPhase::Blocked => (Mark::Stuck, "Needs attention".to_owned()),
            SyncPhase::SignedOut => (Mark::Stuck, "Sign in again".to_owned()),
            _ if status.conflicts > 0 => (
                Mark::Look,
                format::plural(status.conflicts, "conflict", "conflicts"),
            ),
            _ if status.set_aside > 0 => (
                Mark::Look,
                format!("{} set aside", format::count(status.set_aside)),
            ),
            SyncPhase::Offline => (Mark::Offline, "Offline".to_owned()),
            SyncPhase::Trouble => (Mark::Look, "Trying again".to_owned()),
            SyncPhase::Pushing | SyncPhase::Pulling => (Mark::Moving, moving(status)),
            SyncPhase::Idle if status.unsent > 0 => (
                Mark::Waiting,
                format!("{} to send", format::count(status.unsent)),
            ),
            SyncPhase::Idle if status.on_server => (Mark::Same, "On the server".to_owned()),
            SyncPhase::Idle if status.synced_at.is_none() => {
                (Mark::Waiting, "Not synced yet".to_owned())
            }
            SyncPhase::Idle => (Mark::Same, "Synced".to_owned()),
        };
        Some(Self { mark, text })
    }

    /// True if a change to it is worth saying aloud; sending and fetching come and go all the time.
    fn is_loud(&self) -> bool {
        matches!(self.mark, Mark::Offline | Mark::Look | Mark::Stuck)
    }
}

/// Where something waits for a decision, its page; otherwise the card.
pub fn address(status: &SyncStatus) -> &'static str {
    let needs_person = matches!(status.phase, SyncPhase::Blocked | SyncPhase::SignedOut);
    if !needs_person && (status.conflicts > 0 || status.set_aside > 0) {
        "/settings/conflicts"
    } else {
        "/settings#sync"
    }
}

fn moving(status: &SyncStatus) -> String {
    match status.progress {
        Some(progress) if progress.total >= LONG => {
            let share = f64::from(progress.done) / f64::from(progress.total);
            format!("Syncing… {}", format::percent(share.min(1.0)))
        }
        _ => "Syncing…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lesson_types::SyncProgress;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn status(phase: SyncPhase) -> SyncStatus {
        SyncStatus {
            phase,
            ..SyncStatus::default()
        }
    }

    #[test]
    fn a_status_is_told_in_few_words() {
        let synced = SyncStatus {
            synced_at: Some("2026-11-22T01:16:50Z".into()),
            ..status(SyncPhase::Idle)
        };
        let check = |status: SyncStatus, expected: Option<&str>| {
            let sign = Sign::of(&status).map(|sign| sign.text);
            assert_eq!(sign.as_deref(), expected, "{status:?}");
        };
        check(status(SyncPhase::Off), None);
        check(synced.clone(), Some("Synced"));
        check(status(SyncPhase::Idle), Some("Not synced yet"));
        check(
            SyncStatus {
                unsent: 3,
                ..synced.clone()
            },
            Some("3 to send"),
        );
        check(
            SyncStatus {
                on_server: true,
                ..synced.clone()
            },
            Some("On the server"),
        );
        check(status(SyncPhase::Offline), Some("Offline"));
        check(status(SyncPhase::Pulling), Some("Syncing…"));
        let progress = Some(SyncProgress {
            done: 400,
            total: 1000,
        });
        check(
            SyncStatus {
                progress,
                ..status(SyncPhase::Pushing)
            },
            Some("Syncing… 40%"),
        );
        check(
            SyncStatus {
                conflicts: 1,
                set_aside: 4,
                ..status(SyncPhase::Offline)
            },
            Some("1 conflict"),
        );
        check(
            SyncStatus {
                conflicts: 2,
                ..status(SyncPhase::SignedOut)
            },
            Some("Sign in again"),
        );
    }

    #[test]
    fn it_leads_to_what_can_be_done() {
        let conflicts = |phase| SyncStatus {
            conflicts: 1,
            ..status(phase)
        };
        assert_eq!(address(&conflicts(SyncPhase::Idle)), "/settings/conflicts");
        assert_eq!(address(&conflicts(SyncPhase::SignedOut)), "/settings#sync");
        assert_eq!(address(&status(SyncPhase::Idle)), "/settings#sync");
    }
}
