//! The form for a situation.

use super::Walk;
use crate::client::use_get;
use crate::format::{self, filled, words};
use crate::parameters::Parameters;
use crate::ui::{Area, Pick, TextField};
use crate::view::view;
use leptos::prelude::*;
use lesson_types::{Market, Recommend, Trend, Volatility, limits};
use serde_json::Value;

/// The fields by their keys in the address, in the order of the form.
const KEYS: [&str; 10] = [
    "q",
    "project",
    "tech",
    "phase",
    "domain",
    "volatility",
    "trend",
    "positions",
    "losses",
    "limit",
];
/// Lessons asked for when nothing else is said.
const LIMIT: &str = "5";

/// What stands in the form.
#[derive(Clone, Copy)]
pub struct Situation {
    query: RwSignal<String>,
    project_type: RwSignal<String>,
    tech_stack: RwSignal<String>,
    phase: RwSignal<String>,
    domain: RwSignal<String>,
    volatility: RwSignal<String>,
    trend: RwSignal<String>,
    positions: RwSignal<String>,
    losses: RwSignal<String>,
    limit: RwSignal<String>,
}

impl Situation {
    /// An empty form.
    pub fn new() -> Self {
        let field = || RwSignal::new(String::new());
        Self {
            query: field(),
            project_type: field(),
            tech_stack: field(),
            phase: field(),
            domain: field(),
            volatility: field(),
            trend: field(),
            positions: field(),
            losses: field(),
            limit: RwSignal::new(LIMIT.to_owned()),
        }
    }

    /// The fields with the keys that they have in the page's address.
    fn fields(self) -> [(&'static str, RwSignal<String>); KEYS.len()] {
        let fields = [
            self.query,
            self.project_type,
            self.tech_stack,
            self.phase,
            self.domain,
            self.volatility,
            self.trend,
            self.positions,
            self.losses,
            self.limit,
        ];
        std::array::from_fn(|place| (KEYS[place], fields[place]))
    }

    /// Fills the form from an address.
    pub fn read(self, query: &Parameters) {
        for (key, field) in self.fields() {
            let absent = if key == "limit" { LIMIT } else { "" };
            field.set(query.get(key).unwrap_or(absent).to_owned());
        }
    }

    /// Whether an address holds a situation.
    pub fn is_in(query: &Parameters) -> bool {
        // A phase and a limit alone say nothing of it.
        KEYS.iter()
            .filter(|key| !["phase", "limit"].contains(key))
            .any(|key| query.get(key).is_some_and(|word| !word.trim().is_empty()))
    }

    /// The situation as the query of an address.
    pub fn address(self) -> String {
        let fields = self.fields();
        joined(fields.map(|(key, field)| (key, field.get_untracked())))
    }

    /// The request that the form means; a decision makes it one that is recorded.
    pub fn request(self, decision_id: &str) -> Recommend {
        let text = |field: RwSignal<String>| filled(&field.get_untracked());
        let market = Market {
            volatility: Volatility::parse(&self.volatility.get_untracked()),
            trend: Trend::parse(&self.trend.get_untracked()),
            has_open_positions: match self.positions.get_untracked().as_str() {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            },
            recent_loss_count: self.losses.get_untracked().trim().parse().ok(),
        };
        let tech_stack = words(&self.tech_stack.get_untracked());
        Recommend {
            query: text(self.query),
            project_type: text(self.project_type),
            tech_stack: (!tech_stack.is_empty()).then_some(tech_stack),
            phase: text(self.phase),
            domain: text(self.domain),
            market: (market != Market::default()).then_some(market),
            limit: self.limit.get_untracked().trim().parse().ok(),
            max_tokens: None,
            decision_id: filled(decision_id),
            explain: None,
            policy: None,
            dry_run: None,
            trace_part: None,
        }
    }
}

/// The situation that an address holds, as [`Situation::address`] writes it.
pub fn canonical(query: &Parameters) -> String {
    joined(KEYS.map(|key| (key, query.text(key))))
}

/// The address of this page for a situation that is known from elsewhere.
pub fn address_for(
    query: &Option<String>,
    project_type: &Option<String>,
    tech_stack: &[String],
    phase: &Option<String>,
    domain: &Option<String>,
) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let words = KEYS.map(|key| {
        let word = match key {
            "q" => word(query),
            "project" => word(project_type),
            "tech" => tech_stack.join(","),
            "phase" => word(phase),
            "domain" => word(domain),
            _ => String::new(),
        };
        (key, word)
    });
    format!("/recommend?{}", joined(words))
}

