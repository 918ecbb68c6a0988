//! The names of those who did something, as people read them.

use crate::markdown::visible;
use crate::sync::stage::Stage;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use lesson_types::{AgentKeys, Members};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the space's people and agents by their `by`, provided as a context; empty while no server is connected.
#[derive(Clone, Copy)]
pub struct Names {
    known: RwSignal<BTreeMap<String, String>>,
    /// Those that were met and are not known; each new one has the names asked for again.
    pub unknown: RwSignal<BTreeSet<String>>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            known: RwSignal::new(BTreeMap::new()),
            unknown: RwSignal::new(BTreeSet::new()),
        }
    }
}

impl Names {
    /// The name of a `by`, if it is known. One that is new here may be that of an agent whose key was just made.
    fn find(self, by: &str) -> Option<String> {
        let found = self.known.with(|names| names.get(by).cloned());
        let is_new = found.is_none()
            && by.contains(':')
            && self
                .unknown
                .try_update_untracked(|unknown| unknown.insert(by.to_owned()))
                == Some(true);
        if is_new {
            // Not while something is drawn.
            let unknown = self.unknown;
            Timeout::new(0, move || {
                unknown.try_update(|_| ());
            })
            .forget();
        }
        found
    }

    /// Takes the names out of what the server told.
    pub fn take(self, members: Option<Members>, keys: Option<AgentKeys>) {
        let people = members.map(|told| told.members).unwrap_or_default();
        let people = people.into_iter().filter_map(|member| {
            let name = member.name.or(member.email)?;
            Some((format!("person:{}", member.id), name))
        });
        let keys = keys.map(|told| told.keys).unwrap_or_default();
        let agents = keys
            .into_iter()
            .map(|key| (format!("agent:{}", key.id), key.name));
        let names: BTreeMap<_, _> = people.chain(agents).collect();
        if self.known.with_untracked(|now| *now != names) {
            self.known.set(names);
        }
    }
}

/// The `by` of who uses a device that nobody has signed in to.
const LOCAL: &str = "local";

/// The `by` of this browser's person: as they are signed in, or as one who never was; `None` before that is known.
pub fn me(stage: &Stage, account: &str) -> Option<String> {
    match stage {
        Stage::Off => Some(LOCAL.to_owned()),
        Stage::On if !account.is_empty() => Some(format!("person:{account}")),
        _ => None,
    }
}

/// Names the one behind an event, by its `by`, for a reader whose own is `me`; `None` where the ledger does not say.
pub fn name(by: &str, me: Option<&str>) -> Option<String> {
    if by.is_empty() {
        return None;
    }
    if by == LOCAL || me == Some(by) {
        return Some("you".to_owned());
    }
    let known = use_context::<Names>().and_then(|names| names.find(by));
    if let Some(known) = known {
        return Some(visible(&known));
    }
    Some(match by.split_once(':') {
        Some(("agent", key)) => format!("agent {}", visible(short(key))),
        // Names stand alone, except one that could pass for the reader.
        Some(("person", account)) if !is_id(account) && !matches!(account, "" | "you") => {
            visible(account)
        }
        Some(("person", account)) => format!("person {}", visible(short(account))),
        _ => visible(short(by)),
    })
}

/// Names the one who did it; where that is not known, the device that it was done on.
pub fn or_device(by: &str, me: Option<&str>, actor: &str) -> Option<String> {
    name(by, me)
        .or_else(|| (!actor.is_empty()).then(|| format!("device {}", visible(short(actor)))))
}

/// An id of 36 characters says little: its last part is enough to tell two apart. A name stays as it is.
fn short(id: &str) -> &str {
    match id.rsplit_once('-') {
        Some((_, last)) if is_id(id) => last,
        _ => id,
    }
}

fn is_id(id: &str) -> bool {
    id.len() == 36 && id.bytes().filter(|byte| *byte == b'-').count() == 4
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const ID: &str = "01a2012d-d092-763a-ba5f-a767f515c648";

    #[test]
    fn an_id_is_shortened_and_a_name_is_not() {
        assert_eq!(short(ID), "a767f515c648");
        assert_eq!(short("agent-7"), "agent-7");
    }

    #[test]
    fn people_and_agents_are_told_apart() {
        let name = |by: &str| name(by, None).unwrap_or_default();
        assert_eq!(name(""), "");
        assert_eq!(name("local"), "you");
        assert_eq!(name(&format!("agent:{ID}")), "agent a767f515c648");
        assert_eq!(name(&format!("person:{ID}")), "person a767f515c648");
        assert_eq!(name("agent:ci"), "agent ci");
        assert_eq!(name("person:Maya"), "Maya");
        assert_eq!(name("person:you"), "person you");
        assert_eq!(name("something else"), "something else");
    }

    #[test]
    fn who_is_signed_in_is_you_and_nobody_else_is() {
        let own = format!("person:{ID}");
        let me = me(&Stage::On, ID);
        assert_eq!(me.as_deref(), Some(&*own));
        let name = |by: &str| name(by, me.as_deref()).unwrap_or_default();
        assert_eq!(name(&own), "you");
        assert_eq!(name("local"), "you", "before signing in");
        assert_eq!(name(&format!("agent:{ID}")), "agent a767f515c648");
        assert_eq!(
            name("person:01a2012d-d092-763a-ba5f-000000000000"),
            "person 000000000000"
        );
        assert_eq!(name(""), "");
    }

    #[test]
    fn nobody_is_taken_for_the_reader_before_that_is_known() {
        assert_eq!(me(&Stage::Off, "").as_deref(), Some("local"));
        assert_eq!(me(&Stage::Unknown, ""), None);
        assert_eq!(me(&Stage::On, ""), None);
        assert_eq!(name("person:", None).as_deref(), Some("person "));
    }

    #[test]
    fn an_event_of_an_older_version_names_its_device() {
        assert_eq!(or_device("local", None, ID).as_deref(), Some("you"));
        assert_eq!(
            or_device("", None, ID).as_deref(),
            Some("device a767f515c648")
        );
        assert_eq!(or_device("", None, ""), None);
    }
}
