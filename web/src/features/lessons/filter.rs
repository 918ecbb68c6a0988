//! The search with its facets and its order, as it stands in the page's address and in the request.

use crate::format;
use crate::parameters::{self, Parameters};
use crate::who;

/// The address of the list.
pub const LIST: &str = "/lessons";

/// The search and its facets; an empty word means no limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Free text.
    pub q: String,
    /// A category.
    pub category: String,
    /// A trust.
    pub trust: String,
    /// A badge.
    pub badge: String,
    /// A domain.
    pub domain: String,
    /// The voice that added them.
    pub by: String,
    /// Where they come from, as their writer says.
    pub source: String,
    /// `true` for archived lessons.
    pub archived: String,
    /// An order.
    pub sort: String,
    /// `true` turns the order round.
    pub reverse: String,
}

impl Filter {
    /// Reads the page's address.
    pub fn read(query: &Parameters) -> Self {
        let word = |key| query.text(key);
        Self {
            q: word("q"),
            category: word("category"),
            trust: word("trust"),
            badge: word("badge"),
            domain: word("domain"),
            by: word("by"),
            source: word("source"),
            archived: word("archived"),
            sort: word("sort"),
            reverse: word("reverse"),
        }
    }

    /// True if nothing limits the list, whatever its order.
    pub fn is_plain(&self) -> bool {
        Self {
            sort: String::new(),
            reverse: String::new(),
            ..self.clone()
        } == Self::default()
    }

    /// Returns the limits of the list beside the search: the parameter's name, and the limit in words.
    pub fn facets(&self) -> Vec<(&'static str, String)> {
        let named =
            |name: &str, word: &str| format!("{name}: {}", format::lower(&format::spaced(word)));
        [
            (
                "category",
                named("Category", &self.category),
                &self.category,
            ),
            ("trust", named("Trust", &self.trust), &self.trust),
            (
                "badge",
                format!("Use: {}", format::lower(use_in_words(&self.badge))),
                &self.badge,
            ),
            ("domain", format!("Domain: {}", self.domain), &self.domain),
            (
                "by",
                format!("By: {}", who::name(&self.by, None).unwrap_or_default()),
                &self.by,
            ),
            ("source", format!("Source: {}", self.source), &self.source),
            ("archived", "Archived".to_owned(), &self.archived),
        ]
        .into_iter()
        .filter(|(_, _, word)| !word.is_empty())
        .map(|(name, label, _)| (name, label))
        .collect()
    }

    /// Takes one of the limits off.
    pub fn without(mut self, name: &str) -> Self {
        match name {
            "category" => self.category.clear(),
            "trust" => self.trust.clear(),
            "badge" => self.badge.clear(),
            "domain" => self.domain.clear(),
            "by" => self.by.clear(),
            "source" => self.source.clear(),
            "archived" => self.archived.clear(),
            _ => {}
        }
        self
    }

    /// Changes the order as a press on a column's name does: by it, then the other way round, then as it was.
    pub fn sorted_by(mut self, sort: &str) -> Self {
        (self.sort, self.reverse) = parameters::turned(&self.sort, &self.reverse, sort);
        self
    }

    /// The page's address.
    pub fn address(&self) -> String {
        parameters::address(LIST, &parameters::query(self.pairs()))
    }

    /// The request for `limit` lessons of the list, from the place `offset` on.
    pub fn request(&self, limit: u32, offset: u32) -> String {
        let limit = limit.to_string();
        let offset = (offset > 0).then(|| offset.to_string());
        let part = [
            ("courses", "true"),
            ("limit", &limit),
            ("offset", offset.as_deref().unwrap_or_default()),
        ];
        let pairs = self.pairs().into_iter().chain(part);
        parameters::address("/v1/lessons", &parameters::query(pairs))
    }

    fn pairs(&self) -> [(&str, &str); 10] {
        [
            ("q", self.q.trim()),
            ("category", &self.category),
            ("trust", &self.trust),
            ("badge", &self.badge),
            ("domain", &self.domain),
            ("by", &self.by),
            ("source", &self.source),
            ("archived", &self.archived),
            ("sort", &self.sort),
            ("reverse", &self.reverse),
        ]
    }
}

/// Options of a facet: one for no limit, then each word.
pub fn facet_words<'a>(none: &str, words: impl Iterator<Item = &'a str>) -> Vec<(String, String)> {
    let first = (String::new(), none.to_owned());
    std::iter::once(first)
        .chain(words.map(|word| (word.to_owned(), format::spaced(word))))
        .collect()
}

/// A badge in words.
pub fn use_in_words(badge: &str) -> &str {
    match badge {
        "proven" => "Proven",
        "testing" => "Applied, not proven",
        "new" => "Not applied yet",
        other => other,
    }
}

/// The orders of the list.
pub fn orders() -> Vec<(String, String)> {
    [
        ("", "Best match"),
        ("updated", "Last changed"),
        ("created", "Last added"),
        ("title", "Title"),
        ("lift", "Lift"),
        ("score", "Causal score"),
        ("success", "Success rate"),
        ("applied", "Most used"),
        ("last_used", "Last used"),
        ("standout", "Status"),
        ("trend", "Rising success"),
        ("surfaced", "Most shown"),
        ("confidence", "Confidence"),
    ]
    .map(|(word, label)| (word.to_owned(), label.to_owned()))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_filter_becomes_an_address_and_a_request() {
        let filter = Filter {
            q: " sql & rls ".into(),
            trust: "approved".into(),
            ..Filter::default()
        };
        assert_eq!(
            filter.address(),
            "/lessons?q=sql%20%26%20rls&trust=approved"
        );
        assert_eq!(
            filter.request(50, 100),
            "/v1/lessons?q=sql%20%26%20rls&trust=approved&courses=true&limit=50&offset=100"
        );
        assert_eq!(Filter::default().address(), "/lessons");
        assert_eq!(
            Filter::default().request(50, 0),
            "/v1/lessons?courses=true&limit=50"
        );
    }

    #[test]
    fn an_address_is_read_back_whatever_was_searched_for() {
        for q in ["50% off", "a%20b", "x&y=z", "1+1"] {
            let filter = Filter {
                q: q.into(),
                ..Filter::default()
            };
            let address = filter.address();
            assert_eq!(
                Filter::read(&Parameters::read(&address[LIST.len()..])),
                filter
            );
        }
    }

    #[test]
    fn an_order_does_not_limit() {
        let filter = Filter {
            sort: "title".into(),
            badge: "new".into(),
            ..Filter::default()
        };
        assert_eq!(
            filter.facets(),
            [("badge", "Use: not applied yet".to_owned())]
        );
        assert_eq!(filter.without("badge").facets(), []);
        let order = |filter: &Filter| (filter.sort.clone(), filter.reverse.clone());
        let mut filter = Filter::default();
        for expected in [("title", ""), ("title", "true"), ("", "")] {
            filter = filter.sorted_by("title");
            assert_eq!(
                order(&filter),
                (expected.0.to_owned(), expected.1.to_owned())
            );
        }
        assert!(
            Filter {
                sort: "title".into(),
                ..Filter::default()
            }
            .is_plain()
        );
        assert!(
            !Filter {
                q: "x".into(),
                ..Filter::default()
            }
            .is_plain()
        );
    }
}