fn joined(words: [(&'static str, String); KEYS.len()]) -> String {
    let parts: Vec<String> = words
        .into_iter()
        .filter_map(|(key, word)| {
            let word = word.trim();
            let plain = word.is_empty() || (key == "limit" && word == LIMIT);
            (!plain).then(|| format!("{key}={}", format::encode(word)))
        })
        .collect();
    parts.join("&")
}

/// The form.
#[component]
pub fn SituationForm(walk: Walk) -> impl IntoView {
    let form = walk.form;
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let has_market = Memo::new(move |_| {
        [form.volatility, form.trend, form.positions, form.losses]
            .iter()
            .any(|field| !field.read().is_empty())
    });
    let phases = Signal::derive(move || {
        let phases = policy.data.with(|policy| match policy {
            Some(Ok(policy)) => policy
                .pointer("/rank/phases")
                .and_then(Value::as_object)
                .map(|phases| phases.keys().cloned().collect()),
            _ => None,
        });
        phases.unwrap_or_else(Vec::new)
    });
    let domains = Signal::stored(
        ["dlmm", "perps", "spot", "polymarket"]
            .map(str::to_owned)
            .to_vec(),
    );
    let projects = Signal::stored(
        [
            "web-app",
            "api",
            "cli",
            "library",
            "mobile-app",
            "trading-bot",
        ]
        .map(str::to_owned)
        .to_vec(),
    );
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        walk.decide();
    };
    let any = |word: &str, label: &str| (word.to_owned(), label.to_owned());
    view! {
        <form class="card form" on:submit=submit data-testid="recommend-form">
            <h2><span class="step">"1"</span>"The situation"</h2>
            <Area id="recommend-query" label="What is to be done" value=form.query rows=3 max=limits::QUERY
                placeholder="For example: isolate the data of several customers in one Postgres database"/>
            <div class="grid">
                <TextField id="recommend-project" label="Kind of project" value=form.project_type max=limits::WORD placeholder="any" offers=projects/>
                <TextField id="recommend-tech" label="Technologies" value=form.tech_stack max=2_000 placeholder="any; or rust, postgres"/>
                <TextField id="recommend-phase" label="Phase of work" value=form.phase max=limits::WORD placeholder="any" offers=phases/>
                <TextField id="recommend-domain" label="Domain" value=form.domain max=limits::WORD placeholder="any" offers=domains/>
                <TextField id="recommend-limit" label="Lessons at most" value=form.limit kind="number" max=3/>
            </div>
            <details class="market" prop:open=has_market>
                <summary>"Market, for a trading decision"</summary>
                <div class="grid">
                    <Pick id="market-volatility" label="Volatility" value=form.volatility on_pick=Callback::new(move |word| form.volatility.set(word))
                        options=vec![any("", "Not said"), any("low", "Low"), any("normal", "Normal"), any("high", "High")]/>
                    <Pick id="market-trend" label="Trend" value=form.trend on_pick=Callback::new(move |word| form.trend.set(word))
                        options=vec![any("", "Not said"), any("bullish", "Bullish"), any("bearish", "Bearish"), any("sideways", "Sideways")]/>
                    <Pick id="market-positions" label="Open positions" value=form.positions on_pick=Callback::new(move |word| form.positions.set(word))
                        options=vec![any("", "Not said"), any("yes", "Yes"), any("no", "No")]/>
                    <TextField id="market-losses" label="Recent losses" value=form.losses kind="number" max=6 placeholder="not said"/>
                </div>
            </details>
            <TextField id="decision-id" label="Decision" value=walk.decision_id max=limits::ID
                hint="Ties these lessons to what the agent writes and to the outcome. Any name will do."/>
            <div class="actions">
                <button type="submit" class="primary" disabled=walk.busy data-testid="recommend-submit">
                    {move || if walk.busy.get() { "Ranking…" } else { "Recommend lessons" }}
                </button>
            </div>
        </form>
    }
}
