//! The revision of the protocol that a request speaks, and the agreement of its headers with its body.
//!
//! Revisions up to 2025-11-25 begin with `initialize`. From 2026-07-28 on there is no handshake: every request names its
//! revision, in `_meta` and in headers.

use super::message::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, Refusal, Request, UNSUPPORTED_VERSION,
    invalid,
};
use lesson_service::clip;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The revision in which every request stands alone.
pub(super) const CURRENT: &str = "2026-07-28";
/// Revisions that begin with `initialize`, newest first.
pub(super) const BEFORE: [&str; 3] = ["2025-11-25", "2025-06-18", BATCHES];
/// The revision with batches; a client that sends no header is taken to speak it.
const BATCHES: &str = "2025-03-26";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The form of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Each request stands alone.
    Current,
    /// After `initialize`.
    Before,
}

/// Every supported revision, newest first.
pub(super) fn supported() -> Value {
    json!([CURRENT, BEFORE[0], BEFORE[1], BEFORE[2]])
}

/// The revision that `initialize` settles on, for a client that asks for `asked`.
pub(super) fn negotiated(asked: &str) -> &'static str {
    BEFORE
        .into_iter()
        .find(|one| *one == asked)
        .unwrap_or(BEFORE[0])
}

/// Fails when a header names a revision that is not spoken here; for messages without an answer.
pub(super) fn header_is_known(headers: &BTreeMap<String, String>) -> Result<(), Refusal> {
    match header(headers, "mcp-protocol-version") {
        Some(sent) if sent != CURRENT && !BEFORE.contains(&sent) => Err(unsupported(sent)),
        _ => Ok(()),
    }
}

/// Fails when the header names another revision than the one that has batches.
pub(super) fn has_batches(headers: &BTreeMap<String, String>) -> Result<(), Refusal> {
    header_is_known(headers)?;
    match header(headers, "mcp-protocol-version") {
        Some(sent) if sent != BATCHES => Err(invalid(&format!(
            "revision `{}` has no batches, which only {BATCHES} had; send one message at a time",
            clip(sent)
        ))),
        _ => Ok(()),
    }
}

/// The era of a request, once its headers agree with its body.
pub(super) fn era(request: &Request, headers: &BTreeMap<String, String>) -> Result<Era, Refusal> {
    let sent = header(headers, "mcp-protocol-version");
    let meta = request.params.get("_meta");
    let Some(said) = meta.and_then(|meta| meta.get(VERSION)) else {
        return match sent {
            // Before 2025-06-18 there was no such header.
            None => Ok(Era::Before),
            Some(sent) if BEFORE.contains(&sent) => Ok(Era::Before),
            Some(CURRENT) => Err(missing(VERSION)),
            Some(sent) => Err(unsupported(sent)),
        };
    };
    let Some(said) = said.as_str() else {
        return Err(malformed(VERSION, "a string"));
    };
    match sent {
        None => {
            return Err(mismatch(format!(
                "the header MCP-Protocol-Version is missing; send it with the value of `_meta`, `{}`",
                clip(said)
            )));
        }
        Some(sent) if sent != said => {
            return Err(mismatch(format!(
                "the header MCP-Protocol-Version is `{}`, but `_meta` says `{}`; send the same in both",
                clip(sent),
                clip(said)
            )));
        }
        Some(_) => {}
    }
    if BEFORE.contains(&said) {
        return Ok(Era::Before);
    }
    if said != CURRENT {
        return Err(unsupported(said));
    }
    match meta.and_then(|meta| meta.get(CAPABILITIES)) {
        None => return Err(missing(CAPABILITIES)),
        Some(Value::Object(_)) => {}
        Some(_) => return Err(malformed(CAPABILITIES, "an object")),
    }
    let client = meta.and_then(|meta| meta.get(CLIENT_INFO));
    if client.is_some_and(|client| !client.is_object()) {
        return Err(malformed(CLIENT_INFO, "an object"));
    }
    agree(headers, "mcp-method", "Mcp-Method", &request.method)?;
    if request.method == "tools/call"
        && let Some(Value::String(name)) = request.params.get("name")
    {
        agree(headers, "mcp-name", "Mcp-Name", name)?;
    }
    Ok(Era::Current)
}

