//! The state that the parts of the review page share: the entries, the one in front, and what is done with it.

use crate::api::{Client, Latest, Query, use_get};
use crate::features::review::entry::Entry;
use crate::format;
use crate::parameters::use_parameters;
use crate::review::{Act, HOLD, Reviewing, Undone};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use lesson_types::{
    ApiError, LessonView, Qualification, ReviewItem, ReviewReason, SetAsideList, Trust,
};

/// Goes to a path.
type Go = Box<dyn Fn(&str)>;

/// The commands of keys and buttons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Next,
    Previous,
    Helpful,
    NotHelpful,
    Approve,
    Archive,
    Merge,
    Trial,
    Skip,
    Undo,
    Open,
}

/// The entry in front, by name; by place when it has left the queue.
#[derive(Debug, Clone, Default, PartialEq)]
struct Front {
    name: Option<String>,
    place: usize,
}

/// The page's state; cheap to copy, provided as a context.
#[derive(Clone, Copy)]
pub struct ReviewPage {
    client: Client,
    reviewing: Reviewing,
    conflicts: Query<SetAsideList>,
    entries: Memo<Vec<Entry>>,
    front: RwSignal<Front>,
    /// The entry in front and its place.
    pub current: Memo<Option<(usize, Entry)>>,
    /// The text of the lesson in front, once it is read.
    pub lesson: RwSignal<Option<LessonView>>,
    /// Why it can't be read.
    pub unreadable: RwSignal<Option<ApiError>>,
    /// The next lesson's text, read ahead.
    ahead: StoredValue<Option<LessonView>>,
    /// The words that a screen reader says aloud.
    pub said: RwSignal<String>,
    /// The latest act that can be undone, for as long as it waits.
    pub offer: RwSignal<Option<(u32, String)>>,
    /// True while the question is open into which lesson to merge.
    pub merging: RwSignal<bool>,
    /// True while the question is open why a text that was held back is approved.
    pub reasoning: RwSignal<bool>,
    navigate: StoredValue<Go, LocalStorage>,
}

impl ReviewPage {
    /// Follows the queue.
    pub fn new(reviewing: Reviewing) -> Self {
        let conflicts = use_get::<SetAsideList>(|| "/v1/sync/set-aside".to_owned());
        let entries = Memo::new(move |_| {
            let late = conflicts
                .map(|list| list.conflicts.clone())
                .unwrap_or_default();
            late.into_iter()
                .map(|conflict| Entry::Conflict(Box::new(conflict)))
                .filter(|entry| !reviewing.is_skipped(&entry.name()))
                .chain(
                    reviewing
                        .items()
                        .into_iter()
                        .map(|item| Entry::Lesson(Box::new(item))),
                )
                .collect::<Vec<_>>()
        });
        // A link may name the lesson to begin with.
        let named = use_parameters().read_untracked().text("item");
        let front = RwSignal::new(Front {
            name: (!named.is_empty()).then_some(named),
            place: 0,
        });
        let current = Memo::new(move |_| {
            let front = front.get();
            entries.with(|entries| {
                let named = front
                    .name
                    .as_ref()
                    .and_then(|name| entries.iter().position(|entry| entry.name() == *name));
                let place = named.unwrap_or(front.place.min(entries.len().checked_sub(1)?));
                Some((place, entries.get(place)?.clone()))
            })
        });
        let go = use_navigate();
        let page = Self {
            client: Client::get_from_context(),
            reviewing,
            conflicts,
            entries,
            front,
            current,
            lesson: RwSignal::new(None),
            unreadable: RwSignal::new(None),
            ahead: StoredValue::new(None),
            said: RwSignal::new(String::new()),
            offer: RwSignal::new(None),
            merging: RwSignal::new(false),
            reasoning: RwSignal::new(false),
            navigate: StoredValue::new_local(Box::new(move |path: &str| {
                go(path, Default::default());
            }) as Go),
        };
        // The entry in front keeps its name while others come and go before it; one that a link names may still be on its way.
        Effect::new(move |_| {
            if let Some((place, entry)) = current.get()
                && reviewing.is_read()
            {
                let name = Some(entry.name());
                front.update_untracked(|front| *front = Front { name, place });
            }
        });
        page.read_lessons();
        page
    }

    /// Puts the entry of this name in front; one that is still on its way comes there once it is read.
    pub fn show_named(self, name: String) {
        let place = self.front.with_untracked(|front| front.place);
        self.front.set(Front {
            name: Some(name),
            place,
        });
    }

    /// True if anything is to be decided.
    pub fn has_entries(self) -> bool {
        self.entries.with(|entries| !entries.is_empty())
    }

    /// True once it is known which edits came too late, or that this can't be read.
    pub fn knows_conflicts(self) -> bool {
        self.conflicts.data.with(Option::is_some)
    }

    /// Returns the changes that the server did not take.
    pub fn conflicts(self) -> Query<SetAsideList> {
        self.conflicts
    }

    /// The entries that are read.
    pub fn entries(self) -> Vec<Entry> {
        self.entries.get()
    }

