//! How the lessons do: from shown to settled, best and worst, and whether feedback comes in.

use crate::client::use_get;
use crate::format;
use crate::ui::{BadgeChip, Bar, BarList, Columns, Empty, ErrorNote, Loading, Page};
use leptos::prelude::*;
use leptos_router::components::A;
use lesson_api::{Health, LessonRank, Stats};

/// Stats and health.
#[component]
pub fn StatsPage() -> impl IntoView {
    let stats = use_get::<Stats>(|| "/v1/stats".to_owned());
    let health = use_get::<Health>(|| "/v1/health".to_owned());
    view! {
        <Page title="Stats" intro="Which lessons carry, which don't, and whether feedback comes in.">
            {move || match (stats.data.get(), health.data.get()) {
                (Some(Err(error)), _) | (_, Some(Err(error))) => view! { <ErrorNote error/> }.into_any(),
                (Some(Ok(stats)), Some(Ok(health))) => view! { <Shown stats health/> }.into_any(),
                _ => view! { <Loading/> }.into_any(),
            }}
        </Page>
    }
}

#[component]
fn Shown(stats: Stats, health: Health) -> impl IntoView {
    if stats.lessons + stats.archived == 0 {
        return view! {
            <Empty title="Nothing to count yet" text="Stats grow with lessons, recommendations and what comes of them. Start with some lessons.">
                <A href="/data" attr:class="button primary">"Import lessons or samples"</A>
            </Empty>
        }
        .into_any();
    }
    let funnel = &health.funnel;
    let of = |n: u32, all: u32, what: &str| {
        if all == 0 {
            String::new()
        } else {
            format!(
                "{} of {what}",
                format::percent(f64::from(n) / f64::from(all))
            )
        }
    };
    let funnel_bars = vec![
        bar("Shown", funnel.surfaced, String::new()),
        bar(
            "Applied",
            funnel.applied,
            of(funnel.applied, funnel.surfaced, "shown"),
        ),
        bar(
            "With an outcome",
            funnel.outcome,
            of(funnel.outcome, funnel.applied, "applied"),
        ),
        bar(
            "Went well",
            funnel.success,
            of(funnel.success, funnel.outcome, "settled"),
        ),
    ];
    let bands = &health.bands;
    let band_bars = vec![
        bar(
            "Consistently helpful",
            bands.consistently_helpful,
            "above 75%".into(),
        ),
        bar(
            "Generally helpful",
            bands.generally_helpful,
            "50 to 75%".into(),
        ),
        bar("Mixed or new", bands.mixed_or_new, "25 to 50%".into()),
        bar(
            "Consistently unhelpful",
            bands.consistently_unhelpful,
            "to 25%".into(),
        ),
    ];
    let activity: Vec<(String, u32)> = stats
        .activity
        .iter()
        .map(|day| (day.day.clone(), day.events))
        .collect();
    let quiet = activity.is_empty();
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
        (
            "Ratings",
            format::count(stats.total_rated),
            format::plural(stats.lessons_rated, "lesson", "lessons"),
        ),
        (
            "Feedback, 7 days",
            format::count(health.feedback_last_7_days),
            "sessions".into(),
        ),
        (
            "Causal ratio",
            format::percent_or_dash(health.causal_ratio),
            "of uses were a cause".into(),
        ),
    ];
    view! {
        <dl class="tiles" data-testid="stat-tiles">
            {tiles.into_iter().map(|(name, value, note)| view! {
                <div class="tile"><dt>{name}</dt><dd><b>{value}</b><span class="muted">{note}</span></dd></div>
            }).collect_view()}
        </dl>
        <div class="columns-2">
            <section class="card" data-testid="funnel">
                <h2>"From shown to settled"</h2>
                <p class="muted">"Recommendations made for a decision."</p>
                <BarList caption="From shown to settled" heads=("Step", "Records") bars=funnel_bars/>
            </section>
            <section class="card" data-testid="bands">
                <h2>"Effectiveness"</h2>
                <p class="muted">"Lessons by what feedback says of them."</p>
                <BarList caption="Lessons per band of effectiveness" heads=("Band", "Lessons") bars=band_bars/>
            </section>
        </div>
        <section class="card" data-testid="activity">
            <h2>"Activity"</h2>
            {if quiet {
                view! { <p class="muted">"Nothing has happened yet."</p> }.into_any()
            } else {
                view! { <p class="muted">"Events on the last days that had any, in UTC."</p><Columns caption="Events per day" heads=("Day", "Events") columns=activity/> }.into_any()
            }}
        </section>
        <div class="columns-2">
            <Ranks title="Top five" none="No lesson has two ratings yet." list=stats.top/>
            <Ranks title="Bottom five" none="No lesson has two ratings yet." list=stats.bottom/>
        </div>
        <Ranks title="Shown ten times or more, never rated" none="None: what is shown often gets rated." list=stats.never_rated/>
    }
    .into_any()
}

fn bar(label: &str, value: u32, note: String) -> Bar {
    Bar {
        label: label.to_owned(),
        value,
        note,
    }
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
                        <A href=format!("/lessons/{}", format::encode(&lesson.slug))>{lesson.title}</A>
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
