//! Step 1, the pool: which lessons are considered at all.

use super::situation::{Context, same_word};
use super::trace::ExclusionCode;
use crate::lesson::Lesson;
use crate::policy::RankPolicy;
use crate::words::{Category, Kind, Trust};

/// Why `lesson` is not considered, `None` when it is. In this order: life, trust, domain, phase.
pub(super) fn left_out(
    lesson: &Lesson,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> Option<ExclusionCode> {
    if lesson.archived {
        return Some(ExclusionCode::Archived);
    }
    if lesson.trust == Trust::Quarantined {
        return Some(ExclusionCode::Quarantined);
    }
    if policy.approved_only && lesson.trust != Trust::Approved {
        return Some(ExclusionCode::Unapproved);
    }
    if let Some(domain) = &context.domain {
        let own = lesson.text.domain.trim();
        let fits = own.is_empty() || same_word(own, domain) || lesson.kind() == Kind::Evolved;
        if !fits {
            return Some(ExclusionCode::Domain);
        }
    }
    if let Some((_, categories)) = context.phase
        && lesson.text.category != Category::Workflow
        && !categories.contains(&lesson.text.category)
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
            context.domain.as_deref().unwrap_or_default()
        ),
        ExclusionCode::Category => format!(
            "its category {} has no place in the phase {}",
            lesson.text.category.as_str(),
            context.phase.map_or("", |(phase, _)| phase)
        ),
        other => other.as_str().to_owned(),
    }
}