    /// Counts the entries that wait, as the navigation does: those put off in this visit, and those not read yet, too.
    pub fn waiting(self) -> u32 {
        let late = self
            .conflicts
            .map(|list| u32::try_from(list.conflicts.len()).unwrap_or(u32::MAX))
            .unwrap_or_default();
        self.reviewing.waiting().saturating_add(late)
    }

    /// Counts the entries to look at here, as far as the filter takes them.
    pub fn rest(self) -> u32 {
        self.left()
            .min(self.reviewing.fits().saturating_add(self.late()))
    }

    fn late(self) -> u32 {
        self.entries.with(|entries| {
            let late = entries
                .iter()
                .filter(|entry| matches!(entry, Entry::Conflict(_)));
            u32::try_from(late.count()).unwrap_or(u32::MAX)
        })
    }

    /// Counts the entries that are left to look at in this visit, those that are not read yet too.
    pub fn left(self) -> u32 {
        let lessons = self
            .reviewing
            .waiting()
            .saturating_sub(self.reviewing.skipped());
        lessons.saturating_add(self.late())
    }

    /// Keeps the text of the lesson in front, and reads that of the next one ahead.
    fn read_lessons(self) {
        let wanted = Memo::new(move |_| {
            let (place, entry) = self.current.get()?;
            let Entry::Lesson(item) = entry else {
                return None;
            };
            let next = self.entries.with(|entries| match entries.get(place + 1) {
                Some(Entry::Lesson(item)) => Some(item.slug.clone()),
                _ => None,
            });
            Some((item.slug, item.content_hash, next))
        });
        let latest = Latest::default();
        Effect::new(move |_| {
            self.client.changed.track();
            latest.begin();
            let Some((slug, hash, next)) = wanted.get() else {
                return;
            };
            let ahead = self.ahead.try_update_value(Option::take).flatten();
            if let Some(lesson) =
                ahead.filter(|lesson| lesson.slug == slug && lesson.content_hash == hash)
            {
                self.lesson.set(Some(lesson));
            }
            let asked = self.client.get::<LessonView>(path(&slug));
            latest.ask(asked, move |answer| {
                match answer {
                    Ok(lesson) => {
                        self.unreadable.set(None);
                        let held = self.lesson.read_untracked();
                        let same = held.as_ref() == Some(&lesson);
                        drop(held);
                        if !same {
                            self.lesson.set(Some(lesson));
                        }
                    }
                    Err(error) => self.unreadable.set(Some(error)),
                }
                if let Some(next) = next {
                    let asked = self.client.get::<LessonView>(path(&next));
                    latest.ask(asked, move |lesson| self.ahead.set_value(lesson.ok()));
                }
            });
        });
    }

    /// Puts an entry in front.
    pub fn show(self, place: usize) {
        let name = self
            .entries
            .with_untracked(|entries| entries.get(place).map(Entry::name));
        if name.is_some() {
            self.front.set(Front { name, place });
            to_top();
        }
    }

    /// Does what a key or a button says to the entry in front.
    pub fn run(self, command: Command) {
        match command {
            Command::Undo => return self.undo(),
            Command::Next => return self.step(1),
            Command::Previous => return self.step(-1),
            _ => {}
        }
        let Some((_, entry)) = self.current.get_untracked() else {
            return self.say("Nothing waits for review.");
        };
        match (command, entry) {
            (Command::Open, entry) => {
                let path = format!("/lessons/{}", format::encode(entry.slug()));
                self.navigate.with_value(|go| go(&path));
            }
            (Command::Skip, Entry::Conflict(conflict)) => {
                let entry = Entry::Conflict(conflict);
                self.reviewing.skip(&entry.title(), entry.name());
                self.told(&Act::Skip, &entry.title());
            }
            (_, Entry::Conflict(_)) => {
                self.say("Use the buttons of this conflict: keep your edit or the server's.");
            }
            (command, Entry::Lesson(item)) => self.judge(command, &item),
        }
    }

