//! The parameters of the page's address, each decoded once: the router undoes the encoding of its query map twice, so a
//! `%` in one would be lost or become another character.

use crate::format;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

/// Leads to an address in place of the one that the page has, and leaves the page where it is scrolled to.
pub fn use_replace() -> impl Fn(&str) + Clone + 'static {
    let navigate = use_navigate();
    move |address: &str| {
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            ..NavigateOptions::default()
        };
        navigate(address, options);
    }
}

/// The query of an address; pairs without a value are left out.
pub fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    let pairs =
        pairs.map(|(key, value)| format!("{}={}", format::encode(key), format::encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// An address with its query, if it has one.
pub fn address(path: &str, query: &str) -> String {
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{path}{mark}{query}")
}

/// Turns an order, `sort` and whether it is `reverse`, by a press on a column's name: by it, then the other way round, then
/// as it was.
pub fn turned(sort: &str, reverse: &str, pressed: &str) -> (String, String) {
    let (sort, reverse) = match (sort == pressed, reverse == "true") {
        (false, _) => (pressed, ""),
        (true, false) => (pressed, "true"),
        (true, true) => ("", ""),
    };
    (sort.to_owned(), reverse.to_owned())
}

/// The parameters after the `?` of an address.
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

    /// As the query of an address, with another value under a key; an empty one takes the key out.
    pub fn with(&self, key: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(name, _)| name != key);
        let others = others.map(|(name, value)| (name.as_str(), value.as_str()));
        query(others.chain([(key, value)]))
    }

    /// As the query of an address, by key and without those of `leave`: two addresses of one list are equal in it.
    pub fn normal(&self, leave: &[&str]) -> String {
        let pairs = self.0.iter().map(|(name, value)| (&**name, &**value));
        let mut pairs: Vec<_> = pairs.filter(|(name, _)| !leave.contains(name)).collect();
        pairs.sort_unstable();
        query(pairs)
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

/// A choice that stands in the page's address under `key`, so that a link, a reload and going back find it again. `read`
/// makes it of the address' word, `word` the other way round; the choice of an empty word is the one that is not named.
pub fn in_address<T>(
    key: &'static str,
    read: impl Fn(&str) -> T + 'static,
    word: impl Fn(&T) -> String + 'static,
) -> RwSignal<T>
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let parameters = use_parameters();
    let path = use_location().pathname;
    let own = path.get_untracked();
    let choice = RwSignal::new(read(&parameters.read_untracked().text(key)));
    // Going back, or a link, may name another one.
    Effect::new(move |_| {
        let named = read(&parameters.read().text(key));
        let here = path.get_untracked() == own;
        if here && choice.with_untracked(|choice| *choice != named) {
            choice.set(named);
        }
    });
    let replace = use_replace();
    Effect::new(move |before: Option<String>| {
        let now = choice.with(&word);
        let named = parameters.with_untracked(|parameters| parameters.text(key));
        if before.is_some_and(|before| before != now) && named != now {
            let query = parameters.with_untracked(|parameters| parameters.with(key, &now));
            replace(&address(&path.read_untracked(), &query));
        }
        now
    });
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

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
    fn one_value_is_put_in_and_the_others_stay() {
        let read = Parameters::read("?q=a%26b&range=7&by=agent");
        assert_eq!(read.with("range", "30"), "q=a%26b&by=agent&range=30");
        assert_eq!(read.with("by", ""), "q=a%26b&range=7");
        assert_eq!(Parameters::default().with("range", ""), "");
        let again = read.with("sort", "last run.up");
        assert_eq!(Parameters::read(&again).text("sort"), "last run.up");
    }

    #[test]
    fn one_list_has_one_normal_address() {
        let normal = |search: &str| Parameters::read(search).normal(&["run"]);
        assert_eq!(normal("?q=a%26b&by=x&run=1&to="), "by=x&q=a%26b");
        assert_eq!(normal("?by=x&q=a%26b"), normal("?q=a%26b&by=x"));
        assert_eq!(normal("?run=1"), "");
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
