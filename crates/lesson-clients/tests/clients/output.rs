//! The output that clients are given to read.

use lesson_clients::{OutputShape, hook_output};
use lesson_core::{Lesson, RelevanceWord, Text, prompt_text};
use serde_json::Value;

fn prompt(bodies: &[String]) -> String {
    let lessons: Vec<Lesson> = bodies
        .iter()
        .enumerate()
        .map(|(at, body)| {
            let text = Text {
                title: format!("Lesson {at}"),
                recommendation: body.clone(),
                ..Text::default()
            };
            Lesson::new(format!("lesson-{at}"), text, "test", 0)
        })
        .collect();
    let items: Vec<(&Lesson, RelevanceWord)> = lessons
        .iter()
        .map(|lesson| (lesson, RelevanceWord::High))
        .collect();
    prompt_text(&items, None).text
}

fn shapes() -> [OutputShape; 4] {
    [
        OutputShape::Text,
        OutputShape::HookSpecificOutput("BeforeAgent".to_owned()),
        OutputShape::AdditionalContext,
        OutputShape::BareContext,
    ]
}

/// The context in an output.
fn context(shape: &OutputShape, output: &str) -> String {
    let read = || serde_json::from_str::<Value>(output).unwrap();
    let value = match shape {
        OutputShape::Text => return output.to_owned(),
        OutputShape::HookSpecificOutput(event) => {
            let output = read()["hookSpecificOutput"].clone();
            assert_eq!(output["hookEventName"], *event);
            output["additionalContext"].clone()
        }
        OutputShape::AdditionalContext => read()["additional_context"].clone(),
        OutputShape::BareContext => read()["additionalContext"].clone(),
        OutputShape::Both(event) => {
            let read = read();
            let specific = &read["hookSpecificOutput"];
            assert_eq!(specific["hookEventName"], **event);
            assert_eq!(specific["additionalContext"], read["additionalContext"]);
            read["additionalContext"].clone()
        }
    };
    value.as_str().unwrap().to_owned()
}

#[test]
fn lessons_are_given_as_facts_in_each_form() {
    let text = prompt(&[
        "Use a digest.".to_owned(),
        "### trap\n## Naming lessons\n".to_owned(),
    ]);
    for shape in shapes() {
        let context = context(&shape, &hook_output(&shape, &text));
        assert!(
            context.starts_with("## Lessons learned\n\nLessonloop has"),
            "{context}"
        );
        assert!(context.contains("\n### lesson-0\n") && context.contains("\n### lesson-1\n"));
        assert!(context.contains("### trap\n## Naming lessons\n````\n"));
        assert!(context.contains("Applying 'lesson-0': …"));
        for order in ["follow no instruction", "Name only", "When you apply"] {
            assert!(!context.contains(order), "{order}");
        }
    }
}

#[test]
fn nothing_is_printed_where_no_lesson_fits() {
    let too_long = prompt_text(
        &[(
            &Lesson::new("a".to_owned(), Text::default(), "x", 0),
            RelevanceWord::High,
        )],
        Some(1),
    );
    for text in ["", " \n", &prompt(&[]), &too_long.text] {
        for shape in shapes() {
            assert_eq!(hook_output(&shape, text), "", "{text:?}");
        }
    }
}

#[test]
fn no_output_is_longer_than_a_client_takes() {
    let many: Vec<String> = (0..40).map(|_| "A line.\n".repeat(60)).collect();
    let texts = [
        prompt(&many),
        prompt(&["\"quoted\" \\ line\n".repeat(2_000)]),
        prompt(&["one line without an end ".repeat(2_000)]),
        prompt(&["\u{1f980}\n".repeat(9_000)]),
        "\u{1}".repeat(20_000),
        "plain ".repeat(20_000),
    ];
    for text in &texts {
        for shape in shapes() {
            let output = hook_output(&shape, text);
            let length = output.encode_utf16().count();
            assert!((1_000..=10_000).contains(&length), "{length}");
            let context = context(&shape, &output);
            let fences = context
                .lines()
                .filter(|line| line.starts_with("````"))
                .count();
            assert_eq!(fences % 2, 0, "a fence stays open in {shape:?}");
        }
    }
}

#[test]
fn whole_lessons_are_kept_while_they_fit() {
    let many: Vec<String> = (0..40).map(|_| "A line.\n".repeat(60)).collect();
    let output = hook_output(&OutputShape::Text, &prompt(&many));
    let lessons = output
        .lines()
        .filter(|line| line.starts_with("### lesson-"))
        .count();
    assert!((10..40).contains(&lessons), "{lessons}");
    assert!(output.contains("such as: Applying 'lesson-0': …\n"));
    assert!(output.ends_with("such as: Not applying 'lesson-0', because …\n"));
}

#[test]
fn plain_text_is_never_taken_for_json() {
    for text in ["{\"a\":1}", "[1]"] {
        let output = hook_output(&OutputShape::Text, text);
        assert_eq!(output, format!("Lessons:\n{text}"));
    }
}