/// Fails unless the header says what the body says.
fn agree(
    headers: &BTreeMap<String, String>,
    name: &str,
    shown: &str,
    body: &str,
) -> Result<(), Refusal> {
    let Some(sent) = header(headers, name) else {
        return Err(mismatch(format!(
            "the header {shown} is missing; send it with the value of the body, `{}`",
            clip(body)
        )));
    };
    let encoded = sent
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let says = match encoded {
        // Only the name is ever encoded: methods are plain.
        Some(code) if name == "mcp-name" => {
            from_base64(code).is_some_and(|bytes| bytes == body.as_bytes())
        }
        _ => sent == body,
    };
    if says {
        return Ok(());
    }
    Err(mismatch(format!(
        "the header {shown} is `{}`, but the body says `{}`; send the same in both",
        clip(sent),
        clip(body)
    )))
}

/// A header without the blanks around it.
pub(super) fn header<'a>(headers: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.trim())
}

fn mismatch(message: String) -> Refusal {
    Refusal::new(400, HEADER_MISMATCH, message)
}

fn missing(field: &str) -> Refusal {
    Refusal::new(
        400,
        INVALID_PARAMS,
        format!("`params._meta` needs `{field}`; in revision {CURRENT} every request carries it"),
    )
}

fn malformed(field: &str, wanted: &str) -> Refusal {
    Refusal::new(
        400,
        INVALID_PARAMS,
        format!("`{field}` in `params._meta` has to be {wanted}"),
    )
}

fn unsupported(asked: &str) -> Refusal {
    Refusal::new(
        400,
        UNSUPPORTED_VERSION,
        format!(
            "revision `{}` is not spoken here; use one of those supported",
            clip(asked)
        ),
    )
    .with(json!({ "supported": supported(), "requested": clip(asked) }))
}

/// The body has to be announced as JSON, and JSON has to be welcome as an answer.
pub(super) fn media(headers: &BTreeMap<String, String>) -> Result<(), Refusal> {
    let essence = |value: &str| {
        let end = value.find(';').unwrap_or(value.len());
        value[..end].trim().to_ascii_lowercase()
    };
    if header(headers, "content-type").map(essence).as_deref() != Some("application/json") {
        return Err(Refusal::new(
            415,
            INVALID_REQUEST,
            "send the message as JSON, with the header content-type: application/json",
        ));
    }
    let accepts = header(headers, "accept").is_none_or(|accept| {
        let mut ranges = accept.split(',').map(essence);
        ranges.any(|one| ["application/json", "application/*", "*/*", ""].contains(&one.as_str()))
    });
    if !accepts {
        return Err(Refusal::new(
            406,
            INVALID_REQUEST,
            "answers are JSON; send the header accept: application/json, text/event-stream",
        ));
    }
    Ok(())
}

/// Bytes of standard base64 with its padding; `None` when it is not that.
fn from_base64(code: &str) -> Option<Vec<u8>> {
    let digits = code.trim_end_matches('=');
    if !code.len().is_multiple_of(4) || code.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(code.len() / 4 * 3);
    let (mut held, mut bits) = (0u32, 0u32);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).ok()?);
            held &= (1 << bits) - 1;
        }
    }
    // The bits left over have to be zero.
    (held == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_strictly() {
        for (code, text) in [
            ("", ""),
            ("SGVsbG8=", "Hello"),
            ("SGVsbG8sIOS4lueVjA==", "Hello, 世界"),
            ("/+8=", "\u{0}"),
        ] {
            let read = from_base64(code);
            if code == "/+8=" {
                assert_eq!(read, Some(vec![0xff, 0xef]));
            } else {
                assert_eq!(read.as_deref(), Some(text.as_bytes()), "{code}");
            }
        }
        for code in ["SGVsbG8", "SGVs!!!bG8=", "====", "A===", "SGVsbG9=", "SG=s"] {
            assert_eq!(from_base64(code), None, "{code}");
        }
    }

    #[test]
    fn an_older_client_gets_the_revision_it_asks_for() {
        assert_eq!(negotiated("2025-06-18"), "2025-06-18");
        assert_eq!(negotiated("2025-11-25"), "2025-11-25");
        assert_eq!(negotiated("2025-03-26"), "2025-03-26");
        for other in ["2024-11-05", CURRENT, "", "x"] {
            assert_eq!(negotiated(other), "2025-11-25", "{other}");
        }
    }
}
