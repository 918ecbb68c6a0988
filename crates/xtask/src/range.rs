//! Which part of a file a request asks for: all of it, a range, or nothing that it has not already.

use hyper::Method;
use hyper::header::{HeaderMap, IF_NONE_MATCH, IF_RANGE, RANGE};

/// What is sent of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The client has it.
    Same,
    /// From, and up to but without.
    Range(usize, usize),
    /// The file has no byte there.
    Beyond,
}

impl Part {
    /// Which part a request asks for (RFC 9110, sections 13 and 14). One range is answered; several, or what can't be
    /// read, are ignored, as the standard allows.
    pub fn asked(method: &Method, headers: &HeaderMap, tag: &str, length: usize) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let is_tag = |one: &str| {
            let one = one.trim();
            one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
        };
        if text(IF_NONE_MATCH).is_some_and(|tags| tags.split(',').any(is_tag)) {
            return Self::Same;
        }
        // The rest of another version would not fit what the client has.
        let fits = headers.get(IF_RANGE).is_none_or(|value| value == tag);
        let range = text(RANGE).filter(|_| fits && *method == Method::GET);
        range
            .and_then(|range| one_range(range, length))
            .unwrap_or(Self::Whole)
    }
}

/// Reads `bytes=0-9`, `bytes=10-` or `bytes=-10`; `None` where it is anything else.
fn one_range(range: &str, length: usize) -> Option<Part> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    // A number too large to be held lies beyond any file.
    let number = |digits: &str| {
        (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
            .then(|| digits.parse::<usize>().unwrap_or(usize::MAX))
    };
    let (from, to) = match (first, last) {
        ("", last) => (length.saturating_sub(number(last)?), length),
        (first, "") => (number(first)?, length),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            (first, last.saturating_add(1).min(length))
        }
    };
    Some(if from < to {
        Part::Range(from, to)
    } else {
        Part::Beyond
    })
}

#[cfg(test)]
mod tests {
    use super::{Part, one_range};

    #[test]
    fn one_range_is_read_and_anything_else_is_ignored() {
        let cases = [
            ("bytes=0-9", Some(Part::Range(0, 10))),
            ("bytes=10-", Some(Part::Range(10, 100))),
            ("bytes=-10", Some(Part::Range(90, 100))),
            ("bytes=-1000", Some(Part::Range(0, 100))),
            ("bytes=90-1000", Some(Part::Range(90, 100))),
            ("bytes=99-99", Some(Part::Range(99, 100))),
            ("Bytes= 0-0", Some(Part::Range(0, 1))),
            ("bytes=100-", Some(Part::Beyond)),
            ("bytes=100-200", Some(Part::Beyond)),
            ("bytes=-0", Some(Part::Beyond)),
            ("bytes=99999999999999999999999-", Some(Part::Beyond)),
            ("bytes=9-0", None),
            ("bytes=0-1,5-6", None),
            ("bytes=a-b", None),
            ("bytes=+1-2", None),
            ("bytes=-", None),
            ("bytes", None),
            ("items=0-9", None),
            ("", None),
        ];
        for (range, expected) in cases {
            assert_eq!(one_range(range, 100), expected, "{range}");
        }
        assert_eq!(one_range("bytes=0-", 0), Some(Part::Beyond));
        assert_eq!(one_range("bytes=-5", 0), Some(Part::Beyond));
    }
}
