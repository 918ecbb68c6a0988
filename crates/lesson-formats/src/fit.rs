//! Front matter that is too long for its field: it is moved to where it fits, so that it costs nothing.

use super::limits::too_long;
use lesson_core::Text;
use lesson_types::limits;

/// Moves what is too long for its field of front matter to where it fits, and says so.
pub(super) fn fit(text: &mut Text, notes: &mut Vec<(&'static str, String)>) {
    let mut moved = Vec::new();
    let mut names = Vec::new();
    for (name, part, most) in [
        ("title", &mut text.title, limits::TITLE),
        ("description", &mut text.description, limits::DESCRIPTION),
        ("context", &mut text.context, limits::CONTEXT),
        ("domain", &mut text.domain, limits::WORD),
    ] {
        if too_long(name, part, most).is_some() {
            moved.push(std::mem::take(part));
            names.push(name);
        }
    }
    let mut is_cut = false;
    for (name, list) in [
        ("project_types", &mut text.project_types),
        ("tech_stacks", &mut text.tech_stacks),
        ("tags", &mut text.tags),
    ] {
        let mut dropped: Vec<String> = Vec::new();
        list.retain(|word| {
            let fits = too_long(name, word, limits::WORD).is_none();
            if !fits {
                dropped.push(word.clone());
            }
            fits
        });
        if list.len() > limits::WORDS {
            dropped.extend(list.split_off(limits::WORDS));
        }
        if !dropped.is_empty() {
            is_cut = true;
            names.push(name);
            moved.push(dropped.join(", "));
        }
    }
    if names.is_empty() {
        return;
    }
    moved.push(std::mem::take(&mut text.recommendation));
    text.recommendation = moved.join("\n\n");
    let what = if is_cut {
        "too long or too many"
    } else {
        "too long"
    };
    notes.push((
        "too_long",
        format!(
            "{} was {what}, and stands in the recommendation",
            names.join(", ")
        ),
    ));
}
