//! The parameters of the page's address, each decoded once: the router undoes the encoding of its query map twice, so a
//! `%` in one would be lost or become another character.

use crate::format;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// What stands after the `?` of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads it as the browser has it, with its `?` or without.
    pub fn read(search: &str) -> Self {
        let pairs = search.trim_start_matches('?').split('&');
        let pairs = pairs.filter_map(|pair| pair.split_once('='));
        Self(
            pairs
                .map(|(key, value)| (format::decode(key), format::decode(value)))
                .collect(),
        )
    }

    /// The first value under a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut pairs = self.0.iter();
        let (_, value) = pairs.find(|(name, _)| name == key)?;
        Some(value)
    }

    /// The same as text of its own; empty where there is none.
    pub fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default().to_owned()
    }
}

/// The parameters of this page's address, and of those that come after it.
pub fn use_parameters() -> Memo<Parameters> {
    let search = use_location().search;
    Memo::new(move |_| Parameters::read(&search.read()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_decoded_once() {
        for value in [
            "d-1",
            "50%",
            "50%25",
            "50%2F&x=ü?#",
            "a+b c",
            "%",
            "100%zz",
            "",
        ] {
            let search = format!("?q=1&decision={}&w.x=0.5", format::encode(value));
            let read = Parameters::read(&search);
            assert_eq!(read.get("decision"), Some(value), "{search}");
            assert_eq!((read.get("q"), read.get("w.x")), (Some("1"), Some("0.5")));
        }
    }

    #[test]
    fn what_is_not_there_is_nothing() {
        let read = Parameters::read("?a=1&a=2&b&=3");
        assert_eq!((read.get("a"), read.get("b")), (Some("1"), None));
        assert_eq!(read.text("c"), "");
        assert_eq!(Parameters::read(""), Parameters::default());
        assert_eq!(Parameters::read("?q=a+b").get("q"), Some("a b"));
    }
}
