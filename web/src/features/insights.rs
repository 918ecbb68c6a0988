//! Runs, lessons, agents and domains over time, and whether feedback comes in.

mod groups;
mod health;
mod lessons;
mod uncovered;

use crate::api::{Client, Query, use_query};
use crate::components::{
    BarChart, ChartFrame, Empty, LineChart, Loaded, Page, Plotted, Tabs, Unit,
};
use crate::features::figures::{Figure, Figures, mean_figure, share_figure};
use crate::features::issues::Issues;
use crate::features::none::{coming, lesson_count};
use crate::features::range::{Range, RangeChoice};
use crate::features::trend;
use crate::features::views::SavedViews;
use crate::parameters::in_address;
use crate::sync::Syncing;
use groups::GroupTable;
use health::Whole;
use leptos::prelude::*;
use lesson_types::{InsightGroup, Insights, LiftReport, RunTotals};
use lessons::{LessonTable, StaleTable};
use uncovered::UncoveredTable;

/// Insights.
#[component]
pub fn InsightsPage() -> impl IntoView {
    let range = Range::in_address();
    let lessons = lesson_count();
    let some = Memo::new(move |_| matches!(lessons.value(), Some(1..)));
    let coming = coming();
    let on_server = Syncing::get_from_context().on_server();
    view! {
        <Page title="Insights" actions=move || view! {
            <Show when=move || some.get() && !on_server.get()>
                <SavedViews place="/insights"/>
                <RangeChoice range/>
            </Show>
        }>
            <Loaded of=lessons lines=8 let:total>
                {move || if total.get() > 0 {
                    view! {
                        <Issues/>
                        <Over range/>
                        <Whole/>
                    }.into_any()
                } else if coming.get() {
                    view! { <Empty title="Your lessons are on their way" text="They are being fetched from the server. Insights update as they arrive."/> }.into_any()
                } else {
                    view! {
                        <Empty title="Nothing to count yet" text="Insights come from lessons, runs and their outcomes. Start with some lessons.">
                            <a href="/" class="button primary">"Get started"</a>
                            <a href="/settings" class="button">"Import lessons"</a>
                        </Empty>
                    }.into_any()
                }}
            </Loaded>
        </Page>
    }
}

/// The kinds of rows that the table can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Lesson,
    Domain,
    Agent,
    Project,
    Uncovered,
    Stale,
}

impl By {
    fn read(word: &str) -> Self {
        let all = [
            Self::Domain,
            Self::Agent,
            Self::Project,
            Self::Uncovered,
            Self::Stale,
        ];
        let named = all.into_iter().find(|by| by.word() == word);
        named.unwrap_or(Self::Lesson)
    }

    /// Its word in an address.
    fn word(self) -> &'static str {
        match self {
            Self::Lesson => "",
            Self::Domain => "domain",
            Self::Agent => "agent",
            Self::Project => "project",
            Self::Uncovered => "no-lesson",
            Self::Stale => "not-used",
        }
    }
}

/// Figures and charts of what happened in the range, and a table of whatever one looks at.
#[component]
fn Over(range: RwSignal<Range>) -> impl IntoView {
    let client = Client::get_from_context();
    let insights = use_query(move || client.get::<Insights>(range.get().path()));
    let lift = use_query(move || client.get::<LiftReport>("/v1/lift?limit=1000"));
    view! {
        <Loaded of=insights lines=10 let:insights>
            <Shown insights lift/>
        </Loaded>
    }
}

