//! The issues of `GET /v1/health`, each with its remedy.

use crate::state::snapshot::State;
use lesson_core::{Health, Stats};
use lesson_types::{
    HealthIssue, HealthStatus, Severity, StandingRule, Supply, SyncPhase, SyncStatus,
};

/// From this many retrievals on, missing feedback is an issue.
const SHOWN: u32 = 10;

/// From this many silent sessions on, if they are half of all, hooks or agents hardly report.
const SILENT: u32 = 3;

/// From this many runs in a row on that were given nothing, where earlier ones were given lessons and outcomes leave some
/// out, these are missed.
const EMPTY: u32 = 10;

/// Lessons that are looked at for their language: reading all texts of a large space would take long.
const READ_FOR_LANGUAGE: usize = 500;
/// One letter in so many is beyond ASCII in a text that is taken for another language's: Italian has fewest, one in sixty.
const LETTERS_BEYOND_ASCII: usize = 80;
/// One lesson in so many has to be in another language.
const OTHER_LANGUAGES: usize = 10;

/// Counts the lessons in another language than English, as far as their letters tell, and all that were looked at.
fn in_other_languages(state: &State) -> (usize, usize) {
    let lessons = state.space.lessons().filter(|lesson| !lesson.archived);
    lessons
        .take(READ_FOR_LANGUAGE)
        .fold((0, 0), |(other, all), lesson| {
            let text = &lesson.text;
            let texts = [&text.title, &text.description, &text.recommendation];
            let letters = texts
                .iter()
                .flat_map(|text| text.chars())
                .filter(|c| c.is_alphabetic());
            let (beyond, letters) = letters.fold((0, 0), |(beyond, letters), c| {
                (beyond + usize::from(!c.is_ascii()), letters + 1)
            });
            let is_other = beyond > 0 && beyond * LETTERS_BEYOND_ASCII >= letters;
            (other + usize::from(is_other), all + 1)
        })
}

/// Finds the remedy where all lessons are left out, or where runs stay empty for that.
pub(crate) fn supply_remedy(supply: &Supply, standing: StandingRule) -> Option<String> {
    let is_missed = supply.empty_runs >= EMPTY || supply.left_out == supply.lessons;
    (supply.left_out > 0 && is_missed).then(|| {
        match standing {
            StandingRule::Lift => {
                "Give those that may be right another trial in the review queue (POST /v1/lessons/{slug}/trial). Without it each is tried again once enough time has passed."
            }
            StandingRule::Seeds => {
                "Give those that may be right another trial in the review queue (POST /v1/lessons/{slug}/trial), or set rank.standing to lift, which tries each again by itself."
            }
        }
        .to_owned()
    })
}

/// Reports what stops the loop: every lesson is left out, or places stay empty that were filled before.
pub(crate) fn supply_issue(supply: &Supply) -> Option<HealthIssue> {
    let remedy = supply.remedy.clone()?;
    let (code, message) = if supply.left_out == supply.lessons {
        let message = match supply.lessons {
            1 => {
                "The only lesson is left out for what came of it: agents are given none.".to_owned()
            }
            all => format!(
                "All {all} lessons are left out for what came of them: agents are given none."
            ),
        };
        ("all_left_out", message)
    } else {
        let message = format!(
            "The last {} runs were given no lesson, and earlier ones were; {} of {} lessons are left out for what came of them.",
            supply.empty_runs, supply.left_out, supply.lessons
        );
        ("empty_places", message)
    };
    Some(HealthIssue {
        code: code.to_owned(),
        severity: Severity::Warning,
        message,
        remedy,
    })
}

/// Facts that issues are derived from.
pub(crate) struct Known<'a> {
    pub state: &'a State,
    pub health: &'a Health,
    pub stats: &'a Stats,
    pub sync: &'a SyncStatus,
    /// The store's last failure, while it fails.
    pub trouble: Option<&'a str>,
    /// Events that were left out, in words.
    pub left_out: Option<&'a str>,
    /// True if the loaded model reads English alone.
    pub reads_english_alone: bool,
}

