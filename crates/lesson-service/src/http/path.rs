//! Paths and query strings: splitting and percent-decoding.

use lesson_types::{ApiError, ErrorCode};

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

/// Undoes percent-encoding; in a query `+` is a space.
fn decode(text: &str, in_query: bool) -> Result<String, ApiError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' if in_query => b' ',
            b'%' => {
                let digits = rest.next().and_then(hex).zip(rest.next().and_then(hex));
                let Some((high, low)) = digits else {
                    return Err(ApiError::invalid(
                        "path",
                        format!(
                            "`{text}` has a `%` without two hex digits after it; write it as `%25`"
                        ),
                    ));
                };
                high * 16 + low
            }
            plain => plain,
        });
    }
    String::from_utf8(bytes)
        .map_err(|_| ApiError::invalid("path", format!("`{text}` is not UTF-8 when it is decoded")))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
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
