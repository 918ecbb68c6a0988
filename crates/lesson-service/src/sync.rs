//! Syncing: rounds, where it stands, and connecting to a server.

use crate::convert;
use crate::fault::{clip, of_store};
use crate::host::{Host, fresh_id};
use crate::service::{Answer, Service};
use crate::state::{Linked, State};
use crate::validate;
use crate::writer::Plan;
use lesson_api::{
    ApiError, ConflictField, Connect, Connected, EditConflict, ErrorCode, SetAsideEvent,
    SetAsideList, Settle, Settlement, SignIn, SignOut, SpaceChoice, SyncPhase, SyncProgress,
    SyncStatus, limits,
};
use lesson_core::screen::screen;
use lesson_core::{Changes, Happening, Lesson, Millis, Text, to_rfc3339};
use lesson_sync::{
    Account, Change, Http, HttpRequest, HttpResponse, Link, Machine, Named, NoAnswer, Phase,
    SetAside, SignInError, Store, StoreError, Supabase, create_space, run, server_url, spaces,
};
use serde_json::Value;

/// The longest publishable key and password, in characters.
const SECRET: usize = 4_096;

/// What a round of syncing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncRound {
    /// When the next one is due by itself; `None`: when a person does something about it.
    pub next_at: Option<Millis>,
    /// Whether lessons, or what waits, may have changed; where syncing stands always may.
    pub changed: bool,
}

/// The host's network.
pub(crate) struct Network<'a, H>(pub &'a H);