    fn judge(self, command: Command, item: &ReviewItem) {
        match command {
            Command::Helpful | Command::NotHelpful => {
                if self.reviewing.has_rated(&item.slug).is_some() {
                    self.say("You have rated this lesson already. Undo takes it back.");
                    return;
                }
                let helpful = command == Command::Helpful;
                // Other questions about it stay open.
                let gone = item.reasons.iter().all(|reason| {
                    matches!(reason, ReviewReason::NeverRated | ReviewReason::BottomFive)
                });
                self.answer(item, Act::Rate { helpful }, gone);
            }
            Command::Approve if item.trust == Trust::Approved => {
                self.answer(item, Act::Keep, true);
            }
            Command::Approve => {
                let content_hash = item.content_hash.clone();
                let seen = self.lesson.with_untracked(|lesson| {
                    lesson.as_ref().is_some_and(|lesson| {
                        lesson.slug == item.slug && lesson.content_hash == content_hash
                    })
                });
                if seen && item.trust == Trust::Quarantined {
                    self.reasoning.set(true);
                } else if seen {
                    let act = Act::Approve {
                        content_hash,
                        reason: None,
                    };
                    self.answer(item, act, true);
                } else {
                    self.say("The lesson is loading; approve it once it is shown.");
                }
            }
            Command::Trial if item.qualification == Qualification::Qualified => {
                self.say("Outcomes don't keep this lesson out.");
            }
            Command::Trial if untrack(|| self.reviewing.is_tried(&item.slug)) => {
                self.say("This lesson already has another trial. Undo takes it back.");
            }
            Command::Trial => {
                // Other questions about it stay open.
                let gone = item
                    .reasons
                    .iter()
                    .all(|reason| *reason == ReviewReason::Disqualified);
                self.answer(item, Act::Trial, gone);
            }
            Command::Archive => self.answer(item, Act::Archive, true),
            Command::Skip => self.answer(item, Act::Skip, true),
            Command::Merge if item.duplicates.is_empty() => {
                self.say("No duplicate of this lesson is known.");
            }
            Command::Merge => self.merging.set(true),
            _ => {}
        }
    }

    /// Returns the findings in the text of the lesson in front; none if a conflicting edit is in front.
    pub fn findings(self) -> Vec<String> {
        self.current.with(|current| match current {
            Some((_, Entry::Lesson(item))) => item.findings.clone(),
            _ => Vec::new(),
        })
    }

    /// Approves the lesson in front, which was held back.
    pub fn approve_because(self, reason: String) {
        let Some((_, Entry::Lesson(item))) = self.current.get_untracked() else {
            return;
        };
        let act = Act::Approve {
            content_hash: item.content_hash.clone(),
            reason: Some(reason),
        };
        self.answer(&item, act, true);
    }

    /// Merges the lesson in front and another one, one into the other.
    pub fn merge(self, item: &ReviewItem, into: String, from: String) {
        self.merging.set(false);
        self.answer(item, Act::Merge { into, from }, true);
    }

    fn answer(self, item: &ReviewItem, act: Act, gone: bool) {
        self.reviewing.answer(item, act.clone(), gone);
        self.told(&act, &item.title);
        if gone {
            to_top();
        }
    }

    /// Says what was done and what comes next, and offers to undo it.
    fn told(self, act: &Act, title: &str) {
        let done = format!("{} “{title}”", act.done());
        let next = self.next();
        self.say(format!("{done}. {next}"));
        let turn = self
            .offer
            .with_untracked(|offer| offer.as_ref().map_or(0, |(turn, _)| *turn))
            .wrapping_add(1);
        self.offer.set(Some((turn, done)));
        Timeout::new(HOLD, move || {
            let same = self
                .offer
                .try_get_untracked()
                .flatten()
                .is_some_and(|(now, _)| now == turn);
            if same {
                self.offer.try_set(None);
            }
        })
        .forget();
    }

    fn next(self) -> String {
        match self.current.get_untracked() {
            Some((_, entry)) => format!("Now: “{}”, {}.", entry.title(), entry.reason()),
            None => "Nothing else waits.".to_owned(),
        }
    }

    fn undo(self) {
        self.offer.set(None);
        match self.reviewing.undo() {
            Undone::Nothing => self.say("There is nothing to undo."),
            Undone::TooLate(answer) => self.say(format!(
                "{} “{}” is stored by now and can't be undone here. Open the lesson to change it.",
                answer.act.done(),
                answer.title
            )),
            Undone::Done(answer) => {
                let place = self.front.with_untracked(|front| front.place);
                let name = match answer.act {
                    Act::Skip if answer.slug.is_empty() => answer.key.clone(),
                    _ => Some(answer.slug.clone()),
                };
                self.front.set(Front { name, place });
                self.say(format!(
                    "Undone: {} “{}”.",
                    format::lower(answer.act.done()),
                    answer.title
                ));
                to_top();
            }
        }
    }

    fn step(self, by: isize) {
        let Some((place, _)) = self.current.get_untracked() else {
            return;
        };
        let to = place.saturating_add_signed(by);
        let last = self.entries.with_untracked(|entries| to >= entries.len());
        if last || to == place {
            self.say(if by > 0 {
                "This is the last one."
            } else {
                "This is the first one."
            });
            return;
        }
        self.show(to);
        if let Some((_, entry)) = self.current.get_untracked() {
            self.say(format!("“{}”, {}", entry.title(), entry.reason()));
        }
    }

    /// Says something aloud. The same words twice are said twice.
    fn say(self, words: impl Into<String>) {
        let words = words.into();
        let again = self.said.with_untracked(|said| *said == words);
        // A blank that nobody hears makes it another text.
        self.said.set(if again {
            format!("{words}\u{a0}")
        } else {
            words
        });
    }
}

fn path(slug: &str) -> String {
    format!("/v1/lessons/{}", format::encode(slug))
}

/// The lesson in front begins at the top of the page.
fn to_top() {
    if window().scroll_y().is_ok_and(|y| y > 0.0) {
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
}
