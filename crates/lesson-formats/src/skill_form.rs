//! The form of the skills that are written here, by which they are read as the same lessons.

/// The key in `metadata` of what a skill has no place for, as JSON: what comes back unchanged when it is imported.
pub(crate) const OWN: &str = "lessonloop";
/// The fields that stand there.
pub(crate) const OWN_FIELDS: &[&str] = &[
    "slug",
    "title",
    "description",
    "context",
    "recommendation",
    "category",
    "domain",
    "project_types",
    "tech_stacks",
    "tags",
    "extra",
];
/// The headings of a skill's parts.
pub(crate) const WHEN: &str = "\n## When\n\n";
pub(crate) const WHAT: &str = "\n## What to do\n\n";
