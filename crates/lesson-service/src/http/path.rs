//! Paths and query strings: splitting and percent-decoding.

use lesson_types::{ApiError, ErrorCode};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The longest path with its query that is looked at, in bytes.
const PATH_BYTES: usize = 32 * 1024;

/// A path in its segments, and its query parameters in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// Decoded segments, without the empty one before the first `/`.
    pub segments: Vec<String>,
    /// Decoded names and values.
    pub query: Vec<(String, String)>,
}

/// Reads `/v1/lessons?q=sql%20index`.
pub fn parse(path: &str) -> Result<Target, ApiError> {
    if path.len() > PATH_BYTES {
        return Err(ApiError::new(
            ErrorCode::TooLarge,
            format!(
                "the path is {} bytes long; at most {PATH_BYTES} are read",
                path.len()
            ),
        )
        .at("path"));
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let Some(path) = path.strip_prefix('/') else {
        return Err(ApiError::invalid(
            "path",
            "a path begins with `/`, such as `/v1/lessons`",
        ));
    };
    let segments = path
        .split('/')
        .map(|segment| decode(segment, false))
        .collect::<Result<_, _>>()?;
    let query = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name, true)?, decode(value, true)?))
        })
        .collect::<Result<_, ApiError>>()?;
    Ok(Target { segments, query })
}

/// Undoes percent-encoding; in a query `+` is a space. A `%` that encodes nothing is refused, where the library would
/// leave it: what a client mistypes would be looked for as it stands, and not be found.
fn decode(text: &str, in_query: bool) -> Result<String, ApiError> {
    let encodes = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(encodes) {
        return Err(ApiError::invalid(
            "path",
            format!("`{text}` has a `%` without two hex digits after it; write it as `%25`"),
        ));
    }
    let spaced = match in_query {
        true => text.replace('+', " "),
        false => text.to_owned(),
    };
    percent_decode_str(&spaced)
        .decode_utf8()
        .map(Cow::into_owned)
        .map_err(|_| ApiError::invalid("path", format!("`{text}` is not UTF-8 when it is decoded")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded() {
        let target = parse("/v1/lessons?q=sql%20a+b%2B%C3%A9&sort=&archived").unwrap();
        assert_eq!(target.segments, ["v1", "lessons"]);
        let query: Vec<(&str, &str)> = target
            .query
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(query, [("q", "sql a b+é"), ("sort", ""), ("archived", "")]);
        assert_eq!(parse("/v1/a%2Fb/x").unwrap().segments, ["v1", "a/b", "x"]);
        assert_eq!(parse("/").unwrap().segments, [""]);
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        for path in [
            "",
            "v1/lessons",
            "/v1/%",
            "/v1/%4",
            "/v1/%zz",
            "/v1/%ff",
            "/?a=%é",
        ] {
            assert_eq!(
                parse(path).unwrap_err().field.as_deref(),
                Some("path"),
                "{path}"
            );
        }
        let long = format!("/{}", "a".repeat(40_000));
        assert_eq!(parse(&long).unwrap_err().code, ErrorCode::TooLarge);
    }
}
