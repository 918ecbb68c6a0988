//! Finding a lesson by a slug or part of a title.

use crate::common::{space, with, written};
use lesson_core::{ResolveError, find_lesson};

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
        let found = find_lesson(&space, name).map(|lesson| lesson.slug.as_str());
        assert_eq!(found, Ok(slug), "{name}");
    }
    let several = find_lesson(&space, "ache").expect_err("three titles have it");
    let ResolveError::Ambiguous { candidates, .. } = several else {
        panic!("it is ambiguous");
    };
    assert_eq!(candidates, ["cache", "cache-long", "stampede"]);
    for name in ["", "  ", "nothing", "Old stamp"] {
        let error = find_lesson(&space, name).expect_err(name);
        assert_eq!(
            error,
            ResolveError::Unknown(name.trim().to_owned()),
            "{name}"
        );
    }
}
