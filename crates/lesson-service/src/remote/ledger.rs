//! Reading the ledger: from the store, or of a linked space from the server, which has it whole.

use crate::host::Host;
use crate::http::fault::of_store;
use crate::remote::network::Network;
use crate::remote::remote_error::words;
use crate::state::service_struct::Service;
use lesson_core::learning::Belief;
use lesson_core::{Event, Millis, serde_rfc3339_option};
use lesson_sync::{Link, RemoteError, Store, Supabase};
use lesson_types::{ApiError, ErrorCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that REST gives at once.
const ROWS: usize = 1_000;

/// A page of a lesson's history.
#[derive(Deserialize)]
struct HistoryPage {
    events: Vec<HistoryEvent>,
    next_before: Option<u64>,
    /// The agents' keys that had written.
    agents: Vec<FirstOfAgent>,
}

/// From where in the ledger an agent's key counts as known.
#[derive(Deserialize)]
struct FirstOfAgent {
    by: String,
    version: u64,
}

#[derive(Deserialize)]
struct HistoryEvent {
    version: u64,
    event: Event,
    /// The lift that it left the lesson with, where it moved the lesson.
    #[serde(default)]
    lift: Option<HeldLift>,
}

/// A lift as the server keeps it.
#[derive(Deserialize)]
struct HeldLift {
    mean: f64,
    variance: f64,
    #[serde(with = "serde_rfc3339_option")]
    at: Option<Millis>,
}

impl From<HeldLift> for Belief {
    fn from(held: HeldLift) -> Self {
        Self {
            mean: held.mean,
            variance: held.variance,
            at: held.at,
        }
    }
}

/// The part of a ledger that speaks of one lesson.
pub(crate) struct LessonLedger {
    /// Its events, in order.
    pub events: Vec<Event>,
    /// The lesson's lift after each of them, by the event's id, as the server reckoned it: a lift hangs on other lessons and
    /// on all runs of its domain, so a part of the ledger does not tell it. `None` where the ledger is whole and does.
    pub lifts: Option<BTreeMap<String, Belief>>,
}

/// A row of the table of events.
#[derive(Deserialize)]
struct EventRow {
    version: u64,
    payload: Event,
}

impl<S: Store, H: Host> Service<S, H> {
    /// Events of the store after a position, in order.
    pub(crate) async fn own_events(&self, position: u64) -> Result<Vec<Event>, ApiError> {
        let ledger = self
            .store
            .read_after(position)
            .await
            .map_err(|error| of_store(&error))?;
        Ok(ledger
            .events
            .into_iter()
            .map(|stored| stored.event)
            .collect())
    }

    /// Reads what the server knows of a lesson, then what was made here since.
    pub(crate) async fn events_of(
        &self,
        link: Link,
        lesson: &str,
    ) -> Result<LessonLedger, ApiError> {
        // Merged lessons brought their counts along, so their events are read, too.
        let mut slugs = BTreeSet::from([lesson.to_owned()]);
        let mut ask: Vec<String> = vec![lesson.to_owned()];
        let mut lifts = BTreeMap::new();
        let mut found: BTreeMap<u64, Event> = BTreeMap::new();
        let mut agents: BTreeMap<u64, String> = BTreeMap::new();
        while let Some(slug) = ask.pop() {
            let mut before = None;
            loop {
                let page: Option<HistoryPage> = self
                    .asked(&link, async |link: &Link| {
                        let network = Network(&self.host);
                        Supabase::new(&network).history(link, &slug, before).await
                    })
                    .await?;
                // A lesson that is only here yet.
                let Some(page) = page else { break };
                agents.extend(page.agents.into_iter().map(|one| (one.version, one.by)));
                for one in page.events {
                    if let lesson_core::EventKind::LessonsMerged { into, from } = &one.event.event
                        && *into == slug
                    {
                        for other in from {
                            if slugs.insert(other.clone()) {
                                ask.push(other.clone());
                            }
                        }
                    }
                    if let Some(lift) = one.lift.filter(|_| slug == lesson) {
                        lifts.insert(one.event.op_id.clone(), lift.into());
                    }
                    found.insert(one.version, one.event);
                }
                before = page.next_before;
                if before.is_none() {
                    break;
                }
            }
        }
        // Counting depends on who had written by then, about whatever.
        for (version, by) in agents {
            found
                .entry(version)
                .or_insert_with(|| lesson_core::first_of_agent(&by, 0));
        }
        let own = self.own_events(link.based).await?;
        let events = found.into_values().chain(own);
        Ok(LessonLedger {
            events: lesson_core::narrowed(events, &slugs),
            lifts: Some(lifts),
        })
    }

    /// The whole ledger of the space as the server has it, then what was made here since.
    pub(crate) async fn whole_ledger(&self, link: Link) -> Result<Vec<Event>, ApiError> {
        let mut events: Vec<Event> = Vec::new();
        let mut after = 0;
        loop {
            let query = format!(
                "events?select=version,payload&space=eq.{}&version=gt.{after}&order=version&limit={ROWS}",
                link.space.id
            );
            let rows: Option<Vec<EventRow>> = self
                .asked(&link, async |link: &Link| {
                    let network = Network(&self.host);
                    Supabase::new(&network).get(link, &query).await
                })
                .await?;
            let rows = rows.unwrap_or_default();
            let Some(last) = rows.last() else { break };
            after = last.version;
            events.extend(rows.into_iter().map(|row| row.payload));
        }
        events.extend(self.own_events(link.based).await?);
        Ok(events)
    }

    /// Asks the server for what is kept there; `None` when it has no such thing.
    async fn asked<T: DeserializeOwned>(
        &self,
        link: &Link,
        ask: impl AsyncFn(&Link) -> Result<T, RemoteError>,
    ) -> Result<Option<T>, ApiError> {
        match self.signed_in(link, ask).await {
            Ok(answer) => Ok(Some(answer)),
            Err(RemoteError::NotFound) => Ok(None),
            Err(error) => Err(ApiError::new(
                ErrorCode::Unavailable,
                format!(
                    "this is kept on the server, and {}; try again when syncing works",
                    words(&error)
                ),
            )),
        }
    }

    /// True if a session that has ended can be renewed here: not one that the host makes, nor that of a part, which is renewed
    /// by whoever made the part.
    pub(crate) fn renews_session(&self) -> bool {
        let state = self.state.borrow();
        let linked = state.linked.as_ref();
        let session = linked.and_then(|linked| linked.link.session.as_ref());
        self.held.renews_session()
            && session.is_some_and(|session| !session.refresh_token.is_empty())
    }

    /// Asks the server; once more with a fresh session when the one at hand has expired.
    pub(crate) async fn signed_in<T>(
        &self,
        link: &Link,
        ask: impl AsyncFn(&Link) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let answer = ask(link).await;
        if !self.renews_session() || !matches!(answer, Err(RemoteError::Unauthorized)) {
            return answer;
        }
        // A round of syncing refreshes it.
        self.sync.machine.borrow_mut().renew(link);
        self.sync_round().await;
        match self.link() {
            Some(link) => ask(&link).await,
            None => answer,
        }
    }
}
