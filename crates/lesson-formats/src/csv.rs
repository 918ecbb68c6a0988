//! CSV for spreadsheets: one row a lesson.

use lesson_core::Lesson;
use lesson_core::to_rfc3339;

const COLUMNS: [&str; 27] = [
    "slug",
    "title",
    "description",
    "context",
    "recommendation",
    "kind",
    "category",
    "domain",
    "project_types",
    "tech_stacks",
    "tags",
    "confidence",
    "frequency",
    "upvotes",
    "downvotes",
    "times_surfaced",
    "times_helpful",
    "times_not_helpful",
    "effectiveness",
    "use_count",
    "causal_hits",
    "times_applied",
    "success_count",
    "trust",
    "archived",
    "source",
    "updated_at",
];

/// One row a lesson under a header row, as RFC 4180 has it. Cells that a spreadsheet would run as
/// a formula are disarmed with a leading `'`.
pub fn to_csv<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> String {
    let mut out = COLUMNS.join(",");
    out.push_str("\r\n");
    for lesson in lessons {
        let (text, standing) = (&lesson.text, &lesson.standing);
        let cells: [String; COLUMNS.len()] = [
            lesson.slug.clone(),
            text.title.clone(),
            text.description.clone(),
            text.context.clone(),
            text.recommendation.clone(),
            lesson.kind().as_str().to_owned(),
            text.category.as_str().to_owned(),
            text.domain.clone(),
            text.project_types.join("; "),
            text.tech_stacks.join("; "),
            text.tags.join("; "),
            standing.confidence.to_string(),
            standing.frequency.to_string(),
            standing.upvotes.to_string(),
            standing.downvotes.to_string(),
            standing.times_surfaced.to_string(),
            standing.times_helpful.to_string(),
            standing.times_not_helpful.to_string(),
            standing.effectiveness.to_string(),
            standing.use_count.to_string(),
            standing.causal_hits.to_string(),
            standing.times_applied.to_string(),
            standing.success_count.to_string(),
            lesson.trust.as_str().to_owned(),
            lesson.archived.to_string(),
            lesson.source.clone(),
            to_rfc3339(lesson.updated_at),
        ];
        for (place, value) in cells.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            cell(&mut out, value);
        }
        out.push_str("\r\n");
    }
    out
}

fn cell(out: &mut String, value: &str) {
    // Characters that a spreadsheet takes for the start of a formula; full-width forms are read so too.
    let armed = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let quoted = armed || value.contains(['"', ',', '\n', '\r', '\'']);
    if !quoted {
        return out.push_str(value);
    }
    out.push('"');
    if armed {
        out.push('\'');
    }
    out.push_str(&value.replace('"', "\"\""));
    out.push('"');
}
