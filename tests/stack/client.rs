//! Devices that sync with a real server: `lesson-sync` over a socket, driven line by line.
//!
//! Reads one JSON object a line, `{"do": NAME, "device": NAME, …}`, and answers each with a line: `{"ok": …}` or
//! `{"error": TEXT}`. Devices live as long as this program.
//!
//! | do | takes | answers |
//! |---|---|---|
//! | `append` | `events`: the text of a list of events | how many were kept, as events made here |
//! | `lessons` | `count`, `from` | as `append`, with made-up lessons |
//! | `connect` | `url`, `key`, `email`, `password`, `space`, `expires_in?`, `clock?` (milliseconds off) | the state |
//! | `clone` | `to` | nothing: `to` is now what a copied profile would be |
//! | `relink` | `url?`, `key?` | the state |
//! | `sign_in` | `email`, `password` | the state |
//! | `sync` | `rounds?` | the status after so many rounds, or once it is idle |
//! | `state` | | the link without its tokens, and what the store keeps |
//! | `space` | | what is shown: rows with the outbox on top, as JSON |
//! | `summary` | | of what is shown: lessons and sums |
//! | `pull_vectors` | `model`, `hashes?`, `lacking_after?` | vectors and lessons without one, as the server tells them |
//! | `put_vectors` | `model`, `rows`: `slug`, `content_hash`, `bytes` from -128 to 127 | how many are stored |
//! | `fold` | `events?` | the core's fold of these events, or of all that this store has |

#[path = "http.rs"]
mod http;
#[path = "space_json.rs"]
mod space_json;

use http::Network;
use lesson_core::{Event, EventKind, Lesson, Millis, OptimisticOverlay, Policy, Space, Text};
use lesson_sync::{
    Account, Change, Entry, Lacking, Link, Machine, MemoryStore, Named, Phase, Store, Supabase,
    WhichVectors, run, server_url, sign_in, uuid7,
};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::task::{Context, Poll, Waker};

// This file lies outside its package, so cargo knows it by its whole path. Where several clones share a target directory,
// another clone's program would pass for this one's: a build for another clone is another build.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

type Answer = Result<Value, String>;

fn main() {
    let mut devices = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = line
            .map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()))
            .and_then(|asked| now(answer(&mut devices, &asked)));
        let said = match answer {
            Ok(value) => json!({ "ok": value }),
            Err(text) => json!({ "error": text }),
        };
        if writeln!(out, "{said}").and_then(|()| out.flush()).is_err() {
            return; // Whoever asks has had enough.
        }
    }
}

/// Everything here waits by blocking, so a future is ready at once.
fn now<T>(future: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(value) => value,
        Poll::Pending => Err("a future waited".to_owned()),
    }
}

/// A store, what syncs it, and the machine it is on.
#[derive(Default)]
struct Device {
    store: MemoryStore,
    machine: RefCell<Machine>,
    network: Network,
    /// Milliseconds that the clock is off.
    clock: Cell<Millis>,
    dice: Cell<u64>,
    policy: Policy,
}

async fn answer(devices: &mut BTreeMap<String, Device>, asked: &Value) -> Answer {
    let name = text(asked, "device")?;
    if asked["do"] == "clone" {
        let copy = match devices.get(name) {
            Some(device) => device.copy().await?,
            None => return Err(format!("no device `{name}`")),
        };
        devices.insert(text(asked, "to")?.to_owned(), copy);
        return Ok(Value::Null);
    }
    let device = devices.entry(name.to_owned()).or_default();
    match text(asked, "do")? {
        "append" => {
            let events: Vec<Event> =
                serde_json::from_str(text(asked, "events")?).map_err(|error| error.to_string())?;
            let entries = events.into_iter().map(|event| Entry::Own {
                op_id: event.op_id,
                by: "local".to_owned(),
                request: None,
                at: event.at,
                event: event.event,
            });
            device.append(entries.collect()).await
        }
        "lessons" => {
            let from = asked["from"].as_u64().unwrap_or(0);
            let count = asked["count"].as_u64().unwrap_or(0);
            let entries = (from..from + count).map(|number| device.lesson(number));
            let entries = entries.collect();
            device.append(entries).await
        }
        "connect" => device.connect(asked).await,
        "relink" => {
            let mut link = device.link().await?;
            for (name, field) in [("url", &mut link.url), ("key", &mut link.key)] {
                if let Some(value) = asked[name].as_str() {
                    value.clone_into(field);
                }
            }
            device.commit(Change::to(link)).await?;
            device.state().await
        }
        "sign_in" => {
            let link = device.link().await?;
            let account = device.account(asked, &link.url, &link.key).await?;
            device
                .commit(Change::to(Link {
                    session: Some(account.session),
                    ..link
                }))
                .await?;
            device.state().await
        }
        "sync" => device.sync(asked["rounds"].as_u64().unwrap_or(1)).await,
        "state" => device.state().await,
        "space" => Ok(space_json::of(&device.shown().await?)),
        "summary" => device.summary().await,
        "fold" => match asked["events"].as_str() {
            Some(events) => {
                let events: Vec<Event> =
                    serde_json::from_str(events).map_err(|error| error.to_string())?;
                Ok(space_json::of(&device.fold(&events)))
            }
            None => {
                let events: Vec<Event> = device.events(0).await?;
                Ok(space_json::of(&device.fold(&events)))
            }
        },
        "pull_vectors" => device.pull_vectors(asked).await,
        "put_vectors" => device.put_vectors(asked).await,
        other => Err(format!("`{other}` is nothing that can be done")),
    }
}

