//! The list itself. It is as high as all its rows, and holds those in view: 100,000 lessons scroll like ten.

use super::columns::ColumnNames;
use super::feed::{Feed, Row};
use super::filter::LIST;
use super::row::RowCells;
use super::selection::Selection;
use super::window::{Window, reachable};
use crate::format;
use crate::print::{MOST, use_whole_print};
use crate::shell::{Act, Place, Places, use_acts};
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusOptions, HtmlElement, KeyboardEvent};

/// A row's height before one has been measured, in pixels.
const ROW: f64 = 38.0;
/// Height of the cover at the top of the page, in pixels: the columns' names, or the phone's bar.
const HEAD: f64 = 56.0;
/// Greatest height of the cover at its bottom, in pixels: the phone's navigation, or the bar of what is selected.
const FOOT: f64 = 80.0;

/// A place in the list, with what is known of its row.
#[derive(Clone)]
struct Slot {
    at: u32,
    row: Option<Arc<Row>>,
}

impl Slot {
    /// Drawn anew only when something that is shown of it changed.
    fn key(&self) -> String {
        match &self.row {
            Some(row) => {
                let (lesson, course) = (&row.lesson, &row.course);
                let standing = &lesson.standing;
                let points: Vec<u64> = course
                    .success
                    .iter()
                    .map(|point| point.map_or(u64::MAX, f64::to_bits))
                    .collect();
                format!(
                    "{} {} {} {} {} {} {} {} {} {:?} {:?} {points:?}",
                    self.at,
                    lesson.slug,
                    lesson.rev,
                    lesson.archived,
                    lesson.trust.as_str(),
                    standing.times_applied,
                    standing.success_count,
                    lesson.derived.causal_adjusted.to_bits(),
                    standing.use_count,
                    lesson.derived.qualification,
                    course.last_used_at,
                )
            }
            None => self.at.to_string(),
        }
    }

    fn testid(&self) -> &'static str {
        if self.row.is_some() {
            "lesson-row"
        } else {
            "lesson-row-due"
        }
    }

    fn slug(&self) -> Option<String> {
        self.row.as_ref().map(|row| row.lesson.slug.clone())
    }
}

/// The list's state; cheap to copy.
#[derive(Clone, Copy)]
struct List {
    feed: Feed,
    node: NodeRef<Div>,
    row: RwSignal<f64>,
    /// The row that has the focus, kept in the page even out of view.
    held: RwSignal<Option<Slot>>,
    /// The row that is to have it once it is there.
    wanted: StoredValue<Option<u32>>,
    /// While the page is laid out for paper, which moves the list: what is in view then says nothing.
    printing: StoredValue<bool>,
    places: Places,
}

impl List {
    /// Looks where the window stands.
    fn look(self) {
        if self.printing.try_get_value().unwrap_or(true) {
            return;
        }
        let Some(node) = self.node.try_get_untracked().flatten() else {
            return;
        };
        let measured = node.query_selector(".lesson-row").ok().flatten();
        let height = measured.map_or(0.0, |row| row.get_bounding_client_rect().height());
        if height > 1.0 && (height - self.row.get_untracked()).abs() > 0.5 {
            self.row.set(height);
        }
        let seen = Window::of(
            -node.get_bounding_client_rect().top(),
            inner_height(),
            self.row.get_untracked(),
            self.feed.total.get_untracked(),
        );
        if self.feed.window.get_untracked() != seen {
            self.feed.window.set(seen);
        }
    }

    /// Remembers where the window stands, for coming back.
    fn keep_place(self, row: Option<u32>) {
        let location = window().location();
        // The window is scrolled for the next page, too.
        if location.pathname().is_ok_and(|path| path == LIST) {
            let place = Place {
                y: window().scroll_y().unwrap_or_default() as i32,
                total: self.feed.total.get_untracked(),
                row,
            };
            self.places
                .keep(&location.search().unwrap_or_default(), place);
        }
    }

    /// Brings a row into view and puts the focus on it.
    fn go(self, at: u32) {
        let total = reachable(self.feed.total.get_untracked(), self.row.get_untracked());
        let (Some(node), Some(last)) = (self.node.get_untracked(), total.checked_sub(1)) else {
            return;
        };
        let at = at.min(last);
        let row = self.row.get_untracked();
        let top = node.get_bounding_client_rect().top() + f64::from(at) * row;
        let room = inner_height() - FOOT;
        let by = if top < HEAD {
            top - HEAD
        } else if top + row > room {
            top + row - room
        } else {
            0.0
        };
        if by != 0.0 {
            window().scroll_by_with_x_and_y(0.0, by);
            self.look();
        }
        self.wanted.set_value(Some(at));
        self.focus_wanted();
    }

    /// Puts the focus on the row that is to have it, if it is there by now.
    fn focus_wanted(self) {
        // The page may have been left since.
        let Some(at) = self.wanted.try_get_value().flatten() else {
            return;
        };
        let Some(node) = self.node.try_get_untracked().flatten() else {
            return;
        };
        let link = node.query_selector(&format!("[data-at=\"{at}\"] a.row-link"));
        if let Ok(Some(link)) = link {
            self.wanted.set_value(None);
            let _ = link.unchecked_into::<HtmlElement>().focus();
        }
    }

