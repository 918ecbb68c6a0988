//! Lessons for a project alone, and the number of lessons that a decision takes.

use crate::common::{space, with, written};
use crate::rank::{query, rank};
use lesson_core::{Lesson, Market, Situation};

/// A space of lessons for one kind of project, asked by what it is made with and by nothing else (hybrid retrieval's own
/// first test).
#[test]
fn a_project_alone_never_comes_back_empty_where_lessons_share_it() {
    let saas = |slug: &str, techs: &[&str], projects: &[&str]| {
        with(slug, |l| {
            l.text.tech_stacks = techs.iter().map(|tech| (*tech).to_owned()).collect();
            l.text.project_types = projects.iter().map(|kind| (*kind).to_owned()).collect();
            l.text.recommendation = "Scope every query to its tenant.".to_owned();
        })
    };
    let space = space([
        saas("tenant-scope", &["Next.js", "Supabase"], &["SaaS"]),
        saas("billing-hooks", &["stripe"], &["saas"]),
        saas("row-policies", &["postgres"], &[]),
        saas("swift-views", &["swiftui"], &["mobile-app"]),
    ]);
    let asked = Situation {
        project_type: Some("saas".to_owned()),
        tech_stack: vec!["nextjs".to_owned(), "postgresql-supabase".to_owned()],
        ..Situation::default()
    };
    for cosine in [None, Some(0.0), Some(0.3)] {
        let found = rank(&space, &asked, cosine);
        let slugs: Vec<&str> = found.items.iter().map(|item| item.slug.as_str()).collect();
        assert_eq!(slugs[0], "tenant-scope", "{cosine:?}");
        assert!(!slugs.contains(&"swift-views"), "{slugs:?}");
    }
    // A lesson that shares so little that it is below the cutoff is better than none.
    let little = Situation {
        project_type: Some("saas".to_owned()),
        tech_stack: ["elixir", "phoenix", "clickhouse", "kafka"]
            .map(str::to_owned)
            .to_vec(),
        ..Situation::default()
    };
    let found = rank(&space, &little, None);
    assert!(!found.items.is_empty());
    assert!(
        found
            .items
            .iter()
            .all(|item| item.slug != "swift-views" && item.slug != "row-policies")
    );
    let none = Situation {
        tech_stack: vec!["cobol".to_owned()],
        ..Situation::default()
    };
    assert!(rank(&space, &none, None).items.is_empty());
}

#[test]
fn a_decision_takes_few_lessons_however_many_are_asked_for() {
    let lessons: Vec<Lesson> = (0..9)
        .map(|n| {
            written(
                &format!("retry-{n}"),
                &format!("Retry {n}"),
                "Retry with a deadline.",
            )
        })
        .collect();
    let space = space(lessons);
    let count = |change: fn(&mut Situation)| {
        let mut asked = query("retry with a deadline");
        asked.limit = Some(8);
        change(&mut asked);
        rank(&space, &asked, None).items.len()
    };
    assert_eq!(count(|_| ()), 8);
    assert_eq!(count(|asked| asked.for_decision = true), 5);
    assert_eq!(count(|asked| asked.market = Some(Market::default())), 5);
    assert_eq!(
        count(|asked| {
            asked.for_decision = true;
            asked.limit = Some(2);
        }),
        2
    );
}
