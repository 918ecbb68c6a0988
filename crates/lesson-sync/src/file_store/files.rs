//! A file store's interface to its host: bytes of named files, and a lock.

use crate::store::StoreError;

/// Why the host refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The system's code, such as `ENOSPC`.
    pub code: String,
    /// In words; names the file, and says what to do where something can be done.
    pub message: String,
}

impl FileError {
    /// The store's error: nothing was kept.
    pub(crate) fn of_store(self) -> StoreError {
        let Self { code, message } = self;
        if message.contains(&code) {
            return StoreError::Failed(message);
        }
        StoreError::Failed(format!("{message}; {code}"))
    }
}

/// A file in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name without the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
}

/// The files of one store. Names are relative, with `/` between folders; folders are made as they are needed.
///
/// Every method but [`Files::rest`] returns when the host has done it.
#[allow(async_fn_in_trait)] // One thread: no `Send` bound is wanted.
pub trait Files {
    /// The files in a folder; none when there is no such folder.
    ///
    /// # Errors
    /// As the host fails.
    fn list(&self, folder: &str) -> Result<Vec<Listed>, FileError>;

    /// The bytes from `from` up to `to`, which may lie beyond the end; `None` without the file.
    ///
    /// # Errors
    /// As the host fails.
    fn read(&self, name: &str, from: u64, to: u64) -> Result<Option<Vec<u8>>, FileError>;

    /// Puts bytes at the end of a file that has exactly `at` bytes, durably. Makes the file when `at` is 0.
    ///
    /// # Errors
    /// `EMOVED` when it has another length; else as the host fails, and part of the bytes may be there.
    fn append(&self, name: &str, at: u64, bytes: &[u8]) -> Result<(), FileError>;

    /// Cuts a file to so many bytes, durably.
    ///
    /// # Errors
    /// As the host fails.
    fn truncate(&self, name: &str, bytes: u64) -> Result<(), FileError>;

    /// Puts a file in place of another of the name, durably: whoever reads finds one or the other.
    ///
    /// # Errors
    /// As the host fails; the other is there then.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError>;

    /// As [`Files::replace`], but a power cut may take it back. A host without such a thing does the other.
    ///
    /// # Errors
    /// As the host fails; the other is there then.
    fn note(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.replace(name, bytes)
    }

    /// Removes a file, if there is one.
    ///
    /// # Errors
    /// As the host fails.
    fn remove(&self, name: &str) -> Result<(), FileError>;

    /// Takes the store's one lock: `None` when it is ours now, else who holds it. One of a dead owner is taken over.
    ///
    /// # Errors
    /// When no lock can be had, as in a folder that can't be written, or one that another machine has locked.
    fn try_lock(&self) -> Result<Option<String>, FileError>;

    /// Gives the lock back.
    fn unlock(&self);

    /// Takes the store's one turn to embed texts: whether it is ours now. One of a dead owner is taken over. A host without
    /// such a thing has everybody embed.
    ///
    /// # Errors
    /// When none can be had, as [`Files::try_lock`].
    fn try_turn(&self) -> Result<bool, FileError> {
        Ok(true)
    }

    /// Gives the turn back.
    fn end_turn(&self) {}

    /// Returns after about `ms` milliseconds, with others running meanwhile.
    async fn rest(&self, ms: u32);
}
