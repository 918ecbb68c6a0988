//! A number's meaning as the engine explains it: formula, what went in, and what it says of this lesson.

use crate::components::Explain;
use crate::format;
use leptos::prelude::*;
use lesson_types::{StandingExplained, Term, TermNumber};

/// The explanations of one lesson's numbers, once they are there.
#[derive(Clone, Copy)]
pub struct Terms(pub Memo<Option<StandingExplained>>);

impl Terms {
    fn of(self, name: &str) -> Option<Term> {
        self.0.with(|answer| {
            let terms = &answer.as_ref()?.terms;
            terms.iter().find(|term| term.name == name).cloned()
        })
    }
}

/// The button beside a number, and its panel.
#[component]
pub fn Meaning(
    terms: Terms,
    /// The engine's name for the number.
    term: &'static str,
    /// The page's name for it.
    word: &'static str,
    /// The meaning of the number, for a newcomer.
    #[prop(optional)]
    about: &'static str,
) -> impl IntoView {
    let known = Memo::new(move |_| terms.of(term));
    view! {
        <Explain id=format!("term-{term}") word>
            <span class="meaning" data-testid=format!("meaning-{term}")>
                <b>{word}</b>
                {(!about.is_empty()).then(|| view! { <span>{about}</span> })}
                {move || known.get().map(|known| view! {
                    <span class="meaning-formula">{known.formula}</span>
                    <span class="meaning-numbers">{known.numbers.into_iter().map(number).collect::<Vec<_>>()}</span>
                    <span class="meaning-sentence">{known.sentence}</span>
                })}
            </span>
        </Explain>
    }
}

fn number(number: TermNumber) -> AnyView {
    let value = match (number.name.as_ref(), number.value) {
        (_, None) => "none yet".to_owned(),
        ("proven", Some(value)) => if value > 0.0 { "yes" } else { "no" }.to_owned(),
        ("success_rate" | "effectiveness_score" | "effectiveness", Some(value)) => {
            format::percent_fine(value)
        }
        (_, Some(value)) => format::trim(value, 4),
    };
    let met = number.met.map(|met| {
        if met {
            view! { <span class="met">"✓ met"</span> }.into_any()
        } else {
            view! { <span class="unmet">"✗ not met"</span> }.into_any()
        }
    });
    view! {
        <span class="meaning-number">
            <span>{label(&number.name)}</span>
            <b class="num">{value}</b>
            {number.wanted.map(|wanted| view! { <span class="muted">{wanted}</span> })}
            {met}
        </span>
    }
    .into_any()
}

fn label(name: &str) -> String {
    match name {
        "times_applied" => "Applied",
        "success_count" => "Went well",
        "success_rate" => "Success rate",
        "consecutive_failures" => "Failures in a row",
        "times_helpful" => "Rated helpful",
        "times_not_helpful" => "Rated not helpful",
        "times_surfaced" => "Shown",
        "upvotes" => "Votes up",
        "downvotes" => "Votes down",
        "effectiveness_score" => "Helpfulness",
        "use_count" => "Uses",
        "causal_hits" => "Of these a cause",
        "causal_adjusted" => "Adjusted for cause",
        "low" => "Lower end of its interval",
        "high" => "Upper end",
        "with_doubt" => "With doubt in its favour",
        "with_doubt_at_first" => "The same of a new lesson",
        "rating_penalty" => "Poor ratings leave",
        other => return format::spaced(other),
    }
    .to_owned()
}
