//! The space as a whole, whatever the range: from shown to settled, effectiveness, and whether feedback comes in.

use crate::api::{Client, use_query};
use crate::components::{
    BadgeChip, Band, Bands, BarChart, ChartFrame, Explain, Funnel, FunnelStep, Loaded, Numbers,
    Plotted, Series, Unit,
};
use crate::features::figures::rate_of;
use crate::features::trend::short_day;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Health, LessonRank, Stats};

/// Lessons in a list of the best, the worst or the unrated.
const RANKED: usize = 8;

/// The space as a whole.
#[component]
pub fn Whole() -> impl IntoView {
    let client = Client::get_from_context();
    let both = use_query(move || {
        let (stats, health) = (
            client.get::<Stats>("/v1/stats"),
            client.get::<Health>("/v1/health"),
        );
        async move { Ok((stats.await?, health.await?)) }
    });
    view! {
        <Loaded of=both lines=8 let:both>
            {move || {
                let (stats, health) = both.get();
                view! { <Shown stats health/> }
            }}
        </Loaded>
    }
}

#[component]
fn Shown(stats: Stats, health: Health) -> impl IntoView {
    let funnel = &health.funnel;
    let no_decision = funnel.surfaced == 0;
    let steps = vec![
        step(
            "Shown",
            "A lesson was shown to an agent for a run",
            funnel.surfaced,
        ),
        step("Applied", "The agent was seen to apply it", funnel.applied),
        step("With an outcome", "An outcome was reported", funnel.outcome),
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
    let quiet = activity.is_empty();
    let happened: u64 = activity.iter().map(|(_, events)| u64::from(*events)).sum();
    let rated = stats.total_rated > 0;
    let funnel_numbers = Numbers {
        heads: vec!["Step".to_owned(), "Records".to_owned()],
        rows: steps
            .iter()
            .map(|step| vec![step.label.to_owned(), format::count(step.value)])
            .collect(),
    };
    let band_numbers = Numbers {
        heads: ["Band", "Range", "Lessons"].map(str::to_owned).into(),
        rows: bands
            .iter()
            .map(|band| {
                vec![
                    band.label.to_owned(),
                    band.range.to_owned(),
                    format::count(band.value),
                ]
            })
            .collect(),
    };
    let activity = Plotted {
        labels: activity.iter().map(|(day, _)| short_day(day)).collect(),
        series: vec![Series {
            name: "events".to_owned(),
            tone: "c1",
            values: activity
                .iter()
                .map(|(_, events)| Some(f64::from(*events)))
                .collect(),
            ..Series::default()
        }],
        marks: Vec::new(),
    };
    let activity_numbers = activity.numbers("Day", Unit::Count);
    let (steps, bands) = (StoredValue::new(steps), StoredValue::new(bands));
    let activity = Signal::stored(activity);
    view! {
        <div class="charts">
            <div class="panel">
                <ChartFrame id="funnel" title="Lesson funnel" numbers=Signal::stored(funnel_numbers)>
                    {no_decision.then(|| view! { <p class="note"><span>"No run yet. "<a href="/playground">"Ask for lessons"</a>" for a task, and this fills."</span></p> })}
                    <Funnel caption="From shown to settled" steps=steps.get_value()/>
                </ChartFrame>
            </div>
            <div class="panel">
                <ChartFrame id="bands" title="Effectiveness" numbers=Signal::stored(band_numbers) tools=|| view! {
                    <Explain id="effectiveness-bands" word="Effectiveness">
                        <span class="meaning"><b>"Effectiveness"</b><span>"How strongly feedback on sessions names a lesson as a cause of good work. Every lesson starts at 50%, rises when it helped to deliver, falls when it was a cause of blocked work, and drifts back when it was only available."</span></span>
                    </Explain>
                }>
                    <Bands caption="Lessons per band of effectiveness" heads=("Band", "Lessons") bands=bands.get_value()/>
                </ChartFrame>
            </div>
            <FeedbackHealth stats=stats.clone() health=health.clone()/>
            <div class="panel">
                <ChartFrame id="activity" title="Events per day" numbers=Signal::stored(activity_numbers)>
                    {if quiet {
                        view! { <p class="muted">"Nothing happened within the last 30 days."</p> }.into_any()
                    } else {
                        view! { <p class="muted">{format!("{} events within the last 30 days, by day in UTC.", format::count(happened))}</p><BarChart caption="Events per day" plotted=activity unit=Unit::Count/> }.into_any()
                    }}
                </ChartFrame>
            </div>
        </div>
        {if rated {
            view! {
                <div class="charts">
                    <Ranks title="Rated best" none="No lesson has two ratings yet." list=stats.top/>
                    <Ranks title="Rated worst" none="No lesson is rated worse than neutral." list=stats.bottom/>
                </div>
            }.into_any()
        } else {
            view! { <p class="quiet panel" data-testid="no-ratings">"Nobody has rated a lesson yet. Ratings are one of three signals; outcomes and feedback count without them."</p> }.into_any()
        }}
        {(!stats.pruning.is_empty()).then(|| view! { <Ranks title="To prune: a cause of blocked work" none="" list=stats.pruning/> })}
        {(!stats.never_rated.is_empty()).then(|| view! { <Ranks title="Shown ten times or more, never rated" none="" list=stats.never_rated/> })}
    }
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

/// Feedback coverage: how far people and sessions say what lessons are worth.
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
            "Decisive uses",
            "Uses in which the lesson made the difference, among all that feedback names.",
            health.causal_ratio,
            format::plural(health.uses, "use", "uses"),
        ),
        (
            "Rated",
            "Lessons that have a rating, among lessons that were ever shown.",
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
            "Lessons in use that a person has reviewed.",
            reviewed,
            format!(
                "{}, {} wait",
                format::plural(stats.lessons, "lesson", "lessons"),
                format::count(stats.unreviewed)
            ),
        ),
    ];
    let recent = health.feedback_last_7_days;
    view! {
        <section class="panel" data-testid="feedback-health">
            <header><h2>"Feedback coverage"</h2></header>
            <div class="chart-body">
            {if recent == 0 {
                view! { <p class="note">"No feedback on a session within the last seven days. Outcomes of runs count regardless; feedback adds which lessons made the difference. Post finished sessions to /v1/sessions, or give feedback on a run."</p> }.into_any()
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

/// The share of ratings that say it is helpful, with how many there are.
fn helpful(lesson: &LessonRank) -> String {
    lesson.effectiveness_score.map_or_else(
        || "–".to_owned(),
        |score| {
            let part = (score * f64::from(lesson.ratings)).round() as u32;
            rate_of(part, lesson.ratings)
        },
    )
}

#[component]
fn Ranks(title: &'static str, none: &'static str, list: Vec<LessonRank>) -> impl IntoView {
    let empty = list.is_empty();
    let more = list.len().saturating_sub(RANKED);
    let rows = list
        .into_iter()
        .take(RANKED)
        .map(|lesson| {
            let helpful = helpful(&lesson);
            view! {
                <tr>
                    <th scope="row">
                        <a href=format!("/lessons/{}", format::encode(&lesson.slug))>{lesson.title}</a>
                        <div><BadgeChip badge=lesson.badge/></div>
                    </th>
                    <td class="num">{helpful}</td>
                    <td class="num">{format::count(lesson.times_surfaced)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="panel">
            <header><h2>{title}</h2></header>
            {if empty {
                view! { <p class="quiet">{none}</p> }.into_any()
            } else {
                view! {
                    <div class="scroll" tabindex="0">
                        <table class="data-table ranks">
                            <thead><tr><th scope="col">"Lesson"</th><th scope="col" class="num">"Helpful"</th><th scope="col" class="num">"Shown"</th></tr></thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                    {(more > 0).then(|| view! { <p class="quiet">{format!("And {} more; Review has them.", format::count(more as u64))}</p> })}
                }.into_any()
            }}
        </section>
    }
}
