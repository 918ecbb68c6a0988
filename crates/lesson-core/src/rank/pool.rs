//! Step 1, the pool: which lessons are considered at all.

use super::situation::{Context, same_word};
use super::trace::ExclusionCode;
use crate::lesson::Lesson;
use crate::lessons::RankFeatures;
use crate::policy::RankPolicy;
use lesson_types::{Category, Kind, Trust};

/// Why `lesson` is not considered, `None` when it is. In this order: life, trust, domain, phase.
pub(super) fn left_out(
    lesson: &Lesson,
    facts: &RankFeatures,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> Option<ExclusionCode> {
    if facts.archived {
        return Some(ExclusionCode::Archived);
    }
    if facts.trust == Trust::Quarantined {
        return Some(ExclusionCode::Quarantined);
    }
    if policy.approved_only && facts.trust != Trust::Approved {
        return Some(ExclusionCode::Unapproved);
    }
    if let Some(domain) = &context.domain {
        let same = || facts.domain == domain.hash && same_word(&lesson.text.domain, &domain.word);
        let fits = facts.domain == 0 || facts.kind == Kind::Evolved || same();
        if !fits {
            return Some(ExclusionCode::Domain);
        }
    }
    if let Some((_, categories)) = context.phase
        && facts.category != Category::Workflow
        && !categories.contains(&facts.category)
    {
        return Some(ExclusionCode::Category);
    }
    None
}

/// Why a lesson is not considered, for a person.
pub(super) fn words(code: ExclusionCode, lesson: &Lesson, context: &Context<'_>) -> String {
    match code {
        ExclusionCode::Archived => match &lesson.merged_into {
            Some(into) => format!("archived: merged into `{into}`"),
            None => "archived".to_owned(),
        },
        ExclusionCode::Quarantined => {
            if lesson.findings.is_empty() {
                "quarantined until a person approves it".to_owned()
            } else {
                format!(
                    "quarantined until a person approves it: {}",
                    lesson.findings.join("; ")
                )
            }
        }
        ExclusionCode::Unapproved => {
            "not approved, and only approved lessons are wanted".to_owned()
        }
        ExclusionCode::Domain => format!(
            "of the domain `{}`, not `{}`",
            lesson.text.domain,
            context.domain.as_ref().map_or("", |domain| &domain.word)
        ),
        ExclusionCode::Category => format!(
            "its category {} has no place in the phase {}",
            lesson.text.category.as_str(),
            context.phase.map_or("", |(phase, _)| phase)
        ),
        other => other.as_str().to_owned(),
    }
}