    /// Takes down which row has the focus, and looks at once: keys may come faster than frames, and the row that the next
    /// one moves to has to be there.
    fn hold(self, at: Option<u32>) {
        self.held.update(|held| {
            let known = held.take().filter(|slot| Some(slot.at) == at);
            // The feed lets go of rows that are far out of view; the one that has the focus goes on being shown.
            let row = |at| self.feed.row(at).or(known.and_then(|slot| slot.row));
            *held = at.map(|at| Slot { at, row: row(at) });
        });
        self.look();
    }

    /// Gives the focus back to the row that has it: rows around it come and go, and an element that is put elsewhere
    /// loses it.
    fn hold_focus(self) {
        let held = self
            .held
            .try_with_untracked(|held| held.as_ref().map(|slot| slot.at));
        let nobody = document()
            .active_element()
            .is_none_or(|element| element.tag_name() == "BODY");
        if let (Some(Some(at)), true) = (held, nobody)
            && let Some(node) = self.node.try_get_untracked().flatten()
            && let Ok(Some(link)) = node.query_selector(&format!("[data-at=\"{at}\"] a.row-link"))
        {
            let quietly = FocusOptions::new();
            quietly.set_prevent_scroll(true);
            let link = link.unchecked_into::<HtmlElement>();
            let _ = link.focus_with_options(&quietly);
        }
    }

    /// The row that has the focus, or is to have it.
    fn here(self) -> Option<u32> {
        self.wanted.get_value().or_else(|| {
            self.held
                .with_untracked(|held| held.as_ref().map(|slot| slot.at))
        })
    }

    /// A step of the keyboard; from nowhere, the first row in view.
    fn step(self, by: i64) {
        let at = match self.here() {
            Some(at) => (i64::from(at) + by).clamp(0, i64::from(u32::MAX)) as u32,
            None => self.first_seen(),
        };
        self.go(at);
    }

    /// A step of the keyboard that selects: the row that it begins at, and the one that it comes to.
    fn extend(self, by: i64, selection: Selection) {
        let mark = |at: Option<u32>| {
            let row = at.and_then(|at| Some((at, self.feed.row(at)?)));
            if let Some((at, row)) = row
                && !untrack(|| selection.has(&row.lesson.slug))
            {
                selection.pick(self.feed, at, &row.lesson, false);
            }
        };
        mark(self.here());
        self.step(by);
        mark(self.here());
    }

    fn first_seen(self) -> u32 {
        let top = self
            .node
            .get_untracked()
            .map_or(0.0, |node| node.get_bounding_client_rect().top());
        ((HEAD - top) / self.row.get_untracked()).ceil().max(0.0) as u32
    }

    /// Follows a key that moves within the list or extends the selection; `false` for any other key.
    fn heed(self, event: &KeyboardEvent, selection: Selection) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        if event.shift_key() {
            match event.key().as_str() {
                "ArrowDown" => self.extend(1, selection),
                "ArrowUp" => self.extend(-1, selection),
                _ => return false,
            }
            return true;
        }
        let page = ((inner_height() - HEAD - FOOT) / self.row.get_untracked()).max(1.0) as i64;
        match event.key().as_str() {
            "ArrowDown" => self.step(1),
            "ArrowUp" => self.step(-1),
            "PageDown" => self.step(page),
            "PageUp" => self.step(-page),
            "Home" => self.go(0),
            "End" => self.go(u32::MAX),
            _ => return false,
        }
        true
    }

    fn slots(self) -> Vec<Slot> {
        let Window { first, end } = self.feed.window.get();
        let end = end.min(self.feed.total.get());
        let held = self.held.get();
        let slot = |at| Slot {
            at,
            row: self.feed.row(at),
        };
        let mut slots: Vec<Slot> = (first..end).map(slot).collect();
        if let Some(held) = held.filter(|held| !(first..end).contains(&held.at)) {
            let place = if held.at < first { 0 } else { slots.len() };
            slots.insert(place, held);
        }
        slots
    }
}

