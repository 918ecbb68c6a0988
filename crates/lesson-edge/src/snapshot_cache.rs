//! The snapshot cache: what the host keeps of a space between isolates, so that a fresh one need not read it all.
//!
//! It is a replica as it was on disk: the sync that follows reads what changed since. Its name is a digest of the project, the space,
//! how this version writes, and the space's epoch, which is random and told to nobody without a key of the space: nobody else can name
//! it, no two spaces share one, and one from before a restored backup is not found. It may be lost at any time.

use crate::config::Config;
use lesson_core::{DAY, KeywordIndex, Millis, OptimisticOverlay, Space, packed_shape, packed_size};
use lesson_service::{Host, Service, digest};
use lesson_sync::Store;
use serde::{Deserialize, Serialize};

/// Snapshots older than this are not used, in milliseconds: lessons may have been withdrawn since.
pub(crate) const MAX_AGE: Millis = DAY;
/// Larger snapshots are not stored, in bytes: loading one takes its size again in memory, and an isolate has 128 MB.
const LARGEST: usize = 16 * 1024 * 1024;

/// Bytes of memory that the largest of them takes as a replica, about.
pub(crate) const MOST_HELD: u64 = 2 * LARGEST as u64;

/// The first line; the packed replica follows.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    url: String,
    space: String,
    epoch: String,
    cursor: u64,
    at: Millis,
}

/// A snapshot that was loaded.
pub(crate) struct Loaded {
    pub epoch: String,
    pub cursor: u64,
    pub at: Millis,
    pub parts: (Space, OptimisticOverlay, KeywordIndex),
}

/// The name of the snapshot of a space, 64 hexadecimal digits.
pub(crate) fn name(config: &Config, space: &str, epoch: &str) -> String {
    let shape = packed_shape();
    let parts = [&*shape, &config.url, space, epoch];
    hex::encode(digest(&parts.map(str::as_bytes)))
}

/// The host's snapshot of a space; `None` when there is none, or it is too old or of another space.
pub(crate) async fn load(
    host: &impl Host,
    name: &str,
    config: &Config,
    space: &str,
) -> Option<Loaded> {
    let bytes = host.recall(name).await?;
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = bytes.split_at_checked(line)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let ours = head.url == config.url && head.space == space && !head.epoch.is_empty();
    if !ours || (host.now() - head.at).abs() > MAX_AGE {
        return None;
    }
    Some(Loaded {
        epoch: head.epoch,
        cursor: head.cursor,
        at: head.at,
        parts: lesson_core::unpack(rest.get(1..)?)?,
    })
}

/// Stores a snapshot of a space that was the same as the server's at `at`.
pub(crate) async fn store<S: Store, H: Host>(service: &Service<S, H>, name: &str, at: Millis) {
    let write = |out: &mut dyn FnMut(&[u8])| {
        service.with_replica(|link, space, replica, index| {
            let head = Head {
                url: link.url.clone(),
                space: link.space.id.clone(),
                epoch: link.epoch.clone(),
                cursor: link.cursor,
                at,
            };
            let mut line = serde_json::to_vec(&head).unwrap_or_default();
            line.push(b'\n');
            out(&line);
            lesson_core::pack(space, replica, index, out);
        });
    };
    service.host().keep(name, write).await;
}

/// True if a snapshot of the space is small enough to be stored.
pub(crate) fn fits(space: &Space) -> bool {
    packed_size(space) <= LARGEST
}
