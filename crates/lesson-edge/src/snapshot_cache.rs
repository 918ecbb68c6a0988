//! The snapshot cache: what the host keeps of a space between isolates, so that a fresh one need not read it all.
//!
//! It is a replica as it was on disk: the sync that follows reads what changed since. Its name
//! holds the project, the space and how this version writes, under the project's secret: nobody
//! else can name it, and no two spaces share one. It may be lost at any time.

use crate::config::Config;
use crate::token::Tokens;
use lesson_core::{DAY, KeywordIndex, Millis, Replica, Space, packed_shape, packed_size};
use lesson_service::{Host, Service};
use lesson_sync::Store;
use serde::{Deserialize, Serialize};

/// An older one is not read: lessons may have been withdrawn since.
pub(crate) const KEPT_FOR: Millis = DAY;
/// Larger ones are not kept: reading one takes its size again in memory, of which there are 128 MB.
const LARGEST: usize = 16 * 1024 * 1024;

/// The first line; the packed replica follows.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    url: String,
    space: String,
    epoch: String,
    cursor: u64,
    at: Millis,
}

/// A replica that was kept.
pub(crate) struct Recalled {
    pub epoch: String,
    pub cursor: u64,
    pub at: Millis,
    pub parts: (Space, Replica, KeywordIndex),
}

/// What it is called.
pub(crate) fn name(tokens: &Tokens, config: &Config, space: &str) -> String {
    tokens.name(&[&packed_shape(), &config.url, space])
}

/// What the host still has of a space, if it can be used.
pub(crate) async fn recall(
    host: &impl Host,
    tokens: &Tokens,
    config: &Config,
    space: &str,
) -> Option<Recalled> {
    let bytes = host.recall(&name(tokens, config, space)).await?;
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = bytes.split_at_checked(line)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let ours = head.url == config.url && head.space == space && !head.epoch.is_empty();
    if !ours || (host.now() - head.at).abs() > KEPT_FOR {
        return None;
    }
    Some(Recalled {
        epoch: head.epoch,
        cursor: head.cursor,
        at: head.at,
        parts: lesson_core::unpack(rest.get(1..)?)?,
    })
}

/// Gives the host a space to keep as it is now, the same as on the server at `at`.
pub(crate) async fn keep<S: Store, H: Host>(service: &Service<S, H>, name: &str, at: Millis) {
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

/// Whether it is no more than is kept.
pub(crate) fn fits(space: &Space) -> bool {
    packed_size(space) <= LARGEST
}
