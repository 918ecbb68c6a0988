//! Lessons withheld from a run, so that runs with and without lessons can be compared.

use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::DecisionMeasured;

/// Says it, also where it is nothing.
#[component]
pub fn MeasuredNote(measured: DecisionMeasured) -> impl IntoView {
    view! { <p class="note" data-testid="run-measured">{told(&measured)}</p> }
}

fn told(measured: &DecisionMeasured) -> String {
    if measured.control {
        return "Measured: this is a control run, which gets no lesson. Runs with lessons are compared with such.".to_owned();
    }
    let withheld: Vec<String> = measured.withheld.iter().map(|slug| visible(slug)).collect();
    if withheld.is_empty() {
        "Measured: nothing was withheld in this run.".to_owned()
    } else {
        format!(
            "Measured: withheld in this run, to see what it does: {}.",
            withheld.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_gap_between_ranks_is_explained() {
        let run = |control: bool, withheld: &[&str]| {
            told(&DecisionMeasured {
                control,
                withheld: withheld.iter().map(|slug| (*slug).to_owned()).collect(),
            })
        };
        assert!(run(true, &[]).contains("control run"));
        assert!(run(false, &[]).contains("nothing was withheld"));
        assert!(run(false, &["bind-values", "retry"]).ends_with("bind-values, retry."));
    }
}