#[component]
fn Shown(insights: Memo<Insights>, lift: Query<LiftReport>) -> impl IntoView {
    let by = in_address("by", By::read, |by| by.word().to_owned());
    let lift = Memo::new(move |_| lift.value());
    let tabs = vec![
        (By::Lesson, "Lessons"),
        (By::Domain, "Domains"),
        (By::Agent, "Agents"),
        (By::Project, "Projects"),
        (By::Uncovered, "No lesson fits"),
        (By::Stale, "Not used"),
    ];
    let window = Signal::derive(move || {
        let days = insights.with(|insights| insights.window_days);
        format!("{days}-day rolling average; the band is the 95% confidence interval.")
    });
    let plotted = move |plot: fn(&Insights) -> Plotted| Signal::derive(move || insights.with(plot));
    let lessons = Signal::derive(move || insights.with(|all| all.lessons.clone()));
    let stale = Signal::derive(move || insights.with(|all| all.stale.clone()));
    let stale_total = Signal::derive(move || insights.with(|all| all.stale_total));
    let uncovered = Signal::derive(move || insights.with(|all| all.uncovered.clone()));
    let uncovered_total = Signal::derive(move || insights.with(|all| all.uncovered_total));
    let days = Signal::derive(move || insights.with(|all| all.days));
    let groups = move |by: fn(&Insights) -> &Vec<InsightGroup>| {
        Signal::derive(move || insights.with(|all| by(all).clone()))
    };
    view! {
        {move || view! { <Figures figures=insights.with(figures)/> }}
        <div class="charts">
            <Chart id="success" title="Success over time" plotted=plotted(trend::success) unit=Unit::Share columns=false note=window/>
            <Chart id="ends" title="Runs by outcome" plotted=plotted(trend::ends) unit=Unit::Count columns=true/>
            <Chart id="coverage" title="Coverage and feedback" plotted=plotted(trend::coverage) unit=Unit::Share columns=false
                note="Runs that had a lesson of medium relevance or better, and runs that got feedback or a rating."/>
            <Chart id="tokens" title="Tokens of lessons per run" plotted=plotted(trend::tokens) unit=Unit::Count columns=true
                note="Computed from the lessons' current texts, at four bytes per token."/>
        </div>
        <section class="panel by" data-testid="by">
            <Tabs id="by" label="What the table shows" options=tabs value=by/>
            <div role="tabpanel" id="by-panel" aria-labelledby=move || format!("by-tab-{}", by.get() as u8)>
                {move || match by.get() {
                    By::Lesson => view! { <LessonTable lessons lift/> }.into_any(),
                    By::Domain => view! { <GroupTable kind="Domain" groups=groups(|all| &all.by_domain) days lift/> }.into_any(),
                    By::Agent => view! { <GroupTable kind="Agent" groups=groups(|all| &all.by_agent) days lift/> }.into_any(),
                    By::Project => view! { <GroupTable kind="Project type" groups=groups(|all| &all.by_project) days lift/> }.into_any(),
                    By::Uncovered => view! { <UncoveredTable tasks=uncovered total=uncovered_total/> }.into_any(),
                    By::Stale => view! { <StaleTable stale total=stale_total/> }.into_any(),
                }}
            </div>
        </section>
    }
}

/// A chart in its frame.
#[component]
fn Chart(
    id: &'static str,
    title: &'static str,
    plotted: Signal<Plotted>,
    unit: Unit,
    columns: bool,
    #[prop(optional, into)] note: Signal<String>,
) -> impl IntoView {
    let numbers = Signal::derive(move || plotted.with(|plotted| plotted.numbers("Up to", unit)));
    let legend = Signal::derive(move || plotted.with(|plotted| plotted.series.clone()));
    let some = Memo::new(move |_| plotted.with(Plotted::says_something));
    view! {
        <div class="panel">
            <ChartFrame id title legend numbers>
                {move || match (some.get(), columns) {
                    (false, _) => view! { <p class="plot-none">"No run in this range says anything about it."</p> }.into_any(),
                    (true, true) => view! { <BarChart caption=title plotted unit/> }.into_any(),
                    (true, false) => view! { <LineChart caption=title plotted unit/> }.into_any(),
                }}
            </ChartFrame>
            <p class="chart-note">{note}</p>
        </div>
    }
}

fn figures(insights: &Insights) -> Vec<Figure> {
    let now = insights.totals;
    let before = insights.before;
    let of =
        |part: fn(&RunTotals) -> Option<f64>| (part(&now), before.and_then(|before| part(&before)));
    let shares = |label, part: fn(&RunTotals) -> (u32, u32)| {
        share_figure(label, part(&now), before.as_ref().map(part))
    };
    let (applied, applied_before) = of(|all| trend::share(all.applied, trend::runs(all.shown)));
    let (tokens, tokens_before) = of(|all| trend::share(all.tokens, trend::runs(all.shown)));
    vec![
        shares("Success", |all| {
            (all.shown.successes, trend::ended(all.shown))
        }),
        shares("Coverage", |all| (all.covered, trend::runs(all.shown))),
        shares("Feedback coverage", |all| {
            (all.judged, trend::runs(all.shown))
        }),
        mean_figure("Applied per run", applied, applied_before, 1),
        mean_figure("Tokens per run", tokens, tokens_before, 0),
    ]
}
