//! The name of a voice, as requests give it.

/// A voice as it stands in events; a bare id is that of an agent's key.
pub(crate) fn voice_of(id: &str) -> String {
    if id.contains(':') || id == "local" {
        id.to_owned()
    } else {
        format!("agent:{id}")
    }
}
