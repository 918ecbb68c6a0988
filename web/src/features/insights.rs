//! How the lessons do: from shown to settled, best and worst, and whether feedback comes in.

use crate::api::{Client, use_get};
use crate::components::{
    BadgeChip, Band, Bands, Columns, Empty, ErrorNote, Explain, Funnel, FunnelStep, Loading, Page,
};
use crate::features::none::coming;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Health, HealthIssue, LessonRank, Severity, Stats};

/// Stats and health.
#[component]
pub fn InsightsPage() -> impl IntoView {
    let stats = use_get::<Stats>(|| "/v1/stats".to_owned());
    let health = use_get::<Health>(|| "/v1/health".to_owned());
    let client = Client::get_from_context();
    view! {
        <Page title="Insights" intro="Which lessons carry, which don't, and whether feedback comes in.">
            {move || match (stats.data.get(), health.data.get()) {
                (Some(Err(error)), _) | (_, Some(Err(error))) => view! {
                    <ErrorNote error/>
                    <div class="actions"><button type="button" data-testid="insights-again" on:click=move |_| client.ask_again()>"Try again"</button></div>
                }.into_any(),
                (Some(Ok(stats)), Some(Ok(health))) => view! { <Shown stats health/> }.into_any(),
                _ => view! { <Loading/> }.into_any(),
            }}
        </Page>
    }
}

#[component]
fn Shown(stats: Stats, health: Health) -> impl IntoView {
    if stats.lessons + stats.archived == 0 {
        let coming = coming();
        return view! {
            {move || if coming.get() { view! {
            <Empty title="Your lessons are on their way" text="They are being fetched from the server. Stats are counted as they come."/>
            } } else { view! {
            <Empty title="Nothing to count yet" text="Stats grow with lessons, recommendations and what comes of them. Start with some lessons.">
                <a href="/settings" class="button primary">"Import lessons or samples"</a>
            </Empty>
            } }}
        }
        .into_any();
    }
    let funnel = &health.funnel;
    let no_decision = funnel.surfaced == 0;
    let steps = vec![
        step(
            "Shown",
            "A lesson was given to an agent for a decision",
            funnel.surfaced,
        ),
        step("Applied", "The agent was seen to use it", funnel.applied),
        step(
            "With an outcome",
            "Somebody said what came of it",
            funnel.outcome,
        ),
        step(
            "Went well",
            "Its outcome was a success, or a profit",
            funnel.success,
        ),
    ];
    let held = &health.bands;
    let bands = vec![
        band(
            "Consistently helpful",
            "above 75%",
            held.consistently_helpful,
            "band-1",
        ),
        band(
            "Generally helpful",
            "50 to 75%",
            held.generally_helpful,
            "band-2",
        ),
        band(
            "Mixed or new",
            "25 to 50%, where every lesson begins",
            held.mixed_or_new,
            "band-3",
        ),
        band(
            "Consistently unhelpful",
            "to 25%",
            held.consistently_unhelpful,
            "band-4",
        ),
    ];
    let activity = every_day(
        stats
            .activity
            .iter()
            .map(|day| (day.day.clone(), day.events))
            .collect(),
    );
    let never_rated = if stats.total_surfaced == 0 {
        "No lesson was shown yet."
    } else {
        "None: what is shown often gets rated."
    };
    let quiet = activity.is_empty();
    let happened: u64 = activity.iter().map(|(_, events)| u64::from(*events)).sum();
    let tiles = [
        (
            "Lessons",
            format::count(stats.lessons),
            format!("{} archived", format::count(stats.archived)),
        ),
        ("Proven", format::count(stats.proven), "by outcomes".into()),
        (
            "Unreviewed",
            format::count(stats.unreviewed),
            format!("{} quarantined", format::count(stats.quarantined)),
        ),
        (
            "Times shown",
            format::count(stats.total_surfaced),
            format::plural(stats.lessons_surfaced, "lesson", "lessons"),
        ),
    ];
    view! {
        {(!health.issues.is_empty()).then(|| view! { <Issues issues=health.issues.clone()/> })}
        <dl class="tiles" data-testid="stat-tiles">
            {tiles.into_iter().map(|(name, value, note)| view! {
                <div class="tile"><dt>{name}</dt><dd><b>{value}</b><span class="muted">{note}</span></dd></div>
            }).collect_view()}
        </dl>
        <div class="columns-2">
            <section class="card" data-testid="funnel">
                <h2>"From shown to settled"</h2>
                <p class="muted">"Of the lessons that agents were given for a decision, how many were used, and how many of those worked."</p>
                {no_decision.then(|| view! { <p class="note"><span>"No decision yet. "<a href="/playground">"Recommend lessons"</a>" for one, and this fills."</span></p> })}
                <Funnel caption="From shown to settled" steps/>
            </section>
            <section class="card" data-testid="bands">
                <div class="card-head"><h2>"Effectiveness"</h2>
                    <Explain id="effectiveness-bands" word="Effectiveness">
                        <span class="meaning"><b>"Effectiveness"</b><span>"How strongly feedback on sessions names a lesson as a cause of good work. Every lesson begins at 50%, rises when it was a cause of something delivered, falls when it was one of work that got stuck, and drifts back when it was only at hand."</span></span>
                    </Explain>
                </div>
                <p class="muted">"Lessons in use, by what feedback on sessions says of them."</p>
                <Bands caption="Lessons per band of effectiveness" heads=("Band", "Lessons") bands/>
            </section>
        </div>
        <FeedbackHealth stats=stats.clone() health=health.clone()/>
        <section class="card" data-testid="activity">
            <h2>"Activity"</h2>
            {if quiet {
                view! { <p class="muted">"Nothing has happened yet."</p> }.into_any()
            } else {
                view! { <p class="muted">{format!("{} events within the last 30 days, by day in UTC.", format::count(happened))}</p><Columns caption="Events per day" heads=("Day", "Events") columns=activity/> }.into_any()
            }}
        </section>
        <div class="columns-2">
            <Ranks title="Top five" none="No lesson has two ratings yet." list=stats.top/>
            <Ranks title="Bottom five" none="No lesson is rated worse than neutral." list=stats.bottom/>
        </div>
        {(!stats.pruning.is_empty()).then(|| view! { <Ranks title="To prune: a cause of work that got stuck" none="" list=stats.pruning/> })}
        <Ranks title="Shown ten times or more, never rated" none=never_rated list=stats.never_rated/>
    }
    .into_any()
}

