//! A situation as it is typed, as it stands in the page's address, and as a request.

use crate::format::{self, filled, words};
use crate::parameters::Parameters;
use leptos::prelude::*;
use lesson_types::{Market, Recommend, Trend, Volatility};

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

/// The form's fields, each a signal of its text.
#[derive(Clone, Copy)]
pub struct Situation {
    pub(super) query: RwSignal<String>,
    pub(super) project_type: RwSignal<String>,
    pub(super) tech_stack: RwSignal<String>,
    pub(super) phase: RwSignal<String>,
    pub(super) domain: RwSignal<String>,
    pub(super) volatility: RwSignal<String>,
    pub(super) trend: RwSignal<String>,
    pub(super) positions: RwSignal<String>,
    pub(super) losses: RwSignal<String>,
    pub(super) limit: RwSignal<String>,
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

    /// True if an address holds a situation.
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
            shorten_each: None,
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
    format!("/playground?{}", joined(words))
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
