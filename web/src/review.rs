//! The queue that waits for a person's judgement, for every page: asked for once, with what was decided about it.

mod act;
mod answer;
mod pending_actions;
mod review_filter;
mod review_state;
mod sight;

use crate::api::{Client, Latest, act_apart};
use crate::components::{Toasts, use_toasts};
use crate::format;
pub use act::Act;
use answer::UnderWay;
pub use answer::{Answer, Undone};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{ApiError, PolicyPatch, ReviewItem, ReviewPolicyPatch, ReviewQueue};
pub use pending_actions::HOLD;
use pending_actions::PendingAction;
pub use review_filter::ReviewFilter;
pub use review_state::{ReviewState, Visit};
use serde_json::Value;
use sight::Sight;
use std::collections::BTreeSet;

/// A pause in changes after which the queue is counted anew, in milliseconds, while no page shows it.
const QUIET: u32 = 1_500;
/// Answers that can be undone at a time.
const LOGGED: usize = 100;

/// A queue, and which opening of the page it was read for.
type Asked = (Option<u32>, Result<ReviewQueue, ApiError>);

/// The queue and its answers; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct Reviewing {
    client: Client,
    toasts: Toasts,
    /// The latest queue, and which opening of the page it was read for.
    queue: RwSignal<Option<Asked>>,
    /// Counts the openings of the page.
    opening: StoredValue<u32>,
    /// Number of lessons wanted: none while no page shows them.
    wanted: RwSignal<u32>,
    /// Filter of the lessons wanted.
    filter: RwSignal<ReviewFilter>,
    memory: RwSignal<ReviewState>,
    /// Acts that are not in the queue's answer yet.
    under_way: RwSignal<Vec<UnderWay>>,
    /// Answers, the latest last.
    log: RwSignal<Vec<Answer>>,
    tab: StoredValue<String>,
    latest: Latest,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Reviewing {
    /// Follows the queue from now on, and sends what an earlier visit has left.
    pub fn follow(client: Client) -> Self {
        let now = js_sys::Date::now();
        let reviewing = Self {
            client,
            toasts: use_toasts(),
            queue: RwSignal::new(None),
            opening: StoredValue::new(0),
            wanted: RwSignal::new(0),
            filter: RwSignal::new(ReviewFilter::default()),
            memory: RwSignal::new(ReviewState::load(now)),
            under_way: RwSignal::new(Vec::new()),
            log: RwSignal::new(Vec::new()),
            tab: StoredValue::new(pending_actions::tab()),
            latest: Latest::default(),
            timer: StoredValue::new_local(None),
        };
        Effect::new(move |_| {
            client.changed.track();
            reviewing.filter.track();
            // A queue on show follows the store; else a timer waits for the store to rest. `Latest` keeps the newest.
            if reviewing.wanted.get() > 0 {
                reviewing.timer.set_value(None);
                spawn_local(reviewing.ask());
            } else {
                let timer = Timeout::new(QUIET, move || spawn_local(reviewing.ask()));
                // The timer before it is dropped, which stops it.
                reviewing.timer.set_value(Some(timer));
            }
        });
        // Once, when the app begins.
        spawn_local(reviewing.send_left(now));
        reviewing
    }

    /// The queue that the app follows.
    pub fn get_from_context() -> Self {
        // The app provides it before any page is made.
        expect_context()
    }

    /// Asks for so many lessons from now on; for none again with [`Reviewing::close`].
    pub fn want(self, lessons: u32) {
        if self.wanted.get_untracked() != lessons {
            self.wanted.set(lessons);
        }
    }

    /// Asks for the lessons that fit from now on; for all again with [`Reviewing::close`].
    pub fn want_only(self, filter: ReviewFilter) {
        if self.filter.with_untracked(|now| *now != filter) {
            self.filter.set(filter);
        }
    }

    /// Counts the lessons that fit the filter, also those that are dealt with or put off and not read anew yet.
    pub fn fits(self) -> u32 {
        self.read(|queue| queue.fits)
    }

    /// No page shows the queue any more: what is held back is sent.
    pub fn close(self) {
        let waiting: Vec<String> = self.under_way.with_untracked(|acts| {
            acts.iter()
                .filter(|act| !act.sent)
                .map(|act| act.held.id.clone())
                .collect()
        });
        for id in waiting {
            self.send(&id);
        }
        self.opening.update_value(|n| *n = n.wrapping_add(1));
        self.want_only(ReviewFilter::default());
        self.want(0);
    }

    async fn ask(self) {
        let turn = self.latest.begin();
        let wanted = self.wanted.get_untracked();
        let answer = self
            .client
            .get::<ReviewQueue>(self.filter.with_untracked(|filter| filter.request(wanted)))
            .await;
        if turn.is_latest() {
            let opening = (wanted > 0).then(|| self.opening.get_value());
            let answer = Some((opening, answer));
            if self.queue.with_untracked(|queue| *queue != answer) {
                self.queue.set(answer);
            }
        }
    }

    /// Asks again, after a failure.
    pub fn ask_again(self) {
        self.queue.set(None);
        act_apart(self.ask(), drop);
    }

    /// Why the queue can't be shown; `None` while it can.
    pub fn failed(self) -> Option<ApiError> {
        self.queue
            .with(|queue| queue.as_ref()?.1.as_ref().err().cloned())
    }

    /// True if the queue's lessons have been read since the page was opened: an older answer may
    /// begin with another lesson.
    pub fn is_read(self) -> bool {
        let now = self.opening.get_value();
        self.queue
            .with(|queue| matches!(queue, Some((Some(opening), Ok(_))) if *opening == now))
    }

    /// Reads the queue as the engine answered it; an empty one before it has.
    pub fn read<R>(self, read: impl FnOnce(&ReviewQueue) -> R) -> R {
        self.queue.with(|queue| match queue {
            Some((_, Ok(queue))) => read(queue),
            _ => read(&ReviewQueue::default()),
        })
    }

    /// The lessons to look at now: without those that are dealt with or put off.
    pub fn items(self) -> Vec<ReviewItem> {
        if !self.is_read() {
            return Vec::new();
        }
        let sight = self.sight();
        self.read(|queue| {
            let shown = |item: &&ReviewItem| !sight.is_gone(item) && !sight.is_skipped(item);
            let shown = queue.items.iter().filter(shown).cloned();
            shown.map(|item| sight.open_questions(item)).collect()
        })
    }

    /// Counts all that waits, lessons and proposals, also the lessons that were skipped.
    pub fn waiting(self) -> u32 {
        let sight = self.sight();
        self.read(|queue| {
            let gone = queue.items.iter().filter(|item| sight.is_gone(item));
            let read: BTreeSet<&str> = queue.items.iter().map(|item| item.slug.as_str()).collect();
            let more = queue.keepable.iter().filter(|one| {
                !read.contains(one.slug.as_str())
                    && (sight.memory.is_kept(&one.key)
                        || sight.memory.is_answered(&one.slug)
                        || sight.memory.knows_pairs(one.pairs.iter()))
            });
            let gone = u32::try_from(gone.count() + more.count()).unwrap_or(u32::MAX);
            queue.total.saturating_sub(gone)
        })
    }

    /// Counts the proposals among it, which are not among the lessons to look at.
    pub fn proposals(self) -> u32 {
        self.read(|queue| queue.proposals)
    }

    /// Counts the lessons that were skipped in this visit.
    pub fn skipped(self) -> u32 {
        let sight = self.sight();
        self.read(|queue| {
            let skipped = |item: &&ReviewItem| sight.is_skipped(item) && !sight.is_gone(item);
            u32::try_from(queue.items.iter().filter(skipped).count()).unwrap_or(u32::MAX)
        })
    }

    /// Returns the progress of this visit.
    pub fn visit(self) -> Visit {
        self.memory.with(|memory| memory.visit.clone())
    }

    /// True if a question was skipped in this visit.
    pub fn is_skipped(self, key: &str) -> bool {
        self.memory.with(|memory| memory.is_skipped(key))
    }

    /// Asks what was skipped again.
    pub fn unskip(self) {
        self.remember(ReviewState::forget_skipped);
    }

    /// Finds the person's rating of this lesson in this visit, unless it was taken back: `true` for helpful.
    pub fn has_rated(self, slug: &str) -> Option<bool> {
        self.log.with(|log| {
            log.iter().rev().find_map(|answer| match answer.act {
                Act::Rate { helpful } if answer.slug == slug => Some(helpful),
                _ => None,
            })
        })
    }

    /// True if another trial of this lesson is on its way.
    pub fn is_tried(self, slug: &str) -> bool {
        self.under_way.with(|acts| {
            acts.iter()
                .any(|act| act.held.act == Act::Trial && act.held.slug == slug)
        })
    }

    fn sight(self) -> Sight {
        Sight {
            memory: self.memory.get(),
            gone: self.under_way.with(|acts| {
                acts.iter()
                    .filter(|act| act.gone)
                    .map(|act| act.held.slug.clone())
                    .collect()
            }),
        }
    }

    fn remember(self, change: impl FnOnce(&mut ReviewState)) {
        self.memory.update(|memory| {
            change(memory);
            memory.save(js_sys::Date::now());
        });
    }

    /// Takes an answer to a lesson. What no event takes back is sent after [`HOLD`] milliseconds.
    /// `gone` says that the lesson is dealt with.
    pub fn answer(self, item: &ReviewItem, act: Act, gone: bool) {
        use lesson_types::ReviewReason::{Quarantined, Unreviewed};
        // An approval settles the text alone; that other things are well too is remembered.
        let remembered = !matches!(act, Act::Approve { .. })
            || item
                .reasons
                .iter()
                .any(|reason| !matches!(reason, Quarantined | Unreviewed));
        let key = remembered.then(|| item.key.clone());
        let settles = matches!(act, Act::Keep | Act::Approve { .. });
        let pairs = item.duplicates.iter().filter(|_| settles);
        let pairs = pairs.map(|other| other.pair.clone()).collect();
        self.take(&item.slug, &item.title, key, pairs, act, gone);
    }

    /// Puts off a question that is not about a lesson of the queue.
    pub fn skip(self, title: &str, key: String) {
        self.take("", title, Some(key), Vec::new(), Act::Skip, true);
    }

    fn take(
        self,
        slug: &str,
        title: &str,
        key: Option<String>,
        pairs: Vec<String>,
        act: Act,
        gone: bool,
    ) {
        let now = js_sys::Date::now();
        let held = PendingAction::new(slug, act.clone(), &self.tab.get_value(), now);
        let answer = Answer {
            id: held.id.clone(),
            slug: slug.to_owned(),
            title: title.to_owned(),
            key: key.clone(),
            pairs: pairs.clone(),
            act: act.clone(),
            gone,
        };
        if act.request(slug).is_some() {
            let id = held.id.clone();
            let written = !act.has_inverse() && pending_actions::put(&held);
            self.under_way.update(|acts| {
                acts.push(UnderWay {
                    held,
                    gone,
                    written,
                    sent: false,
                });
            });
            if act.has_inverse() {
                self.send(&id);
            } else {
                Timeout::new(HOLD, move || self.send(&id)).forget();
            }
        }
        self.hold_apart(&pairs, true);
        self.remember(|memory| {
            memory.note(&act, slug, key.as_deref(), gone);
            memory.keep_pairs(pairs);
        });
        self.log.update(|log| {
            log.push(answer);
            let old = log.len().saturating_sub(LOGGED);
            log.drain(..old);
        });
    }

    /// Keeps in the space that pairs are not asked about again, on other devices neither, or that they are. This browser
    /// remembers it in any case, so a refusal is not told.
    fn hold_apart(self, pairs: &[String], apart: bool) {
        if pairs.is_empty() {
            return;
        }
        let pairs = Some(pairs.to_vec());
        let (apart, again) = if apart { (pairs, None) } else { (None, pairs) };
        let patch = PolicyPatch {
            review: Some(ReviewPolicyPatch { apart, again }),
            ..PolicyPatch::default()
        };
        let asked = self.client.patch_json::<Value>("/v1/policy", &patch);
        act_apart(asked, drop);
    }

    /// Sends an act that was held back, unless it was taken back meanwhile.
    fn send(self, id: &str) {
        let act = self.under_way.try_update(|acts| {
            let act = acts
                .iter_mut()
                .find(|act| act.held.id == *id && !act.sent)?;
            act.sent = true;
            Some(act.clone())
        });
        let Some(UnderWay { held, written, .. }) = act.flatten() else {
            return;
        };
        if written && !pending_actions::take(id) {
            self.arrived(id);
            return;
        }
        let Some((path, body)) = held.act.request(&held.slug) else {
            return;
        };
        let id = id.to_owned();
        let sent = async move {
            if let Err(error) = self.client.act(path, &body).await {
                self.refused(&id, &error);
            } else {
                // Shown as dealt with until the queue says so itself.
                self.ask().await;
            }
            id
        };
        act_apart(sent, move |id| self.arrived(&id));
    }

    fn arrived(self, id: &str) {
        self.under_way
            .update(|acts| acts.retain(|act| act.held.id != id));
    }

    fn refused(self, id: &str, error: &ApiError) {
        let answer = self.log.try_update(|log| {
            let at = log.iter().position(|answer| answer.id == id)?;
            Some(log.remove(at))
        });
        if let Some(answer) = answer.flatten() {
            self.forget(&answer);
            self.toasts.bad(format!(
                "“{}” was not changed: {}",
                answer.title, error.message
            ));
        } else {
            self.toasts.bad(error.message.clone());
        }
    }

    /// Puts what an answer left in memory as it was before.
    fn forget(self, answer: &Answer) {
        self.hold_apart(&answer.pairs, false);
        self.remember(|memory| {
            let key = answer.key.as_deref();
            memory.forget(&answer.act, &answer.slug, key, answer.gone);
            memory.forget_pairs(&answer.pairs);
        });
    }

    /// Takes the latest answer back.
    pub fn undo(self) -> Undone {
        let Some(answer) = self.log.try_update(Vec::pop).flatten() else {
            return Undone::Nothing;
        };
        let waits = self
            .under_way
            .with_untracked(|acts| acts.iter().any(|act| act.held.id == answer.id && !act.sent));
        if waits {
            pending_actions::take(&answer.id);
            self.arrived(&answer.id);
        } else if answer.act.has_inverse() {
            let path = format!("/v1/lessons/{}/restore", format::encode(&answer.slug));
            let restored = async move {
                if let Err(error) = self.client.act(path, &Value::Null).await {
                    self.toasts.bad(error.message);
                }
                self.ask().await;
            };
            act_apart(restored, drop);
        } else if answer.act.request(&answer.slug).is_some() {
            return Undone::TooLate(answer);
        }
        self.forget(&answer);
        Undone::Done(answer)
    }

    /// Sends what was decided in a tab that is gone.
    async fn send_left(self, now: f64) {
        for held in pending_actions::take_left(&self.tab.get_value(), now) {
            let Some((path, body)) = held.act.request(&held.slug) else {
                continue;
            };
            if let Err(error) = self.client.act(path, &body).await {
                self.toasts.bad(format!(
                    "{} {}: this was decided before the page was left, and can't be done any more. {}",
                    held.act.done(),
                    held.slug,
                    error.message
                ));
            }
        }
    }
}
