//! The first page: whether lessons help, how runs went, and what to look at. Before there is a lesson: what this is, and
//! three steps to begin with.

mod activity;
mod attention;
mod headline;
mod movers;
mod on_server;
mod start;
mod week;

use crate::api::{Client, use_query};
use crate::components::{ChartFrame, LineChart, Loaded, Page, Unit};
use crate::features::figures::{Figure, Figures, mean_figure};
use crate::features::issues::LoopIssues;
use crate::features::none::{coming, lesson_count};
use crate::features::range::{Range, RangeChoice};
use crate::features::trend::{runs, share, success};
use crate::more::{More, more};
use crate::sync::Syncing;
use activity::Activity;
use attention::Attention;
use headline::Headline;
use leptos::prelude::*;
use lesson_types::{Health, Insights, LiftReport, RunTotals};
use movers::Movers;
use on_server::OnServer;
use start::Start;
pub use week::ThisWeek;

/// The overview.
#[component]
pub fn OverviewPage() -> impl IntoView {
    let range = Range::in_address();
    let lessons = lesson_count();
    let some = Memo::new(move |_| matches!(lessons.value(), Some(1..)));
    let coming = coming();
    let on_server = Syncing::get_from_context().on_server();
    view! {
        <Page title="Overview" actions=move || view! {
            <Show when=move || some.get()>
                <Show when=move || !on_server.get()><RangeChoice range/></Show>
                <a href="/lessons/new" class="button">"Add lesson"</a>
            </Show>
        }>
            <Loaded of=lessons lines=8 let:total>
                {move || if total.get() > 0 && on_server.get() {
                    view! { <OnServer/> }.into_any()
                } else if total.get() > 0 || coming.get() {
                    view! { <Filled range/> }.into_any()
                } else {
                    view! { <Start/> }.into_any()
                }}
            </Loaded>
        </Page>
    }
}

#[component]
fn Filled(range: RwSignal<Range>) -> impl IntoView {
    let client = Client::get_from_context();
    let insights = use_query(move || client.get::<Insights>(range.get().path()));
    let lift = use_query(move || client.get::<LiftReport>("/v1/lift?verdict=hurts&limit=5"));
    let health = use_query(move || client.get::<Health>("/v1/health"));
    let has_runs = Signal::derive(move || health.value().map(|health| health.runs.runs > 0));
    let both = Memo::new(move |_| insights.value().zip(lift.value()));
    let told = Memo::new(move |_| {
        both.get()
            .map(|(insights, _)| insights)
            .unwrap_or_else(nothing)
    });
    let plotted = Signal::derive(move || told.with(success));
    let numbers =
        Signal::derive(move || plotted.with(|plotted| plotted.numbers("Up to", Unit::Share)));
    let legend = Signal::derive(move || plotted.with(|plotted| plotted.series.clone()));
    let ended =
        Memo::new(move |_| told.with(|told| told.steps.iter().any(|step| step.shown.is_some())));
    view! {
        <LoopIssues/>
        <section class="panel lead">
            <div class="say">
                <Loaded of=insights lines=5 let:insights>
                    <Headline insights lift range has_runs/>
                </Loaded>
            </div>
            <ChartFrame id="success" title="Success over time" legend numbers>
                {move || if ended.get() {
                    view! { <LineChart caption="Success over time" plotted unit=Unit::Share/> }.into_any()
                } else {
                    view! { <p class="plot-none">"The line begins with the first outcome of a run."</p> }.into_any()
                }}
            </ChartFrame>
        </section>
        {move || both.get().map(|(insights, _)| view! { <Figures figures=figures(&insights)/> })}
        <div class="pair-panels">
            <Attention lift/>
            <Movers insights=told range/>
        </div>
        {more(More::Week)}
        <Activity/>
    }
}

/// Returns insights without a run, drawn before anything is known.
fn nothing() -> Insights {
    Insights {
        days: 1,
        step_days: 1,
        window_days: 1,
        steps: Vec::new(),
        totals: Default::default(),
        before: None,
        by_domain: Vec::new(),
        by_agent: Vec::new(),
        by_project: Vec::new(),
        lessons: Vec::new(),
        given: 0,
        helping: 0,
        harming: 0,
        risers: Vec::new(),
        fallers: Vec::new(),
        stale: Vec::new(),
        stale_total: 0,
        uncovered: Vec::new(),
        uncovered_total: 0,
    }
}

/// Makes the figures: lessons that help and hurt, and what a run gets of lessons and tokens.
fn figures(insights: &Insights) -> Vec<Figure> {
    let count = |label, n: u32| Figure {
        label,
        value: crate::format::count(n),
        change: None,
    };
    let now = insights.totals;
    let before = insights.before;
    let each = |part: fn(&RunTotals) -> u32| {
        let of = |totals: RunTotals| share(part(&totals), runs(totals.shown));
        (of(now), before.and_then(of))
    };
    let (applied, applied_before) = each(|totals| totals.applied);
    let (tokens, tokens_before) = each(|totals| totals.tokens);
    vec![
        count("Lessons that help", insights.helping),
        count("Lessons that hurt", insights.harming),
        mean_figure("Applied per run", applied, applied_before, 1),
        mean_figure("Tokens per run", tokens, tokens_before, 0),
    ]
}
