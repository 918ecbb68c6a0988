//! Who did something, as people read it.

use crate::markdown::visible;

/// Who stands behind an event, by its `by`; `None` where the ledger does not say.
pub fn name(by: &str) -> Option<String> {
    if by.is_empty() {
        return None;
    }
    Some(match by.split_once(':') {
        None if by == "local" => "you".to_owned(),
        Some(("agent", key)) => format!("agent key {}", visible(short(key))),
        // Which account is signed in here is not known by its id.
        Some(("person", account)) => format!("person {}", visible(short(account))),
        _ => visible(short(by)),
    })
}

/// Who did it; where that is not known, the device that it was done on.
pub fn or_device(by: &str, actor: &str) -> Option<String> {
    name(by).or_else(|| (!actor.is_empty()).then(|| format!("device {}", visible(short(actor)))))
}

/// An id of 36 characters says little: its last part is enough to tell two apart. A name stays as it is.
fn short(id: &str) -> &str {
    let is_id = id.len() == 36 && id.bytes().filter(|byte| *byte == b'-').count() == 4;
    match id.rsplit_once('-') {
        Some((_, last)) if is_id => last,
        _ => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01a2012d-d092-763a-ba5f-a767f515c648";

    #[test]
    fn an_id_is_shortened_and_a_name_is_not() {
        assert_eq!(short(ID), "a767f515c648");
        assert_eq!(short("agent-7"), "agent-7");
    }

    #[test]
    fn people_and_agents_are_told_apart() {
        let name = |by: &str| name(by).unwrap_or_default();
        assert_eq!(name(""), "");
        assert_eq!(name("local"), "you");
        assert_eq!(name(&format!("agent:{ID}")), "agent key a767f515c648");
        assert_eq!(name(&format!("person:{ID}")), "person a767f515c648");
        assert_eq!(name("agent:ci"), "agent key ci");
        assert_eq!(name("something else"), "something else");
    }

    #[test]
    fn an_event_of_an_older_version_names_its_device() {
        assert_eq!(or_device("local", ID).as_deref(), Some("you"));
        assert_eq!(or_device("", ID).as_deref(), Some("device a767f515c648"));
        assert_eq!(or_device("", ""), None);
    }
}