/// The rows.
#[component]
pub fn LessonList(feed: Feed, selection: Selection, back: Option<Place>) -> impl IntoView {
    let list = List {
        feed,
        node: NodeRef::new(),
        row: RwSignal::new(ROW),
        held: RwSignal::new(None),
        wanted: StoredValue::new(None),
        printing: StoredValue::new(false),
        places: Places::get_from_context(),
    };
    // One look for each frame, however many events there are.
    let due = StoredValue::new(false);
    let on_move = move || {
        if !due.get_value() {
            due.set_value(true);
            request_animation_frame(move || {
                if due.try_set_value(false).is_none() {
                    list.look();
                    list.keep_place(None);
                }
            });
        }
    };
    let _ = use_event_listener(window(), ev::scroll, move |_| on_move());
    let _ = use_event_listener(window(), ev::resize, move |_| on_move());
    // A press of the pointer elsewhere leaves the row.
    let _ = use_event_listener(window(), ev::pointerdown, move |event| {
        if place_of(&event).is_none() {
            list.held.set(None);
        }
    });
    let back = StoredValue::new(back);
    // Once rows are drawn, their height is known, and what is on show.
    Effect::new(move |_| {
        list.slots();
        let loaded = feed.loaded.get();
        request_animation_frame(move || {
            list.look();
            if loaded && let Some(place) = back.try_update_value(Option::take).flatten() {
                window().scroll_to_with_x_and_y(0.0, f64::from(place.y));
                list.look();
                list.wanted.try_set_value(place.row);
            }
            list.hold_focus();
            list.focus_wanted();
        });
    });
    // Another search is shown from its start, or its best rows would lie above what is in view.
    Effect::new(move |before: Option<u32>| {
        let begun = feed.begun.get();
        if before.is_some_and(|before| before != begun) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
            list.look();
        }
        begun
    });
    let pick = move || {
        if let Some(slot) = list.held.get_untracked()
            && let Some(row) = slot.row
        {
            selection.pick(feed, slot.at, &row.lesson, false);
        }
    };
    let pick_range = move || {
        if let Some(slot) = list.held.get_untracked()
            && let Some(row) = slot.row
        {
            selection.pick(feed, slot.at, &row.lesson, true);
        }
    };
    use_acts([
        Act::new("Next lesson", move || list.step(1))
            .key("j")
            .unlisted(),
        Act::new("Lesson before", move || list.step(-1))
            .key("k")
            .unlisted(),
        Act::new("Select or deselect the lesson", pick)
            .key("x")
            .unlisted()
            .when(move || list.held.read().is_some()),
        Act::new("Select all rows up to this one", pick_range)
            .key("X")
            .unlisted()
            .when(move || list.held.read().is_some()),
    ]);
    use_whole_print(move || feed.is_whole(), move || feed.fetch_all(MOST));
    // On paper all rows that are here stand one below the other; afterwards those in view do again.
    let _ = use_event_listener(window(), ev::beforeprint, move |_| {
        list.printing.set_value(true);
        feed.window.set(feed.held());
    });
    let _ = use_event_listener(window(), ev::afterprint, move |_| {
        list.printing.set_value(false);
        list.look();
    });
    let high = move || f64::from(reachable(feed.total.get(), list.row.get())) * list.row.get();
    view! {
        <div class="lesson-table" role="table" aria-label="Lessons" aria-rowcount=move || feed.total.get().saturating_add(1).to_string()
            class:hidden=move || feed.total.get() == 0>
            <div role="rowgroup" class="lesson-head">
                <div role="row" class="lesson-columns" aria-rowindex="1">
                    <span role="columnheader"><span class="sr-only">"Selected"</span></span>
                    <ColumnNames feed/>
                </div>
            </div>
            <div class="lesson-list" role="rowgroup" data-testid="lesson-list" node_ref=list.node
                style:height=move || format!("{}px", high())
                on:keydown=move |event| if list.heed(&event, selection) { event.prevent_default() }
                on:focusin=move |event| list.hold(place_of(&event))
                on:focusout=move |event| if event.related_target().is_some() { list.held.set(None) }
            >
                // The parts of a row that are shown make up its key: a row that changed is made anew.
                <For
                    each=move || list.slots()
                    key=Slot::key
                    let:slot
                >
                    <div class="lesson-row" role="row" data-at=slot.at.to_string()
                        data-testid=slot.testid()
                        data-slug=slot.slug()
                        aria-rowindex={slot.at.saturating_add(2).to_string()}
                        style:top=move || format!("{}px", f64::from(slot.at) * list.row.get())
                        on:click=move |_| list.keep_place(Some(slot.at))
                    >
                        {match slot.row.clone() {
                            Some(row) => view! { <RowCells row at=slot.at feed selection/> }.into_any(),
                            None => view! { <span class="row-due" role="cell">"Loading…"</span> }.into_any(),
                        }}
                    </div>
                </For>
            </div>
        </div>
        <p class="print-only muted">{move || format!("{} of {}", format::count(feed.held().end.saturating_sub(feed.held().first)), format::plural(feed.total.get(), "lesson", "lessons"))}</p>
        <Show when=move || reachable(feed.total.get(), list.row.get()) < feed.total.get()>
            <p class="muted" data-testid="list-cut">
                {move || format!("The first {} are listed. Search or filter to reach the others.", format::count(reachable(feed.total.get(), list.row.get())))}
            </p>
        </Show>
    }
}

fn inner_height() -> f64 {
    let height = window().inner_height().ok();
    height.and_then(|height| height.as_f64()).unwrap_or(800.0)
}

/// The place of the row that an event happened in.
fn place_of(event: &web_sys::Event) -> Option<u32> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let row = target.closest("[data-at]").ok().flatten()?;
    row.get_attribute("data-at")?.parse().ok()
}
