//! The choice of the queue's lessons to look at, as it stands in the page's address and in the request.

use crate::parameters::{self, Parameters};

/// The filters; an empty word means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewFilter {
    /// A reason's word.
    pub reason: String,
    /// Text that the title or the slug contains.
    pub q: String,
}

impl ReviewFilter {
    /// Reads the query of the page's address.
    pub fn read(query: &Parameters) -> Self {
        Self {
            reason: query.text("reason"),
            q: query.text("q"),
        }
    }

    /// True if nothing limits the queue.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The page's address, with this item in front.
    pub fn address(&self, item: &str) -> String {
        parameters::address("/review", &self.query(("item", item)))
    }

    /// The request for so many lessons.
    pub(super) fn request(&self, limit: u32) -> String {
        format!("/v1/review?{}", self.query(("limit", &limit.to_string())))
    }

    fn query(&self, last: (&str, &str)) -> String {
        parameters::query([("reason", &*self.reason), ("q", self.q.trim()), last])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_filter_becomes_an_address_and_a_request_and_is_read_back() {
        let filter = ReviewFilter {
            reason: "near_duplicate".into(),
            q: "a & b".into(),
        };
        assert_eq!(
            filter.address("x-y"),
            "/review?reason=near_duplicate&q=a%20%26%20b&item=x-y"
        );
        assert_eq!(
            filter.request(100),
            "/v1/review?reason=near_duplicate&q=a%20%26%20b&limit=100"
        );
        let search = "?reason=near_duplicate&q=a%20%26%20b&item=x-y";
        assert_eq!(ReviewFilter::read(&Parameters::read(search)), filter);
        assert_eq!(ReviewFilter::default().address(""), "/review");
    }
}
