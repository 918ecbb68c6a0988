//! The weights that a person may try: sliders, their place in the address, and the constants of the request they mean.

use crate::format;
use crate::parameters::Parameters;
use leptos::prelude::*;
use serde_json::{Map, Value};

/// A constant of the ranking that has a slider.
pub struct Knob {
    /// Its name in the policy, and with `w.` before it in the address.
    pub name: &'static str,
    /// The page's name for it.
    pub label: &'static str,
    /// The effect of more of it.
    pub about: &'static str,
    /// A constant that gets the rest to 1: the engine wants the two to be at most 1 together.
    pub rest: Option<&'static str>,
}

/// The sliders, in the order of the pipeline.
pub const KNOBS: [Knob; 9] = [
    Knob {
        name: "match_weight",
        label: "Match",
        about: "How much it counts that words and meaning of the lesson match the task.",
        rest: None,
    },
    Knob {
        name: "metadata_weight",
        label: "Project and tech stack",
        about: "How much a fitting project type and tech stack count.",
        rest: None,
    },
    Knob {
        name: "confidence_weight",
        label: "Confidence",
        about: "How much ratings and votes count.",
        rest: None,
    },
    Knob {
        name: "tech_weight",
        label: "Tech stack over project type",
        about: "To the right only the tech stack counts, to the left only the project type.",
        rest: Some("project_weight"),
    },
    Knob {
        name: "decision_base",
        label: "Decision base",
        about: "What every lesson gets when a domain or a market is given, before its kind adds to it.",
        rest: None,
    },
    Knob {
        name: "relevance_min",
        label: "Minimum relevance",
        about: "Lessons below this are left out.",
        rest: None,
    },
    Knob {
        name: "causal_weight",
        label: "Causal impact",
        about: "How far a lesson drops that seldom made a difference.",
        rest: Some("causal_base"),
    },
    Knob {
        name: "low_score_factor",
        label: "Poor ratings factor",
        about: "To the left, badly rated lessons fall further.",
        rest: None,
    },
    Knob {
        name: "unhelpful_factor",
        label: "Never helpful factor",
        about: "To the left, lessons that are shown often and never helped fall further.",
        rest: None,
    },
];

/// Where the sliders stand; `None` is the space's own weight.
#[derive(Clone, Copy)]
pub struct Weights([RwSignal<Option<f64>>; KNOBS.len()]);

impl Weights {
    /// All as the space has them.
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| RwSignal::new(None)))
    }

    /// Each slider with its place.
    pub fn each(self) -> impl Iterator<Item = (&'static Knob, RwSignal<Option<f64>>)> {
        KNOBS.iter().zip(self.0)
    }

    /// True if any is moved.
    pub fn is_moved(self) -> bool {
        self.0.iter().any(|place| place.get().is_some())
    }

    /// Puts all back.
    pub fn reset(self) {
        for place in self.0 {
            place.set(None);
        }
    }

    /// Reads an address; what is no share is passed over.
    pub fn read(self, query: &Parameters) {
        for (knob, place) in self.each() {
            let typed = query.get(&format!("w.{}", knob.name));
            let value = typed.and_then(format::number);
            place.set(value.filter(|value| (0.0..=1.0).contains(value)));
        }
    }

    /// The moved ones as a part of an address.
    pub fn address(self) -> String {
        let parts: Vec<String> = self
            .each()
            .filter_map(|(knob, place)| {
                let value = place.get_untracked()?;
                Some(format!("w.{}={}", knob.name, format::trim(value, 2)))
            })
            .collect();
        parts.join("&")
    }

    /// The moved ones as a request's `policy`.
    pub fn policy(self) -> Value {
        let mut policy = Map::new();
        for (knob, place) in self.each() {
            if let Some(value) = place.get_untracked() {
                // Two decimals, as in the address, so that a link means the same.
                let whole = (value * 100.0).round();
                policy.insert(knob.name.to_owned(), (whole / 100.0).into());
                if let Some(rest) = knob.rest {
                    policy.insert(rest.to_owned(), ((100.0 - whole) / 100.0).into());
                }
            }
        }
        Value::Object(policy)
    }
}

/// The weights that an address holds, as [`Weights::address`] orders them.
pub fn canonical(query: &Parameters) -> String {
    let parts: Vec<String> = KNOBS
        .iter()
        .filter_map(|knob| {
            let key = format!("w.{}", knob.name);
            let typed = query.get(&key).filter(|typed| !typed.is_empty())?;
            Some(format!("{key}={}", format::encode(typed)))
        })
        .collect();
    parts.join("&")
}