impl<H: Host> Http for Network<'_, H> {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        self.0.send(request).await
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// The revision of the link that is shown, 0 without one; it changes with every step of
    /// syncing.
    pub fn revision(&self) -> u64 {
        self.state.borrow().revision()
    }

    /// One round of syncing: sends what was made here, reads what others made. Does nothing
    /// without a link. Requests are answered meanwhile. One round at a time: a second call waits.
    pub async fn sync_round(&self) -> SyncRound {
        let _turn = self.syncing.lock().await;
        let revision = self.revision();
        // What waits to be stored goes along; a store that fails is shown by health.
        let _ = self.flush().await;
        let clock = || {
            let mut random = [0; 16];
            self.host.random(&mut random);
            (self.host.now(), u128::from_be_bytes(random))
        };
        let network = Network(&self.host);
        let rest = run(
            &self.machine,
            &self.store,
            &Supabase::new(&network),
            clock,
            async || {
                let _ = self.catch_up().await;
                !self.leaving.get()
            },
        )
        .await;
        SyncRound {
            next_at: rest.until,
            changed: self.revision() != revision,
        }
    }

    pub(crate) fn sync_status(&self, body: &Value) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        Answer::json(&self.status())
    }

    /// The worker that hosts the engine begins a round after this.
    pub(crate) fn sync_now(&self, body: &Value) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        self.linked_or_refuse()?;
        Answer::json(&self.status())
    }

    /// Where syncing stands, in one word as it stands in JSON.
    pub(crate) fn sync_word(&self) -> String {
        serde_json::to_value(self.status().phase)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    fn status(&self) -> SyncStatus {
        let state = self.state.borrow();
        let machine = self.machine.borrow();
        let status = machine.status();
        let Some(linked) = &state.linked else {
            return SyncStatus::default();
        };
        let (conflicts, others) = sorted(&state, linked);
        let link = &linked.link;
        SyncStatus {
            phase: match status.phase {
                // Before the first round.
                Phase::Off if link.session.is_none() => SyncPhase::SignedOut,
                Phase::Off | Phase::Idle => SyncPhase::Idle,
                Phase::Pushing => SyncPhase::Pushing,
                Phase::Pulling => SyncPhase::Pulling,
                Phase::Offline => SyncPhase::Offline,
                Phase::Trouble => SyncPhase::Trouble,
                Phase::SignedOut => SyncPhase::SignedOut,
                Phase::Blocked => SyncPhase::Blocked,
            },
            message: status.message.clone(),
            url: link.url.clone(),
            email: link.user.name.clone(),
            space: link.space.name.clone(),
            space_id: link.space.id.clone(),
            unsent: count(linked.unsent()),
            progress: status.progress.map(|(done, total)| SyncProgress {
                done: u32::try_from(done).unwrap_or(u32::MAX),
                total: u32::try_from(total).unwrap_or(u32::MAX),
            }),
            synced_at: status.synced_at.max(link.synced_at).map(to_rfc3339),
            next_at: status.next_at.map(to_rfc3339),
            conflicts: count(conflicts.len()),
            set_aside: count(others.len()),
        }
    }

    pub(crate) async fn connect(&self, asked: Connect) -> Result<Answer, ApiError> {
        let url = server_url(&asked.url).map_err(of_sign_in)?;
        let key = asked.key.trim();
        secret("key", key)?;
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiError::invalid(
                "key",
                "the publishable key holds characters that no key has; copy it again from the project's API settings",
            ));
        }
        validate::filled("email", &asked.email, limits::ID)?;
        secret("password", &asked.password)?;
        if let Some(name) = &asked.create {
            validate::filled("create", name, limits::ID)?;
        }
        if asked.space.is_some() && asked.create.is_some() {
            return Err(ApiError::invalid(
                "create",
                "name a space to join or one to make, not both",
            ));
        }
        if self.state.borrow().linked.is_some() {
            return Err(ApiError::new(
                ErrorCode::Conflict,
                "a server is connected already; sign out first",
            ));
        }
        let network = Network(&self.host);
        let account =
            lesson_sync::sign_in(&network, &url, key, asked.email.trim(), &asked.password)
                .await
                .map_err(of_sign_in)?;
        let space = match asked.create {
            Some(name) => create_space(&network, &url, key, &account.session, name.trim())
                .await
                .map_err(of_sign_in)?,
            None => {
                let known = spaces(&network, &url, key, &account.session)
                    .await
                    .map_err(of_sign_in)?;
                let Some(wanted) = asked.space else {
                    return Answer::json(&Connected {
                        connected: false,
                        spaces: known
                            .into_iter()
                            .map(|space| SpaceChoice {
                                id: space.id,
                                name: space.name,
                            })
                            .collect(),
                    });
                };
                known
                    .into_iter()
                    .find(|space| space.id == wanted)
                    .ok_or_else(|| {
                        ApiError::new(
                            ErrorCode::NotFound,
                            "you are no member of that space; choose one of yours or make one",
                        )
                        .at("space")
                    })?
            }
        };
        let Account { user, session } = account;
        self.link_up(Link {
            url,
            key: key.to_owned(),
            user,
            space: Named {
                id: space.id,
                name: space.name,
            },
            actor: fresh_id(&self.host),
            session: Some(session),
            ..Link::default()
        })
        .await?;
        Answer::json(&Connected {
            connected: true,
            spaces: Vec::new(),
        })
    }

    /// Makes the link: what the store held as a ledger is now what was made here.
    async fn link_up(&self, link: Link) -> Result<(), ApiError> {
        let _turn = self.writing.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))?;
        let change = Change {
            renumber_after: Some(0),
            ..Change::to(link)
        };
        self.store
            .commit(0, change)
            .await
            .map_err(|error| match error {
                StoreError::Behind => ApiError::new(
                    ErrorCode::Conflict,
                    "another tab has connected in the meantime; look at its state first",
                ),
                other => of_store(&other),
            })?;
        *self.machine.borrow_mut() = Machine::new();
        self.read_news().await.map_err(|error| of_store(&error))
    }

    pub(crate) async fn sign_in(&self, asked: SignIn) -> Result<Answer, ApiError> {
        secret("password", &asked.password)?;
        let link = self.linked_or_refuse()?;
        let network = Network(&self.host);
        let account = lesson_sync::sign_in(
            &network,
            &link.url,
            &link.key,
            &link.user.name,
            &asked.password,
        )
        .await
        .map_err(of_sign_in)?;
        if account.user.id != link.user.id {
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                "this is another account than the one whose lessons are here; sign out before connecting as somebody else",
            )
            .at("password"));
        }
        let _turn = self.syncing.lock().await;
        let now = self.linked_or_refuse()?;
        let change = Change::to(Link {
            session: Some(account.session),
            ..now.clone()
        });
        self.store
            .commit(now.revision, change)
            .await
            .map_err(|error| of_store(&error))?;
        self.catch_up().await?;
        Answer::json(&self.status())
    }

    pub(crate) async fn sign_out(&self, asked: SignOut) -> Result<Answer, ApiError> {
        // What waits to be stored counts as unsent.
        let _ = self.flush().await;
        let (link, unsent) = {
            let state = self.state.borrow();
            let Some(linked) = &state.linked else {
                return Answer::json(&SyncStatus::default());
            };
            (linked.link.clone(), linked.unsent())
        };
        if unsent > 0 && asked.discard_unsent != Some(true) {
            return Err(ApiError::new(
                ErrorCode::Conflict,
                format!(
                    "{unsent} events are not on the server yet and would be lost; sync first, or set discard_unsent to true"
                ),
            )
            .at("discard_unsent"));
        }
        self.leaving.set(true);
        let round = self.syncing.lock().await;
        let writing = self.writing.lock().await;
        self.leaving.set(false);
        let wiped = self.store.wipe().await;
        wiped.map_err(|error| of_store(&error))?;
        self.queue.borrow_mut().clear();
        self.answers.forget();
        *self.machine.borrow_mut() = Machine::new();
        self.store
            .identity(&fresh_id(&self.host))
            .await
            .map_err(|error| of_store(&error))?;
        self.read_news().await.map_err(|error| of_store(&error))?;
        drop((round, writing));
        lesson_sync::sign_out(&Network(&self.host), &link).await;
        Answer::json(&self.status())
    }

    pub(crate) fn list_set_aside(&self, body: &Value) -> Result<Answer, ApiError> {
        validate::no_body(body)?;
        Answer::json(&self.set_aside())
    }

    fn set_aside(&self) -> SetAsideList {
        let state = self.state.borrow();
        let Some(linked) = &state.linked else {
            return SetAsideList::default();
        };
        let (conflicts, others) = sorted(&state, linked);
        SetAsideList {
            conflicts: conflicts
                .into_iter()
                .filter_map(|one| self.conflict(&state, one))
                .collect(),
            others: others.into_iter().map(event).collect(),
        }
    }

    fn conflict(&self, state: &State, one: &SetAside) -> Option<EditConflict> {
        let (slug, changes) = edit(one)?;
        let now = state.space.lesson(slug);
        let theirs = now.map(|lesson| lesson.text.clone()).unwrap_or_default();
        Some(EditConflict {
            id: one.event.op_id.clone(),
            at: to_rfc3339(one.event.at),
            now: now.map(|lesson| convert::lesson(lesson, &self.policy.rank)),
            slug: slug.to_owned(),
            fields: fields(&theirs, &changes.applied_to(&theirs)),
        })
    }

    pub(crate) async fn settle(&self, asked: Settle) -> Result<Answer, ApiError> {
        if asked.ids.is_empty() {
            return Err(ApiError::invalid(
                "ids",
                "ids is empty; name at least one event of GET /v1/sync/set-aside",
            ));
        }
        self.linked_or_refuse()?;
        let chosen: Vec<SetAside> = {
            let state = self.state.borrow();
            let held = state
                .linked
                .as_ref()
                .map_or(&[][..], |linked| &linked.set_aside);
            asked
                .ids
                .iter()
                .map(|id| {
                    held.iter()
                        .find(|one| one.event.op_id == *id)
                        .cloned()
                        .ok_or_else(|| {
                            ApiError::new(
                                ErrorCode::NotFound,
                                format!(
                                    "no event `{}` is set aside; ask for the list again",
                                    clip(id)
                                ),
                            )
                            .at("ids")
                        })
                })
                .collect::<Result<_, _>>()?
        };
        if asked.keep == Settlement::Mine {
            self.edit_again(&chosen).await?;
        }
        let _turn = self.syncing.lock().await;
        let link = self.linked_or_refuse()?;
        let change = Change {
            settled: asked.ids,
            ..Change::to(link.clone())
        };
        self.store
            .commit(link.revision, change)
            .await
            .map_err(|error| of_store(&error))?;
        self.catch_up().await?;
        Answer::json(&self.set_aside())
    }

    /// Makes edits again on top of the texts that are in force.
    async fn edit_again(&self, chosen: &[SetAside]) -> Result<(), ApiError> {
        self.commit(|state, _| {
            let mut own: Vec<Happening> = Vec::new();
            for one in chosen {
                let Some((slug, changes)) = edit(one) else {
                    return Err(ApiError::invalid(
                        "keep",
                        "only edits can be made again; choose `theirs` for other events",
                    ));
                };
                let held = crate::lessons::known(state, slug)?;
                let again = edited(held, changes, own.iter());
                own.extend(again);
            }
            Ok((Plan::of(own), ()))
        })
        .await
    }

    fn linked_or_refuse(&self) -> Result<Link, ApiError> {
        self.state
            .borrow()
            .linked
            .as_ref()
            .map(|linked| linked.link.clone())
            .ok_or_else(|| {
                ApiError::new(
                    ErrorCode::Conflict,
                    "no server is connected; connect one with POST /v1/sync/connect",
                )
            })
    }

    /// The link, for requests that read from the server.
    pub(crate) fn link(&self) -> Option<Link> {
        self.state
            .borrow()
            .linked
            .as_ref()
            .map(|linked| linked.link.clone())
    }
}

