//! The short exclusive lock around every write.

use super::files::Files;
use crate::store::StoreError;

/// Time limit of waiting for somebody else's lock, in milliseconds. A write holds it for some milliseconds; with
/// ten writers at once the last one waits for nine.
const PATIENCE_MS: u32 = 15_000;
/// The first pause and the longest one between two looks, in milliseconds.
const PAUSES_MS: (u32, u32) = (1, 20);

/// The lock; given back when it is dropped. It is never held across an await.
pub(super) struct Locked<'a, F: Files>(&'a F);

impl<'a, F: Files> Locked<'a, F> {
    /// A lock that is held already.
    pub fn held(files: &'a F) -> Self {
        Self(files)
    }

    /// Goes on holding it.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl<F: Files> Drop for Locked<'_, F> {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

/// Waits for the lock.
pub(super) async fn lock<F: Files>(files: &F) -> Result<Locked<'_, F>, StoreError> {
    let (mut pause, longest) = PAUSES_MS;
    let mut waited = 0;
    loop {
        let Some(owner) = files.try_lock().map_err(super::FileError::of_store)? else {
            return Ok(Locked(files));
        };
        if waited >= PATIENCE_MS {
            return Err(StoreError::Failed(format!(
                "the store is locked by {owner} for more than {} seconds; end that process, or remove the file `lock` if it is gone",
                PATIENCE_MS / 1_000
            )));
        }
        files.rest(pause).await;
        waited += pause;
        pause = (pause * 2).min(longest);
    }
}
