//! A run's address, and its situation in words.

use super::filter::Filter;
use crate::format;
use crate::markdown::visible;

/// The address of a run.
pub fn address(id: &str) -> String {
    format!("/runs?run={}", format::encode(id))
}

/// The address of the runs that a lesson was recommended in.
pub fn address_of_lesson(slug: &str) -> String {
    Filter {
        lesson: slug.to_owned(),
        ..Filter::default()
    }
    .address()
}

/// The address of the runs of an agent (`by`) or of a domain (`domain`), from a day on.
pub fn address_of_group(key: &str, name: &str, from: &str) -> String {
    let mut filter = Filter {
        from: from.to_owned(),
        ..Filter::default()
    };
    match key {
        "domain" => name.clone_into(&mut filter.domain),
        _ => name.clone_into(&mut filter.by),
    }
    filter.address()
}

/// A situation in words: what was asked, or what else is known of it.
pub fn situation(
    query: Option<&str>,
    about: [&Option<String>; 3],
    tech_stack: &[String],
) -> String {
    if let Some(query) = query.filter(|query| !query.trim().is_empty()) {
        return visible(query);
    }
    let about = about.into_iter().flatten().chain(tech_stack);
    let words: Vec<String> = about
        .filter(|word| !word.is_empty())
        .map(|word| visible(word))
        .collect();
    if words.is_empty() {
        "A task without words".to_owned()
    } else {
        words.join(", ")
    }
}
