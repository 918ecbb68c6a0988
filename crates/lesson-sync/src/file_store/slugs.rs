//! Two clones that both added a lesson of the same name: the later one is kept under a name of its own.
//!
//! The fold refuses a second `LessonAdded` of a slug, and its text would be lost. Here it comes as an unreviewed lesson
//! whose slug is made of its own and the event's id, so every clone gives it the same one, and it waits in Review beside
//! the lesson that it resembles. One with the same text, such as a sample that both loaded, is left out: it is there.

use super::names::sha256;
use lesson_core::{Event, EventKind, Lesson, Trust};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Digits of the event's id in the other name.
const DIGITS: usize = 8;
/// The longest slug.
const LONGEST: usize = 128;

/// The slugs that were added, with the beginning of the hash of their texts then.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Slugs(BTreeMap<String, String>);

impl Slugs {
    /// Notes what an event adds; gives it back as the fold is to see it, or `None` where its effect is there already.
    pub fn admit(&mut self, event: Event) -> Option<Event> {
        let Event {
            event: EventKind::LessonAdded { lesson },
            ..
        } = &event
        else {
            return Some(event);
        };
        let hash = lesson.text.content_hash().chars().take(16).collect();
        match self.0.get(&lesson.slug) {
            None => {
                self.0.insert(lesson.slug.clone(), hash);
                Some(event)
            }
            Some(held) if *held == hash => None,
            Some(_) => {
                let other = other(&lesson.slug, &event.op_id);
                let lesson = Lesson {
                    slug: other.clone(),
                    trust: match lesson.trust {
                        Trust::Quarantined => Trust::Quarantined,
                        Trust::Approved | Trust::Unreviewed => Trust::Unreviewed,
                    },
                    ..(**lesson).clone()
                };
                self.0.insert(other, hash);
                Some(Event {
                    event: EventKind::LessonAdded {
                        lesson: Box::new(lesson),
                    },
                    ..event
                })
            }
        }
    }
}

/// The name of the later one.
fn other(slug: &str, op_id: &str) -> String {
    let hash = sha256(op_id.as_bytes());
    let mut kept = slug
        .get(..slug.floor_char_boundary(LONGEST - DIGITS - 1))
        .unwrap_or_default();
    kept = kept.trim_end_matches('-');
    format!("{kept}-{}", hash.get(..DIGITS).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lesson_core::Text;

    fn added(op_id: &str, slug: &str, title: &str) -> Event {
        let text = Text {
            title: title.to_owned(),
            ..Text::default()
        };
        let lesson = Lesson {
            trust: Trust::Approved,
            ..Lesson::new(slug, text, "manual", 1)
        };
        Event {
            op_id: op_id.to_owned(),
            actor: "a".to_owned(),
            seq: 1,
            at: 1,
            by: "local".to_owned(),
            request: None,
            event: EventKind::LessonAdded {
                lesson: Box::new(lesson),
            },
        }
    }

    fn slug(event: &Event) -> (&str, Trust) {
        match &event.event {
            EventKind::LessonAdded { lesson } => (&lesson.slug, lesson.trust),
            _ => ("", Trust::Approved),
        }
    }

    #[test]
    fn the_later_of_two_gets_a_name_of_its_own() {
        let mut slugs = Slugs::default();
        let first = slugs.admit(added("1", "x", "One")).unwrap();
        assert_eq!(slug(&first), ("x", Trust::Approved));
        assert_eq!(slugs.admit(added("2", "x", "One")), None);
        let later = slugs.admit(added("3", "x", "Two")).unwrap();
        let (name, trust) = slug(&later);
        assert!(name.starts_with("x-") && name.len() == 10, "{name}");
        assert!(lesson_core::is_slug(name));
        assert_eq!(trust, Trust::Unreviewed);
        let long = "y".repeat(LONGEST);
        slugs.admit(added("4", &long, "One")).unwrap();
        let later = slugs.admit(added("5", &long, "Two")).unwrap();
        assert!(lesson_core::is_slug(slug(&later).0));
    }
}
