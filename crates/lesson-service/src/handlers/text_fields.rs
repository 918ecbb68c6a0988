//! A text's fields as people read them, beside those of another text.

use lesson_core::Text;
use lesson_types::RevisionField;

/// Every field of a text, and as it was before.
pub(crate) fn fields(text: &Text, before: Option<&Text>) -> Vec<RevisionField> {
    let was = before.map(written);
    written(text)
        .into_iter()
        .enumerate()
        .map(|(at, (name, after))| {
            let before = was.as_ref().map(|was| was[at].1.clone());
            RevisionField {
                name: name.to_owned(),
                changed: before.as_ref().is_some_and(|before| *before != after),
                before,
                after,
            }
        })
        // Few lessons have other fields than those of the form.
        .filter(|field| field.name != "extra" || field.changed || !field.after.is_empty())
        .collect()
}

/// The fields in which two texts differ, as they were and as they are.
pub(crate) fn changed_fields(before: &Text, after: &Text) -> Vec<RevisionField> {
    let mut fields = fields(after, Some(before));
    fields.retain(|field| field.changed);
    fields
}

/// A text's fields in the order of a form.
fn written(text: &Text) -> [(&'static str, String); 10] {
    [
        ("title", text.title.clone()),
        ("description", text.description.clone()),
        ("context", text.context.clone()),
        ("recommendation", text.recommendation.clone()),
        ("category", text.category.as_str().to_owned()),
        ("domain", text.domain.clone()),
        ("project_types", text.project_types.join(", ")),
        ("tech_stacks", text.tech_stacks.join(", ")),
        ("tags", text.tags.join(", ")),
        ("extra", text.extra.clone()),
    ]
}