/// Everything that a person should know, the weightiest first.
pub(crate) fn of(known: &Known<'_>) -> Vec<HealthIssue> {
    let Known {
        state,
        health,
        stats,
        ..
    } = known;
    let mut issues = Vec::new();
    let mut say = |code: &str, severity, message: String, remedy: &str| {
        issues.push(HealthIssue {
            code: code.to_owned(),
            severity,
            message,
            remedy: remedy.to_owned(),
        });
    };
    if let Some(trouble) = known.trouble {
        say(
            "store_failing",
            Severity::Error,
            format!("What is recorded can't be stored: {trouble}"),
            "Free some storage or connect to the store again; what waits is stored with the next write.",
        );
    }
    if let Some(left_out) = known.left_out {
        say(
            "events_left_out",
            Severity::Warning,
            left_out.to_owned(),
            "Export the ledger and report it; load the page again if another version is open elsewhere.",
        );
    }
    let stopped = matches!(
        known.sync.phase,
        SyncPhase::Trouble | SyncPhase::SignedOut | SyncPhase::Blocked
    );
    if stopped {
        let message = known.sync.message.clone();
        say(
            "sync_stopped",
            Severity::Warning,
            message.unwrap_or_else(|| "Nothing is exchanged with the server.".to_owned()),
            "See GET /v1/sync, sign in again, and sync.",
        );
    }
    if known.sync.conflicts > 0 || known.sync.set_aside > 0 {
        say(
            "events_set_aside",
            Severity::Warning,
            format!(
                "The server did not take {} edits and {} other events.",
                known.sync.conflicts, known.sync.set_aside
            ),
            "Decide about them in the review queue, or by POST /v1/sync/settle.",
        );
    }
    if let Some(issue) = supply_issue(&health.supply) {
        say(&issue.code, issue.severity, issue.message, &issue.remedy);
    }
    let silent = health.feedback_last_7_days == 0 && health.funnel.outcome == 0;
    let told = silent && stats.total_rated == 0 && stats.total_surfaced >= SHOWN;
    if told {
        say(
            "no_feedback",
            Severity::Warning,
            format!(
                "Lessons were shown {} times, and nothing was reported back.",
                stats.total_surfaced
            ),
            "Post finished sessions to /v1/sessions, outcomes to /v1/outcome, or feedback to /v1/feedback.",
        );
    }
    if let Some(sessions) = health.sessions.as_ref().filter(|_| !told)
        && sessions.silent > 0
    {
        let last = sessions.last_silent.as_deref().unwrap_or_default();
        let most = sessions.silent >= SILENT && sessions.silent * 2 >= sessions.in_last_7_days;
        say(
            "silent_sessions",
            if most {
                Severity::Warning
            } else {
                Severity::Notice
            },
            format!(
                "Of {} sessions in the last 7 days that were given lessons, {} told nothing of what came of them; the last was `{last}`.",
                sessions.in_last_7_days, sessions.silent
            ),
            "Look at it among the runs, and tell its outcome; where hooks should have, see `lessonloop doctor`.",
        );
    }
    if stats.disqualified > 0 {
        say(
            "disqualified",
            Severity::Notice,
            format!(
                "Outcomes keep {} lessons from being recommended.",
                stats.disqualified
            ),
            "Look at them in the review queue.",
        );
    }
    if !stats.pruning.is_empty() {
        say(
            "pruning",
            Severity::Notice,
            format!(
                "{} lessons are candidates for pruning.",
                stats.pruning.len()
            ),
            "Archive them or edit them in the review queue.",
        );
    }
    if state.vectors.is_none() {
        say(
            "no_model",
            Severity::Notice,
            "No model is loaded: lessons are found by their words alone.".to_owned(),
            "Load a model pack to find them by their meaning, too.",
        );
    }
    if known.reads_english_alone
        && let (other @ 1.., all) = in_other_languages(state)
        && other * OTHER_LANGUAGES >= all
    {
        say(
            "other_languages",
            Severity::Notice,
            format!(
                "{other} of {all} lessons that were looked at are not in English, and the model reads English: it misses what they mean."
            ),
            "Choose the multilingual model: in Settings, by `lessonloop model multilingual`, or at the edge by LESSONLOOP_MODEL.",
        );
    }
    issues
}

/// The status that the weightiest issue makes.
pub(crate) fn status(issues: &[HealthIssue]) -> HealthStatus {
    match issues.iter().map(|issue| issue.severity).max() {
        Some(Severity::Error) => HealthStatus::Failing,
        Some(Severity::Warning) => HealthStatus::Degraded,
        Some(Severity::Notice) | None => HealthStatus::Ok,
    }
}
