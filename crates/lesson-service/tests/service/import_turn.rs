//! An import that is taken back, and brought again.

use crate::common::TestService;
use crate::transfer::{SQL, file, import};
use lesson_types::*;
use serde_json::json;

#[test]
fn an_import_is_taken_back_and_brought_again_and_what_changed_since_stays() {
    let fixture = TestService::with(&[("one", "One", "x"), ("two", "Two", "y")]);
    let told = import(
        &fixture,
        vec![
            file("sql.md", SQL),
            file("one.md", "# One\n\nAnother text.\n"),
            file("two.md", "# Two\n\nAnother text, too.\n"),
        ],
    );
    assert_eq!((told.added, told.updated), (1, 2));
    let text = |slug: &str| {
        let lesson: LessonView = fixture.get(&format!("/v1/lessons/{slug}"));
        (lesson.recommendation, lesson.archived)
    };
    fixture.ok::<LessonView>(
        "PATCH /v1/lessons/two",
        json!({"base_rev": 2, "recommendation": "By hand."}),
    );
    let turn = |lessons: &[ImportedLesson], redo: bool| -> ImportTurned {
        let body = json!({"lessons": lessons, "redo": redo});
        fixture.ok("POST /v1/import/turn", body)
    };
    let undone = turn(&told.lessons, false);
    assert_eq!((undone.archived, undone.restored, undone.left), (1, 1, 1));
    assert!(text("sql").1);
    assert_eq!(text("one"), ("x".to_owned(), false));
    assert_eq!(text("two").0, "By hand.");
    // A second time there is nothing to do.
    let twice = turn(&undone.lessons, false);
    assert_eq!((twice.archived, twice.restored), (0, 0));
    assert_eq!(text("one").0, "x");

    let redone = turn(&undone.lessons, true);
    assert_eq!((redone.archived, redone.restored, redone.left), (1, 1, 0));
    assert!(!text("sql").1);
    assert_eq!(text("one").0, "Another text.");
    assert_eq!(text("two").0, "By hand.");
    // Its answer is what it is taken back by again; lessons that are gone are left.
    let again = turn(&redone.lessons, false);
    assert_eq!((again.archived, again.restored, again.left), (1, 1, 1));
    assert_eq!(text("one").0, "x");
    let gone = ImportedLesson {
        slug: "gone".to_owned(),
        ..again.lessons[0].clone()
    };
    assert_eq!(turn(&[gone], true).left, 1);
}