/// What is the matter with the space, and what to do.
#[component]
fn Issues(issues: Vec<HealthIssue>) -> impl IntoView {
    let issues = issues
        .into_iter()
        .map(|issue| {
            let class = match issue.severity {
                Severity::Notice => "note",
                Severity::Warning | Severity::Error => "note note-warn",
            };
            view! { <p class=class data-issue=issue.code>{issue.message}" "<span class="muted">{issue.remedy}</span></p> }
        })
        .collect_view();
    view! { <section class="card" data-testid="issues" aria-label="What to look at">{issues}</section> }
}

fn step(label: &'static str, about: &'static str, value: u32) -> FunnelStep {
    FunnelStep {
        label,
        about,
        value,
    }
}

fn band(label: &'static str, range: &'static str, value: u32, class: &'static str) -> Band {
    Band {
        label,
        range,
        value,
        class,
    }
}

/// Whether people and sessions say what lessons are worth: without that none can rise or sink.
#[component]
fn FeedbackHealth(stats: Stats, health: Health) -> impl IntoView {
    let share = |part: u32, all: u32| (all > 0).then(|| f64::from(part) / f64::from(all));
    let rated = share(stats.lessons_rated, stats.lessons_surfaced);
    let reviewed = share(
        stats.lessons.saturating_sub(stats.unreviewed),
        stats.lessons,
    );
    let rows = [
        (
            "Uses that were a cause",
            "Of all uses that feedback names, those in which the lesson made the difference.",
            health.causal_ratio,
            String::new(),
        ),
        (
            "Rated",
            "Lessons that have a rating, against lessons that were ever shown.",
            rated.map(|share| share.min(1.0)),
            format!(
                "{} rated, {} shown, {} in all",
                format::count(stats.lessons_rated),
                format::count(stats.lessons_surfaced),
                format::plural(stats.total_rated, "rating", "ratings")
            ),
        ),
        (
            "Reviewed",
            "Lessons in use that a person has looked at.",
            reviewed,
            format!("{} wait", format::count(stats.unreviewed)),
        ),
    ];
    let recent = health.feedback_last_7_days;
    view! {
        <section class="card" data-testid="feedback-health">
            <h2>"Does feedback come in?"</h2>
            {if recent == 0 {
                view! { <p class="note note-warn">"No feedback on a session within the last seven days. Without it no lesson can rise or sink: post finished sessions to /v1/sessions, or give feedback at the end of a decision."</p> }.into_any()
            } else {
                view! { <p class="note">{format!("Feedback on {} within the last seven days.", format::plural(recent, "session", "sessions"))}</p> }.into_any()
            }}
            <div class="scroll" tabindex="0" role="group" aria-label="Feedback in shares">
                <table class="gauges">
                    <caption class="sr-only">"Feedback in shares"</caption>
                    <thead class="sr-only"><tr><th scope="col">"What"</th><th scope="col">"Bar"</th><th scope="col">"Share"</th><th scope="col">"Numbers"</th></tr></thead>
                    <tbody>{rows.into_iter().map(|(name, about, share, numbers)| view! {
                        <tr>
                            <th scope="row">{name}<span class="muted">{about}</span></th>
                            <td class="bar-cell">
                                <svg class="bar" aria-hidden="true">
                                    <rect class="bar-back" width="100%" height="100%"></rect>
                                    <rect class="bar-fill" width=format!("{}%", format::trim(share.unwrap_or(0.0).clamp(0.0, 1.0) * 100.0, 2)) height="100%"></rect>
                                </svg>
                            </td>
                            <td class="num">{format::percent_or_dash(share)}</td>
                            <td class="muted">{numbers}</td>
                        </tr>
                    }.into_any()).collect::<Vec<_>>()}</tbody>
                </table>
            </div>
        </section>
    }
}