fn text<'a>(asked: &'a Value, name: &str) -> Result<&'a str, String> {
    asked[name]
        .as_str()
        .ok_or_else(|| format!("`{name}` has to be a text"))
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Device {
    /// The time by this device, and a random number.
    fn tick(&self) -> (Millis, u128) {
        let (now, nanos) = machine_clock();
        // Xorshift, mixed with the clock: two devices must not draw the same.
        let mut dice = self.dice.get() ^ nanos | 1;
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        self.dice.set(dice);
        (
            now + self.clock.get(),
            u128::from(dice) << 64 | u128::from(dice.rotate_left(31)),
        )
    }

    async fn link(&self) -> Result<Link, String> {
        let link = self.store.link().await.map_err(told)?;
        link.ok_or_else(|| "the device is not connected".to_owned())
    }

    async fn commit(&self, change: Change) -> Result<(), String> {
        let link = self.store.link().await.map_err(told)?;
        let expected = link.map_or(0, |link| link.revision);
        self.store.commit(expected, change).await.map_err(told)?;
        Ok(())
    }

    async fn append(&self, entries: Vec<Entry>) -> Answer {
        let (at, random) = self.tick();
        let fresh = uuid7(at, random);
        self.store.identity(&fresh).await.map_err(told)?;
        let expected = self.store.read_after(0).await.map_err(told)?.position;
        let kept = self.store.append(expected, entries).await.map_err(told)?;
        Ok(json!(kept.len()))
    }

    fn lesson(&self, number: u64) -> Entry {
        let (at, random) = self.tick();
        let text = Text {
            title: format!("Lesson number {number}"),
            recommendation: "Bind values to placeholders, and never splice them into a statement."
                .to_owned(),
            context: "A query is put together from what a person typed.".to_owned(),
            domain: "code".to_owned(),
            tags: vec!["sql".to_owned()],
            ..Text::default()
        };
        let lesson = Lesson::new(format!("lesson-{number}"), text, "test".to_owned(), at);
        Entry::Own {
            op_id: uuid7(at, random),
            by: "local".to_owned(),
            request: None,
            at,
            event: EventKind::LessonAdded {
                lesson: Box::new(lesson),
            },
        }
    }

    async fn account(&self, asked: &Value, url: &str, key: &str) -> Result<Account, String> {
        let (email, password) = (text(asked, "email")?, text(asked, "password")?);
        sign_in(&self.network, url, key, email, password)
            .await
            .map_err(|error| error.message().to_owned())
    }

    /// As an app connects: sign in, then link; what is here is sent under a new actor.
    async fn connect(&self, asked: &Value) -> Answer {
        self.network.expires_in.set(asked["expires_in"].as_i64());
        self.clock.set(asked["clock"].as_i64().unwrap_or(0));
        let url = server_url(text(asked, "url")?).map_err(|error| error.message().to_owned())?;
        let key = text(asked, "key")?;
        let account = self.account(asked, &url, key).await?;
        let (at, random) = self.tick();
        let actor = uuid7(at, random);
        self.store.identity(&actor).await.map_err(told)?;
        let link = Link {
            url,
            key: key.to_owned(),
            user: account.user,
            space: Named {
                id: text(asked, "space")?.to_owned(),
                name: "test".to_owned(),
            },
            actor,
            session: Some(account.session),
            ..Link::default()
        };
        self.commit(Change {
            renumber_after: Some(0),
            ..Change::to(link)
        })
        .await?;
        self.state().await
    }

    /// Makes the device that a copy of this device's profile would be.
    async fn copy(&self) -> Result<Self, String> {
        let copy = Self::default();
        let link = self.link().await?;
        copy.store.identity(&link.actor).await.map_err(told)?;
        let events = self.events(0).await?;
        let entries = events.into_iter().map(Entry::Foreign).collect();
        copy.store.append(0, entries).await.map_err(told)?;
        let rows = self.store.rows_after(0).await.map_err(told)?;
        copy.commit(Change {
            rows,
            ..Change::to(link)
        })
        .await?;
        Ok(copy)
    }

    async fn sync(&self, rounds: u64) -> Answer {
        let remote = Supabase::new(&self.network);
        for _ in 0..rounds.max(1) {
            // As a person does who presses *Sync now*: a server that refused is asked again at once.
            self.machine.borrow_mut().ask();
            run(
                &self.machine,
                &self.store,
                &remote,
                || self.tick(),
                async || true,
            )
            .await;
            let phase = self.machine.borrow().status().phase;
            if phase == Phase::Idle {
                break;
            }
        }
        let machine = self.machine.borrow();
        let status = machine.status();
        Ok(json!({
            "phase": format!("{:?}", status.phase),
            "message": status.message,
            "next_at": status.next_at,
            "synced_at": status.synced_at,
        }))
    }

    async fn pull_vectors(&self, asked: &Value) -> Answer {
        let hashes: Option<Vec<String>> =
            serde_json::from_value(asked["hashes"].clone()).map_err(told)?;
        let which = hashes
            .as_deref()
            .map_or(WhichVectors::After(""), WhichVectors::Of);
        let page = Supabase::new(&self.network)
            .pull_vectors(
                &self.link().await?,
                text(asked, "model")?,
                which,
                asked["lacking_after"].as_str(),
            )
            .await
            .map_err(|error| format!("{error:?}"))?;
        let signed = |bytes: &[u8]| bytes.iter().map(|byte| *byte as i8).collect::<Vec<i8>>();
        Ok(json!({
            "vectors": page.vectors.iter()
                .map(|(hash, bytes)| json!({ "hash": hash, "bytes": signed(bytes) }))
                .collect::<Vec<_>>(),
            "refused": page.refused.iter().map(|one| &one.hash).collect::<Vec<_>>(),
            "lacking": page.lacking.iter()
                .map(|one| json!({ "slug": one.slug, "content_hash": one.content_hash }))
                .collect::<Vec<_>>(),
        }))
    }

    async fn put_vectors(&self, asked: &Value) -> Answer {
        let rows: Vec<Value> = serde_json::from_value(asked["rows"].clone()).map_err(told)?;
        let rows = rows
            .into_iter()
            .map(|row| {
                let bytes: Vec<i8> = serde_json::from_value(row["bytes"].clone()).map_err(told)?;
                let bytes = bytes.into_iter().map(|byte| byte as u8).collect();
                let lesson: Lacking = serde_json::from_value(row).map_err(told)?;
                Ok((lesson, bytes))
            })
            .collect::<Result<Vec<_>, String>>()?;
        let stored = Supabase::new(&self.network)
            .put_vectors(&self.link().await?, text(asked, "model")?, &rows)
            .await
            .map_err(|error| format!("{error:?}"))?;
        Ok(json!(stored))
    }

    async fn events(&self, after: u64) -> Result<Vec<Event>, String> {
        let ledger = self.store.read_after(after).await.map_err(told)?;
        Ok(ledger
            .events
            .into_iter()
            .map(|stored| stored.event)
            .collect())
    }

    /// Folds events in this order, as the core does; those that it refuses change nothing.
    fn fold(&self, events: &[Event]) -> Space {
        let mut space = Space::for_ledger(events, &self.policy);
        for event in events {
            let _ = space.fold(event, &self.policy);
        }
        space
    }

    /// Returns the space as a person sees it.
    async fn shown(&self) -> Result<Space, String> {
        let link = self.link().await?;
        let (mut space, mut replica) = (Space::new(), OptimisticOverlay::new());
        let rows = self.store.rows_after(0).await.map_err(told)?;
        replica.put(&mut space, rows.into_iter().map(|row| row.row));
        for event in self.events(link.based).await? {
            let _ = replica.fold(&mut space, &event, &self.policy);
        }
        Ok(space)
    }

    async fn summary(&self) -> Answer {
        let space = self.shown().await?;
        let sum = |count: fn(&Lesson) -> u32| -> u64 {
            space.lessons().map(|lesson| u64::from(count(lesson))).sum()
        };
        Ok(json!({
            "lessons": space.lessons().len(),
            "helpful": sum(|lesson| lesson.standing.times_helpful),
            "not_helpful": sum(|lesson| lesson.standing.times_not_helpful),
            "tools": space.tools().records().len(),
        }))
    }

    async fn state(&self) -> Answer {
        let link = self.link().await?;
        let set_aside = self.store.set_aside().await.map_err(told)?;
        let set_aside: Vec<Value> = set_aside
            .iter()
            .map(
                |one| json!({ "op_id": one.event.op_id, "field": one.field, "reason": one.reason }),
            )
            .collect();
        Ok(json!({
            "actor": link.actor,
            "signed_in": link.session.is_some(),
            "epoch": link.epoch,
            "cursor": link.cursor,
            "based": link.based,
            "acked": link.acked,
            "events": self.events(0).await?.len(),
            "unsent": self.events(link.acked).await?.len(),
            "rows": self.store.rows_after(0).await.map_err(told)?.len(),
            "set_aside": set_aside,
            "requests": self.network.requests.get(),
            "bytes": self.network.bytes.get(),
        }))
    }
}

/// Milliseconds since the Unix epoch, and nanoseconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a device has a clock; the core is told the time"
)]
fn machine_clock() -> (Millis, u64) {
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    (
        Millis::try_from(time.as_millis()).unwrap_or(0),
        u64::from(time.subsec_nanos()),
    )
}
