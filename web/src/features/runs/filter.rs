//! Which runs are looked for, as it stands in the page's address and in the request.

use crate::day;
use crate::format;
use crate::parameters::Parameters;

/// The filters; an empty word means no limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// What came of it.
    pub outcome: String,
    /// Its field.
    pub domain: String,
    /// The slug of a lesson that was recommended.
    pub lesson: String,
    /// Who asked, by their `by`.
    pub by: String,
    /// What the task has in its words.
    pub q: String,
    /// The first day, such as `2026-11-22`, in UTC.
    pub from: String,
    /// The last day.
    pub to: String,
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
        }
    }

    /// The page's address.
    pub fn address(&self) -> String {
        let query = self.query(&self.from, &self.to);
        if query.is_empty() {
            "/runs".to_owned()
        } else {
            format!("/runs?{query}")
        }
    }

    /// The request for `limit` runs, from a cursor on.
    pub fn request(&self, limit: usize, cursor: Option<&str>) -> String {
        // What is no day is left to the engine, which says so.
        let begin = |day: &str| match day.trim() {
            "" => String::new(),
            day => format!("{day}T00:00:00Z"),
        };
        let end = day::number(self.to.trim())
            .map_or_else(|| self.to.clone(), |last| day::named(last + 1));
        let mut query = self.query(&begin(&self.from), &begin(&end));
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&format!("limit={limit}"));
        if let Some(cursor) = cursor {
            query.push_str(&format!("&cursor={}", format::encode(cursor)));
        }
        format!("/v1/decisions?{query}")
    }

    fn query(&self, from: &str, to: &str) -> String {
        let parts = [
            ("outcome", &*self.outcome),
            ("domain", &self.domain),
            ("lesson", &self.lesson),
            ("by", &self.by),
            ("q", &self.q),
            ("from", from),
            ("to", to),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .map(|(key, word)| (key, word.trim()))
            .filter(|(_, word)| !word.is_empty())
            .map(|(key, word)| format!("{key}={}", format::encode(word)))
            .collect();
        parts.join("&")
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