/// The event that makes an edit again; nothing when the text says it already. `before` are events
/// of the same batch.
fn edited<'a>(
    held: &Lesson,
    changes: &Changes,
    before: impl Iterator<Item = &'a Happening>,
) -> Option<Happening> {
    let (mut text, mut rev) = (held.text.clone(), held.rev);
    for event in before {
        if let Happening::LessonEdited {
            lesson, changes, ..
        } = event
            && *lesson == held.slug
        {
            text = changes.applied_to(&text);
            rev = rev.saturating_add(1);
        }
    }
    let screened = screen(&changes.applied_to(&text));
    let changes = Changes::between(&text, &screened.text);
    (!changes.is_empty()).then(|| Happening::LessonEdited {
        lesson: held.slug.clone(),
        base_rev: rev,
        changes: Box::new(changes),
        trust: screened.trust,
        findings: screened.findings,
    })
}

/// What is set aside and worth a person's time: edits that came too late, and the rest.
fn sorted<'a>(state: &State, linked: &'a Linked) -> (Vec<&'a SetAside>, Vec<&'a SetAside>) {
    linked
        .set_aside
        .iter()
        .filter(|one| !is_there(state, one))
        .partition(|one| one.field == "base_rev" && edit(one).is_some())
}

/// Whether what the event wanted is so anyway: the same lesson came from another device, or the
/// text is the edit's.
fn is_there(state: &State, one: &SetAside) -> bool {
    match &one.event.event {
        Happening::LessonAdded { lesson } => state
            .space
            .lesson(&lesson.slug)
            .is_some_and(|held| held.text == lesson.text),
        Happening::LessonEdited {
            lesson, changes, ..
        } => state
            .space
            .lesson(lesson)
            .is_some_and(|held| changes.applied_to(&held.text) == held.text),
        _ => false,
    }
}

