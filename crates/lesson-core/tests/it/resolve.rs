//! Finding a lesson by a slug or part of a title.

use crate::common::{space, with, written};
use lesson_core::{Lesson, ResolveError, find_lesson};

#[test]
fn a_name_is_a_slug_then_a_title_then_a_part_of_one() {
    let space = space([
        written("cache", "Cache keys name the tenant", ""),
        written("cache-long", "Cache", ""),
        written("stampede", "Cache stampede", ""),
        written("forms", "Größe der Felder", ""),
        with("old", |l| {
            l.text.title = "Old stampede".to_owned();
            l.archived = true;
        }),
    ]);
    for (name, slug) in [
        ("cache", "cache"),
        (" stampede ", "stampede"),
        ("FORMS", "forms"),
        ("Cache keys name the tenant", "cache"),
        ("cache ", "cache"),
        ("stamp", "stampede"),
        ("GRÖßE", "forms"),
        ("old", "old"),
    ] {
        let found = find_lesson(&space, name, |_| true).map(|lesson| lesson.slug.as_str());
        assert_eq!(found, Ok(slug), "{name}");
    }
    let several = find_lesson(&space, "ache", |_| true).expect_err("three titles have it");
    let ResolveError::Ambiguous { candidates, .. } = several else {
        panic!("it is ambiguous");
    };
    assert_eq!(candidates, ["cache", "cache-long", "stampede"]);
    for name in ["", "  ", "nothing", "Old stamp"] {
        let error = find_lesson(&space, name, |_| true).expect_err(name);
        assert_eq!(
            error,
            ResolveError::Unknown(name.trim().to_owned()),
            "{name}"
        );
    }
    let not_cache = |lesson: &Lesson| lesson.slug != "cache";
    assert_eq!(
        find_lesson(&space, "cache ", not_cache).map(|lesson| lesson.slug.as_str()),
        Ok("cache-long"),
        "what is left out is no other's rival"
    );
    let only = |lesson: &Lesson| lesson.slug == "forms";
    for name in ["cache", "Cache", "Cache keys name the tenant"] {
        let found = find_lesson(&space, name, only);
        assert_eq!(found, Err(ResolveError::Unknown(name.to_owned())), "{name}");
    }
}
