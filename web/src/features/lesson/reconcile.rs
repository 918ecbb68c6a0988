//! An edit that somebody else was faster than: what each side changed, and the two put together.

use super::form::{FormText, LessonFields};
use crate::components::Versus;
use crate::diff::merge;
use crate::features::editor::editor_of;
use crate::format;
use leptos::prelude::*;
use lesson_types::LessonView;

/// The state of a field between the two edits.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    /// Nobody changed it, both did alike, or this edit alone did.
    Mine,
    /// The other edit alone changed it.
    Theirs,
    /// Both changed it, in places that don't touch.
    Both(String),
    /// Both changed the same words.
    Clash,
}

fn standing(base: &str, mine: &str, theirs: &str) -> Standing {
    let (base, mine, theirs) = (base.trim(), mine.trim(), theirs.trim());
    if theirs == base || mine == theirs {
        Standing::Mine
    } else if mine == base {
        Standing::Theirs
    } else {
        merge(base, mine, theirs).map_or(Standing::Clash, Standing::Both)
    }
}

/// The question. What only one side changed is taken as it is; for the rest both sides are shown.
#[component]
pub fn Reconcile(
    /// The lesson that both edits began with.
    base: LessonView,
    /// The text that is in force now.
    theirs: LessonView,
    /// This edit.
    fields: LessonFields,
    busy: Memo<bool>,
    /// The fields hold what is to be saved over this text.
    settled: Callback<LessonView>,
) -> impl IntoView {
    let editor = editor_of(&theirs.slug, theirs.rev);
    let was = LessonFields::text_of(&base).all();
    let new = LessonFields::text_of(&theirs).all();
    let mine = fields.text_untracked().all();
    let rows: Vec<_> = FormText::NAMES
        .into_iter()
        .zip(was)
        .zip(mine.clone())
        .zip(new)
        .map(|(((name, was), mine), theirs)| {
            let how = standing(&was, &mine, &theirs);
            (name, mine, theirs, how)
        })
        .collect();
    let taken: Vec<&str> = rows
        .iter()
        .filter(|(.., how)| *how == Standing::Theirs)
        .map(|(name, ..)| *name)
        .collect();
    let taken = (!taken.is_empty()).then(|| {
        format!(
            "Changed by them alone, and kept: {}.",
            format::lower(&taken.join(", "))
        )
    });
    let clashes = rows.iter().any(|(.., how)| *how == Standing::Clash);
    let sides = rows
        .iter()
        .filter(|(.., how)| matches!(how, Standing::Both(_) | Standing::Clash))
        .map(|(name, mine, theirs, how)| {
            let fits = *how != Standing::Clash;
            view! {
                <section class="versus" data-testid="conflict-field" data-field=format::lower(name)>
                    <h3>{*name}<span class="hint">{if fits { " both edits fit together" } else { " both edits change the same words" }}</span></h3>
                    <Versus name=*name titles=("Theirs, in force", "Yours") left=theirs.clone() right=mine.clone()/>
                </section>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    let whose = FormText::from_all(mine);
    let put = |pick: fn(&Standing, &str, &str) -> String| {
        let texts: Vec<String> = rows
            .iter()
            .map(|(_, mine, theirs, how)| pick(how, mine, theirs))
            .collect();
        texts
            .try_into()
            .map_or_else(|_| FormText::default(), FormText::from_all)
    };
    let merged = put(|how, mine, theirs| match how {
        Standing::Mine | Standing::Clash => mine.to_owned(),
        Standing::Theirs => theirs.to_owned(),
        Standing::Both(text) => text.clone(),
    });
    let theirs_first = put(|how, mine, theirs| match how {
        Standing::Mine => mine.to_owned(),
        Standing::Theirs | Standing::Clash => theirs.to_owned(),
        Standing::Both(text) => text.clone(),
    });
    let theirs = StoredValue::new(theirs);
    let take = move |text: FormText| {
        move |_| {
            fields.fill(text.clone());
            settled.run(theirs.get_value());
        }
    };
    view! {
        <section class="note note-warn reconcile" id="reconcile" tabindex="-1" role="alertdialog" aria-label="The lesson was changed meanwhile" data-testid="edit-conflict">
            <strong data-testid="conflict-who">{move || match editor.get() {
                Some(who) => format!("This lesson was changed by {who} since you started. Your text is still here."),
                None => "This lesson was changed since you started. Your text is still here.".to_owned(),
            }}</strong>
            {taken.map(|taken| view! { <p data-testid="conflict-taken">{taken}</p> })}
            {sides}
            <div class="actions">
                {if clashes {
                    view! {
                        <button type="button" class="primary" disabled=busy data-testid="merge-mine" on:click=take(merged)>"Merge, mine where they clash"</button>
                        <button type="button" disabled=busy data-testid="merge-theirs" on:click=take(theirs_first)>"Merge, theirs where they clash"</button>
                    }.into_any()
                } else {
                    view! { <button type="button" class="primary" disabled=busy data-testid="merge-both" on:click=take(merged)>"Merge both and save"</button> }.into_any()
                }}
                <button type="button" disabled=busy data-testid="overwrite" on:click=take(whose)>"Save mine over it"</button>
            </div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_field_goes_to_whoever_changed_it() {
        for (base, mine, theirs, expected) in [
            ("a", "a", "a", Standing::Mine),
            ("a", "b", "a", Standing::Mine),
            ("a", "b", "b", Standing::Mine),
            ("a", "a ", "b", Standing::Theirs),
            ("a", "b", "c", Standing::Clash),
            (
                "one two three",
                "1 two three",
                "one two 3",
                Standing::Both("1 two 3".into()),
            ),
        ] {
            assert_eq!(standing(base, mine, theirs), expected, "{mine} {theirs}");
        }
    }
}