fn edit(one: &SetAside) -> Option<(&str, &Changes)> {
    match &one.event.event {
        Happening::LessonEdited {
            lesson, changes, ..
        } => Some((lesson, changes)),
        _ => None,
    }
}

fn event(one: &SetAside) -> SetAsideEvent {
    SetAsideEvent {
        id: one.event.op_id.clone(),
        at: to_rfc3339(one.event.at),
        kind: one.event.event.name().to_owned(),
        subject: subject(&one.event.event),
        field: one.field.clone(),
        reason: one.reason.clone(),
    }
}

/// The lesson or decision that an event is about.
fn subject(event: &Happening) -> String {
    match event {
        Happening::LessonAdded { lesson } => lesson.slug.clone(),
        Happening::LessonEdited { lesson, .. }
        | Happening::LessonArchived { lesson }
        | Happening::LessonRestored { lesson }
        | Happening::LessonReviewed { lesson, .. }
        | Happening::Rated { lesson, .. }
        | Happening::Voted { lesson, .. } => lesson.clone(),
        Happening::LessonsMerged { into, .. } => into.clone(),
        Happening::Surfaced { context, .. } => context.decision_id.clone().unwrap_or_default(),
        Happening::UsageTracked { decision_id, .. }
        | Happening::OutcomeRecorded { decision_id, .. } => decision_id.clone(),
        Happening::FeedbackGiven { lessons, .. } => lessons.join(", "),
        Happening::ToolSucceeded { server, .. } => server.clone(),
    }
}

/// The fields in which two texts differ.
fn fields(theirs: &Text, mine: &Text) -> Vec<ConflictField> {
    let shown = |text: &Text| {
        [
            ("title", text.title.clone()),
            ("description", text.description.clone()),
            ("context", text.context.clone()),
            ("recommendation", text.recommendation.clone()),
            ("category", text.category.as_str().to_owned()),
            ("domain", text.domain.clone()),
            ("project_types", text.project_types.join(", ")),
            ("tech_stacks", text.tech_stacks.join(", ")),
            ("tags", text.tags.join(", ")),
        ]
    };
    shown(theirs)
        .into_iter()
        .zip(shown(mine))
        .filter(|(theirs, mine)| theirs != mine)
        .map(|((name, theirs), (_, mine))| ConflictField {
            name: name.to_owned(),
            theirs,
            mine,
        })
        .collect()
}

fn of_sign_in(error: SignInError) -> ApiError {
    let message = error.message().to_owned();
    match error {
        SignInError::Url(_) => ApiError::invalid("url", message),
        SignInError::Credentials(_) => {
            ApiError::new(ErrorCode::Unauthorized, message).at("password")
        }
        SignInError::Key(_) => ApiError::invalid("key", message),
        SignInError::Server(_) => ApiError::new(ErrorCode::Unavailable, message).at("url"),
    }
}

/// A secret that is there and not absurdly long; its text is in no message.
fn secret(field: &str, text: &str) -> Result<(), ApiError> {
    let wrong = if text.is_empty() {
        "is empty"
    } else if text.chars().count() > SECRET {
        "is too long"
    } else {
        return Ok(());
    };
    Err(ApiError::invalid(
        field,
        format!("{field} {wrong}; copy it again"),
    ))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
