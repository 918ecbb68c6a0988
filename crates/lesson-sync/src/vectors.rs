//! Vectors on a server: asking which it has and which it lacks, and sending those.
//!
//! A vector is known by its model and the hash of the text that it is of. It has no version: it comes and goes beside the
//! ledger, and nobody pulls a lesson again because of one.

use crate::http::Http;
use crate::link::Link;
use crate::remote::RemoteError;
use crate::store::VectorRow;
use crate::supabase::Supabase;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::json;

/// Length of the vectors that a server keeps; models with others stay without it.
pub const VECTOR_DIMS: usize = 384;
/// The most vectors, and the most hashes, in one question.
pub const VECTORS_ASKED: usize = 1_000;

/// Selection of the vectors that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichVectors<'a> {
    /// All whose hash comes after this one, a page of them; empty to begin with.
    After(&'a str),
    /// Those of these hashes, up to [`VECTORS_ASKED`].
    Of(&'a [String]),
}

/// Page of a server's vectors, and of the lessons that lack one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VectorPage {
    /// Vectors, each of [`VECTOR_DIMS`] bytes.
    pub vectors: Vec<VectorRow>,
    /// Those that are none, by the hash of their text.
    pub refused: Vec<RefusedVector>,
    /// The hash to go on after, where there are more.
    pub next_after: Option<String>,
    /// Lessons whose text has no vector there, in order of their slugs.
    pub lacking: Vec<Lacking>,
    /// The slug to go on after, where there are more.
    pub lacking_next_after: Option<String>,
}

/// A vector that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedVector {
    /// The hash of its text.
    pub hash: String,
    /// Why, for a person.
    pub reason: String,
}

/// A lesson that has no vector on the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Lacking {
    /// The lesson.
    pub slug: String,
    /// The hash of its text.
    pub content_hash: String,
}

#[derive(Deserialize)]
struct WireVectors {
    vectors: Vec<WireVector>,
    next_after: Option<String>,
    lacking: Vec<Lacking>,
    lacking_next_after: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct WireVector {
    content_hash: String,
    packed: String,
}

/// A vector's bytes as the server takes them.
pub fn packed_text(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

impl WireVector {
    pub(crate) fn read(self) -> Result<VectorRow, RefusedVector> {
        let refused = |reason: String| RefusedVector {
            hash: self.content_hash.clone(),
            reason,
        };
        let bytes = BASE64
            .decode(&self.packed)
            .map_err(|error| refused(format!("packed is no base64 ({error})")))?;
        if bytes.len() != VECTOR_DIMS {
            return Err(refused(format!(
                "packed has {} bytes; a vector has {VECTOR_DIMS}",
                bytes.len()
            )));
        }
        Ok((self.content_hash, bytes))
    }
}

impl<H: Http> Supabase<'_, H> {
    /// Asks for vectors of a model, and with `lacking_after` also for lessons after that slug which
    /// have none; an empty one to begin with.
    ///
    /// # Errors
    /// See [`RemoteError`]. A vector that is none is told in the page, and the others are taken.
    pub async fn pull_vectors(
        &self,
        link: &Link,
        model: &str,
        which: WhichVectors<'_>,
        lacking_after: Option<&str>,
    ) -> Result<VectorPage, RemoteError> {
        let (after, hashes) = match which {
            WhichVectors::After(after) => (after, None),
            WhichVectors::Of(hashes) => ("", Some(hashes)),
        };
        let body = json!({
            "p_space": link.space.id, "p_model": model, "p_after": after, "p_limit": VECTORS_ASKED,
            "p_hashes": hashes, "p_lacking_after": lacking_after,
        });
        let wire: WireVectors = self.call(link, "pull_embeddings", body.to_string()).await?;
        let mut page = VectorPage {
            next_after: wire.next_after,
            lacking: wire.lacking,
            lacking_next_after: wire.lacking_next_after,
            ..VectorPage::default()
        };
        // Else who follows them would ask the same for ever.
        let onwards = |next: &Option<String>, asked: &str| {
            next.as_ref()
                .is_none_or(|next| !next.is_empty() && next != asked)
        };
        if !onwards(&page.next_after, after)
            || !onwards(&page.lacking_next_after, lacking_after.unwrap_or_default())
        {
            return Err(RemoteError::Trouble(
                "The server's pages of vectors lead nowhere. It is tried again by itself."
                    .to_owned(),
            ));
        }
        for vector in wire.vectors {
            match vector.read() {
                Ok(row) => page.vectors.push(row),
                Err(refused) => page.refused.push(refused),
            }
        }
        Ok(page)
    }

    /// Sends vectors of a model: each with its lesson and the hash of its text. One of a text that
    /// the lesson no longer has is left out. Gives how many are stored; safe to repeat.
    ///
    /// # Errors
    /// See [`RemoteError`]; nothing is stored then. The server takes up to 1,000 at once, each of
    /// [`VECTOR_DIMS`] bytes that are not all 0.
    pub async fn put_vectors(
        &self,
        link: &Link,
        model: &str,
        rows: &[(Lacking, Vec<u8>)],
    ) -> Result<u64, RemoteError> {
        #[derive(Deserialize)]
        struct Answer {
            stored: u64,
        }
        let rows: Vec<serde_json::Value> = rows
            .iter()
            .map(|(lesson, bytes)| {
                json!({
                    "slug": lesson.slug, "content_hash": lesson.content_hash,
                    "packed": BASE64.encode(bytes),
                })
            })
            .collect();
        let body = json!({ "p_space": link.space.id, "p_model": model, "p_rows": rows });
        let answer: Answer = self.call(link, "put_embeddings", body.to_string()).await?;
        Ok(answer.stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_of_another_length_is_refused_by_its_hash() {
        let read = |packed: String| {
            WireVector {
                content_hash: "h".to_owned(),
                packed,
            }
            .read()
        };
        let whole: Vec<u8> = (0..VECTOR_DIMS).map(|n| (n % 256) as u8).collect();
        assert_eq!(
            read(BASE64.encode(&whole)),
            Ok(("h".to_owned(), whole.clone()))
        );
        for (packed, why) in [
            (BASE64.encode(&whole[1..]), "383 bytes"),
            (String::new(), "0 bytes"),
            ("%".repeat(512), "no base64"),
            (format!("{}\n", BASE64.encode(&whole)), "no base64"),
        ] {
            let refused = read(packed).unwrap_err();
            assert_eq!(refused.hash, "h");
            assert!(refused.reason.contains(why), "{}", refused.reason);
        }
    }
}
