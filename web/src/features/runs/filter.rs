//! The search for runs, as it stands in the page's address and in the request.

use crate::day;
use crate::parameters::{self, Parameters};

/// The filters; an empty word means no limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// The outcome of the run.
    pub outcome: String,
    /// Its field.
    pub domain: String,
    /// The slug of a lesson that was recommended.
    pub lesson: String,
    /// The asker, by their `by`.
    pub by: String,
    /// Text that is found in the words of the task.
    pub q: String,
    /// The first day, such as `2026-11-22`, in UTC.
    pub from: String,
    /// The last day.
    pub to: String,
    /// The key that the list is sorted by: a word of [`super::sorting::Key`].
    pub sort: String,
    /// `true` turns the order round.
    pub reverse: String,
}

impl Filter {
    /// Reads the query of the page's address.
    pub fn read(query: &Parameters) -> Self {
        Self {
            outcome: query.text("outcome"),
            domain: query.text("domain"),
            lesson: query.text("lesson"),
            by: query.text("by"),
            q: query.text("q"),
            from: query.text("from"),
            to: query.text("to"),
            sort: query.text("sort"),
            reverse: query.text("reverse"),
        }
    }

    /// True if the order is turned round.
    pub fn is_reversed(&self) -> bool {
        self.reverse == "true"
    }

    /// The same in the order that runs come in.
    fn unsorted(&self) -> Self {
        Self {
            sort: String::new(),
            reverse: String::new(),
            ..self.clone()
        }
    }

    /// True if the same runs fit both.
    pub fn same_runs(&self, other: &Self) -> bool {
        self.unsorted() == other.unsorted()
    }

    /// True if nothing limits the list, whatever its order.
    pub fn is_plain(&self) -> bool {
        self.same_runs(&Self::default())
    }

    /// Returns the limits of the list beside the search: the parameter's name, and the limit in words. `agent` names an asker.
    pub fn facets(&self, agent: impl Fn(&str) -> String) -> Vec<(&'static str, String)> {
        [
            (
                "outcome",
                format!("Outcome: {}", self.outcome),
                &self.outcome,
            ),
            ("by", format!("Agent: {}", agent(&self.by)), &self.by),
            ("domain", format!("Domain: {}", self.domain), &self.domain),
            ("lesson", format!("Lesson: {}", self.lesson), &self.lesson),
            ("from", format!("From {}", self.from), &self.from),
            ("to", format!("To {}", self.to), &self.to),
        ]
        .into_iter()
        .filter(|(_, _, word)| !word.is_empty())
        .map(|(name, label, _)| (name, label))
        .collect()
    }

    /// Takes one of the limits off.
    pub fn without(mut self, name: &str) -> Self {
        match name {
            "outcome" => self.outcome.clear(),
            "by" => self.by.clear(),
            "domain" => self.domain.clear(),
            "lesson" => self.lesson.clear(),
            "from" => self.from.clear(),
            "to" => self.to.clear(),
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
        let order = [("sort", &*self.sort), ("reverse", &self.reverse)];
        let pairs = self.pairs(&self.from, &self.to).into_iter().chain(order);
        parameters::address("/runs", &parameters::query(pairs))
    }

    /// The request for `limit` runs, from a cursor on.
    pub fn request(&self, limit: usize, cursor: Option<&str>) -> String {
        // Text that is no day is left to the engine, which says so.
        let begin = |day: &str| match day.trim() {
            "" => String::new(),
            day => format!("{day}T00:00:00Z"),
        };
        let end = day::number(self.to.trim())
            .map_or_else(|| self.to.clone(), |last| day::named(last + 1));
        let (from, to, limit) = (begin(&self.from), begin(&end), limit.to_string());
        let part = [("limit", &*limit), ("cursor", cursor.unwrap_or_default())];
        let pairs = self.pairs(&from, &to).into_iter().chain(part);
        parameters::address("/v1/decisions", &parameters::query(pairs))
    }

    fn pairs<'a>(&'a self, from: &'a str, to: &'a str) -> [(&'a str, &'a str); 7] {
        [
            ("outcome", &*self.outcome),
            ("domain", &self.domain),
            ("lesson", &self.lesson),
            ("by", &self.by),
            ("q", &self.q),
            ("from", from),
            ("to", to),
        ]
        .map(|(key, word)| (key, word.trim()))
    }
}