/// The days between the first and the last one, those without events too. Days that can't be read stay as they are.
fn every_day(days: Vec<(String, u32)>) -> Vec<(String, u32)> {
    const MOST: usize = 31;
    let time = |day: &str| js_sys::Date::parse(&format!("{day}T00:00:00Z"));
    let mut all: Vec<(String, u32)> = Vec::with_capacity(MOST);
    for (day, events) in days {
        while let Some((last, _)) = all.last() {
            let next = time(last) + 86_400_000.0;
            // The comparison is false for what is no time.
            if next < time(&day) && all.len() < MOST {
                let text = js_sys::Date::new(&next.into()).to_iso_string();
                all.push((String::from(text).chars().take(10).collect(), 0));
            } else {
                break;
            }
        }
        all.push((day, events));
    }
    all
}

#[component]
fn Ranks(title: &'static str, none: &'static str, list: Vec<LessonRank>) -> impl IntoView {
    let empty = list.is_empty();
    let rows = list
        .into_iter()
        .map(|lesson| {
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/lessons/{}", format::encode(&lesson.slug))>{lesson.title}</a>
                        <div><BadgeChip badge=lesson.badge/></div>
                    </th>
                    <td class="num">{format::percent_or_dash(lesson.effectiveness_score)}</td>
                    <td class="num">{format::count(lesson.times_surfaced)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="card">
            <h2>{title}</h2>
            {if empty {
                view! { <p class="muted">{none}</p> }.into_any()
            } else {
                view! {
                    <div class="scroll" tabindex="0">
                        <table class="ranks">
                            <thead><tr><th scope="col">"Lesson"</th><th scope="col" class="num">"Helpful"</th><th scope="col" class="num">"Shown"</th></tr></thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                }.into_any()
            }}
        </section>
    }
}
