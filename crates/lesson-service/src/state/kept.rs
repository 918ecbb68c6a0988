//! The fold of a ledger as the store keeps it between two openings, so that a long ledger need not be folded anew.

use crate::host::Host;
use crate::http::fault::of_store;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{pack_ledger, packed_shape, unpack_ledger};
use lesson_sync::{Store, StoreError};
use lesson_types::ApiError;
use serde::{Deserialize, Serialize};

/// Bytes of memory that a fold takes for each of its packed ones, about.
const UNPACKED: usize = 3;

/// The first line of what is kept; the packed fold follows.
#[derive(Serialize, Deserialize)]
struct Head {
    /// Format in which this version writes a fold, and the rules by which it made it.
    shape: String,
    events: usize,
    left_out: usize,
    notes: Vec<String>,
}

impl<S: Store, H: Host> Service<S, H> {
    /// Takes the fold that the store keeps in place of an empty state; whether there was one that fits.
    pub(crate) async fn take_kept(&self) -> Result<bool, StoreError> {
        let fresh = {
            let state = self.state.borrow();
            state.position == 0 && state.events == 0 && state.linked.is_none()
        };
        if !fresh {
            return Ok(false);
        }
        let Some(kept) = self.store.snapshot().await? else {
            return Ok(false);
        };
        let Some((head, packed)) = split(&kept.bytes) else {
            return Ok(false);
        };
        if head.shape != self.shape() {
            return Ok(false);
        }
        make_room(packed.len().saturating_mul(UNPACKED));
        let Some((space, index)) = unpack_ledger(packed) else {
            return Ok(false);
        };
        let state = State {
            space,
            index,
            position: kept.position,
            events: head.events,
            left_out: head.left_out,
            notes: head.notes,
            ..State::empty()
        };
        self.replace(state, true);
        self.writer.kept.set(kept.position);
        Ok(true)
    }

    /// The position up to which the fold was kept when this opened or since; 0 where none fitted.
    pub fn kept_position(&self) -> u64 {
        self.writer.kept.get()
    }

    /// Gives the store the fold to keep; does nothing for a linked one, whose rows are a fold themselves.
    ///
    /// # Errors
    /// When the store fails; it goes on without.
    pub async fn keep_fold(&self) -> Result<(), ApiError> {
        let (position, bytes) = {
            let state = self.state.borrow();
            if state.linked.is_some() {
                return Ok(());
            }
            let head = Head {
                shape: self.shape(),
                events: state.events,
                left_out: state.left_out,
                notes: state.notes.clone(),
            };
            let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
            bytes.push(b'\n');
            pack_ledger(&state.space, &state.index, &mut |piece| {
                bytes.extend_from_slice(piece);
            });
            (state.position, bytes)
        };
        let kept = self.store.keep_snapshot(position, &bytes).await;
        kept.map_err(|error| of_store(&error))?;
        self.writer.kept.set(position);
        Ok(())
    }

    /// Names all that has to be the same for a fold to be what this version would fold.
    fn shape(&self) -> String {
        format!(
            "{} {} {:?}",
            env!("CARGO_PKG_VERSION"),
            packed_shape(),
            self.policy
        )
    }
}

/// Has the memory grow once. In wasm it would grow in steps of 64 KiB otherwise, each of which costs the host as much as
/// many allocations: of 100,000 events it was half the time of opening.
fn make_room(bytes: usize) {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}

fn split(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, packed) = bytes.split_at_checked(line)?;
    Some((serde_json::from_slice(head).ok()?, packed.get(1..)?))
}