/// The run that the query of an address names.
pub fn chosen(query: &Parameters) -> Option<String> {
    let run = query.get("run").filter(|run| !run.is_empty());
    run.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_filter_becomes_an_address_and_a_request_and_is_read_back() {
        let filter = Filter {
            outcome: "success".into(),
            domain: "a & b".into(),
            ..Filter::default()
        };
        assert_eq!(filter.address(), "/runs?outcome=success&domain=a%20%26%20b");
        assert_eq!(
            filter.request(25, Some("17.d/1")),
            "/v1/decisions?outcome=success&domain=a%20%26%20b&limit=25&cursor=17.d%2F1"
        );
        assert_eq!(
            Filter::read(&Parameters::read("?outcome=success&domain=a%20%26%20b&w=1")),
            filter
        );
        let filter = Filter {
            by: "agent:k 1".into(),
            ..Filter::default()
        };
        assert_eq!(filter.address(), "/runs?by=agent%3Ak%201");
        let filter = Filter {
            q: "50% off".into(),
            from: "2026-11-01".into(),
            to: "2026-11-30".into(),
            ..Filter::default()
        };
        assert_eq!(
            filter.address(),
            "/runs?q=50%25%20off&from=2026-11-01&to=2026-11-30"
        );
        // The last day is within.
        assert_eq!(
            filter.request(25, None),
            "/v1/decisions?q=50%25%20off&from=2026-11-01T00%3A00%3A00Z&to=2026-12-01T00%3A00%3A00Z&limit=25"
        );
        assert_eq!(
            Filter::read(&Parameters::read(
                "?q=50%25%20off&from=2026-11-01&to=2026-11-30"
            )),
            filter
        );
        assert_eq!(Filter::default().address(), "/runs");
        assert_eq!(
            Filter::default().request(25, None),
            "/v1/decisions?limit=25"
        );
    }

    #[test]
    fn an_order_is_in_the_address_and_limits_nothing() {
        let mut filter = Filter {
            by: "agent:ci".into(),
            ..Filter::default()
        };
        for address in [
            "/runs?by=agent%3Aci&sort=tokens",
            "/runs?by=agent%3Aci&sort=tokens&reverse=true",
            "/runs?by=agent%3Aci",
        ] {
            let before = filter.clone();
            filter = filter.sorted_by("tokens");
            assert_eq!(filter.address(), address);
            assert!(filter.same_runs(&before) && !filter.is_plain());
            let search = address.split_once('?').map_or("", |(_, search)| search);
            assert_eq!(Filter::read(&Parameters::read(search)), filter);
            assert!(!filter.request(25, None).contains("sort"));
        }
        let named = filter.facets(|by| by.replace("agent:", "the "));
        assert_eq!(named, [("by", "Agent: the ci".to_owned())]);
        assert_eq!(filter.without("by"), Filter::default());
    }

    #[test]
    fn an_address_names_a_run_whatever_its_id() {
        let chosen = |search: &str| chosen(&Parameters::read(search));
        assert_eq!(chosen(""), None);
        assert_eq!(chosen("run="), None);
        assert_eq!(chosen("outcome=pending"), None);
        for id in ["d-1", "key/run.1", "50%2F", "a&b=c?d#e", "ü ß"] {
            let address = super::super::address(id);
            let search = address.split_once('?').map(|(_, search)| search);
            assert_eq!(chosen(search.unwrap_or_default()).as_deref(), Some(id));
        }
    }
}
