//! Recognition of a repeated request: hashes of who asks, of their key, and of what they ask.

use lesson_sync::uuid8;
use lesson_types::Request;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// A request that may come again elsewhere.
#[derive(Clone)]
pub struct Keyed {
    /// A hash of who asks and of their key: what ids of events are made of.
    seed: [u8; 32],
    /// A hash of what they ask.
    print: [u8; 32],
}

impl Keyed {
    /// A request of `asker`'s with this key.
    pub fn new(asker: &str, key: &str, request: &Request) -> Self {
        Self {
            seed: digest(&[asker.as_bytes(), key.as_bytes()]),
            print: fingerprint(request),
        }
    }

    /// The key under which this process knows the request again.
    pub fn key(&self) -> String {
        hex::encode(self.seed)
    }

    /// The hash of what is asked.
    pub fn print(&self) -> [u8; 32] {
        self.print
    }

    /// The same in hex, as it stands in events.
    pub fn request(&self) -> String {
        hex::encode(self.print)
    }

    /// The id of the request's event at `place`: the same wherever it is made.
    pub(crate) fn event_id(&self, place: usize) -> String {
        let hash = digest(&[&self.seed, &(place as u64).to_le_bytes()]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        uuid8(u128::from_be_bytes(bytes))
    }
}

/// A hash of a request's method, path and body, whatever the order of its fields.
pub fn fingerprint(request: &Request) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut text = format!("{:?}\n{}\n", request.method, request.path);
    canonical(&request.body, &mut text);
    hasher.update(text);
    hasher.finalize().into()
}

/// JSON with its fields in the order of their names.
fn canonical(value: &Value, to: &mut String) {
    match value {
        Value::Array(items) => {
            to.push('[');
            for item in items {
                canonical(item, to);
                to.push(',');
            }
            to.push(']');
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            to.push('{');
            for name in names {
                // Writing to a String can't fail.
                let _ = write!(to, "{}:", Value::from(name.as_str()));
                canonical(&fields[name], to);
                to.push(',');
            }
            to.push('}');
        }
        plain => {
            let _ = write!(to, "{plain}");
        }
    }
}

/// A hash of parts, each with its length, so that no two lists of parts are the same bytes.
pub fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lesson_types::Method;
    use serde_json::json;
    use std::collections::BTreeMap;

    fn asked(body: Value) -> Request {
        Request {
            method: Method::Post,
            path: "/v1/rate".to_owned(),
            headers: BTreeMap::new(),
            body,
        }
    }

    #[test]
    fn a_fingerprint_is_of_what_is_asked() {
        let of = |body| fingerprint(&asked(body));
        let one = of(json!({ "lesson": "a", "helpful": true }));
        let text = r#"{"helpful":true,"lesson":"a"}"#;
        assert_eq!(one, of(serde_json::from_str(text).unwrap()));
        for other in [
            json!({ "lesson": "a", "helpful": false }),
            json!({ "lesson": "a,\"helpful\":true", "helpful": true }),
            json!(["a", true]),
            json!(null),
        ] {
            assert_ne!(one, of(other.clone()), "{other}");
        }
    }

    #[test]
    fn ids_differ_by_asker_key_and_place_and_not_by_what_is_asked() {
        let id = |asker, key, body, place| Keyed::new(asker, key, &asked(body)).event_id(place);
        let one = id("a", "k", json!(1), 0);
        assert_eq!(one, id("a", "k", json!(2), 0));
        for other in [
            id("b", "k", json!(1), 0),
            id("a", "l", json!(1), 0),
            id("a", "k", json!(1), 1),
            id("ak", "", json!(1), 0),
        ] {
            assert_ne!(one, other);
        }
    }
}
