//! Files in memory that fail on demand.

use lesson_core::{EventKind, Lesson, Text};
use lesson_sync::{Entry, FileError, FileStore, Files, Listed, Store};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Failure of the disk.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// Writes fail with a code once so many have been done; part of the bytes are there.
    Write { code: &'static str, after: usize },
    /// The machine dies once so many bytes have been written.
    Die { after: usize },
}

/// A disk; a clone is the same one, as another process sees it.
#[derive(Debug, Clone, Default)]
pub struct Disk(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    files: RefCell<BTreeMap<String, Vec<u8>>>,
    fault: Cell<Option<Fault>>,
    locked: Cell<bool>,
    dead: Cell<bool>,
}

fn error(code: &str, name: &str) -> FileError {
    FileError {
        code: code.to_owned(),
        message: format!("{name} failed"),
    }
}

impl Disk {
    /// Another disk with the same files.
    pub fn copy(&self) -> Self {
        let copy = Self::default();
        copy.copy_from(self, "");
        copy
    }

    pub fn copy_from(&self, other: &Self, folder: &str) {
        let files = other.all();
        let here = files
            .into_iter()
            .filter(|(name, _)| name.starts_with(folder));
        let here = here.filter(|(name, bytes)| {
            // As git does it, a file that is further here stays.
            self.0
                .files
                .borrow()
                .get(name)
                .is_none_or(|held| held.len() < bytes.len())
        });
        let here: Vec<_> = here.collect();
        self.0.files.borrow_mut().extend(here);
    }

    pub fn all(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.files.borrow().clone()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.all()[name]).into_owned()
    }

    pub fn names(&self, from: &str) -> Vec<String> {
        let all = self.all().into_keys();
        all.filter(|name| name.starts_with(from)).collect()
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.0
            .files
            .borrow_mut()
            .insert(name.to_owned(), bytes.to_vec());
    }

    pub fn add(&self, name: &str, bytes: &[u8]) {
        let mut files = self.0.files.borrow_mut();
        files
            .entry(name.to_owned())
            .or_default()
            .extend_from_slice(bytes);
    }

    pub fn remove_all(&self, folder: &str) {
        self.0
            .files
            .borrow_mut()
            .retain(|name, _| !name.starts_with(folder));
    }

    pub fn fail(&self, fault: Fault) {
        self.0.fault.set(Some(fault));
    }

    pub fn heal(&self) {
        self.0.fault.set(None);
        self.0.dead.set(false);
    }

    pub fn is_dead(&self) -> bool {
        self.0.dead.get()
    }

    pub fn is_failing(&self) -> bool {
        self.0.fault.get().is_some()
    }

    /// Puts down the lock that a dead process held.
    pub fn put_lock_down(&self) {
        self.0.locked.set(false);
    }

    /// Returns how many of these bytes get written, and the error that comes then.
    fn allowed(&self, name: &str, length: usize) -> (usize, Option<FileError>) {
        if self.is_dead() {
            return (0, Some(error("EIO", name)));
        }
        match self.0.fault.get() {
            None => (length, None),
            Some(Fault::Write { code, after: 0 }) => {
                let half = if code == "ENOSPC" { length / 2 } else { 0 };
                (half, Some(error(code, name)))
            }
            Some(Fault::Write { code, after }) => {
                let after = after - 1;
                self.fail(Fault::Write { code, after });
                (length, None)
            }
            Some(Fault::Die { after }) if after >= length => {
                self.fail(Fault::Die {
                    after: after - length,
                });
                (length, None)
            }
            Some(Fault::Die { after }) => {
                self.0.dead.set(true);
                (after, Some(error("EIO", name)))
            }
        }
    }
}

impl Files for Disk {
    fn list(&self, folder: &str) -> Result<Vec<Listed>, FileError> {
        let files = self.0.files.borrow();
        let listed = files.iter().filter_map(|(name, bytes)| {
            let name = name.strip_prefix(folder)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| Listed {
                name: name.to_owned(),
                bytes: bytes.len() as u64,
            })
        });
        Ok(listed.collect())
    }

    fn read(&self, name: &str, from: u64, to: u64) -> Result<Option<Vec<u8>>, FileError> {
        let files = self.0.files.borrow();
        Ok(files.get(name).map(|bytes| {
            let end = (to.min(bytes.len() as u64)) as usize;
            bytes[(from as usize).min(end)..end].to_vec()
        }))
    }

    fn append(&self, name: &str, at: u64, bytes: &[u8]) -> Result<(), FileError> {
        let length = self.0.files.borrow().get(name).map_or(0, Vec::len);
        if length as u64 != at {
            return Err(error("EMOVED", name));
        }
        let (written, fault) = self.allowed(name, bytes.len());
        if written > 0 || fault.is_none() {
            self.add(name, &bytes[..written]);
        }
        fault.map_or(Ok(()), Err)
    }

    fn truncate(&self, name: &str, bytes: u64) -> Result<(), FileError> {
        if self.is_dead() {
            return Err(error("EIO", name));
        }
        // A full disk has room for less.
        let mut files = self.0.files.borrow_mut();
        let held = files.get_mut(name).ok_or_else(|| error("ENOENT", name))?;
        held.truncate(bytes as usize);
        Ok(())
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let (_, fault) = self.allowed(name, bytes.len());
        if let Some(fault) = fault {
            return Err(fault);
        }
        self.put(name, bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        self.0.files.borrow_mut().remove(name);
        Ok(())
    }

    fn try_lock(&self) -> Result<Option<String>, FileError> {
        if self.is_dead() {
            return Err(error("EIO", "lock"));
        }
        if let Some(Fault::Write {
            code: "EROFS",
            after: 0,
        }) = self.0.fault.get()
        {
            return Err(error("EROFS", "lock"));
        }
        if self.0.locked.replace(true) {
            return Ok(Some("pid 1".to_owned()));
        }
        Ok(None)
    }

    fn unlock(&self) {
        self.0.locked.set(false);
    }

    async fn rest(&self, _ms: u32) {}
}

/// Files in memory wait for nothing.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    match future.as_mut().poll(&mut context) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("files in memory waited"),
    }
}

/// Makes ids of actors.
pub fn ids(name: &str) -> impl Fn() -> String + 'static {
    let name = name.to_owned();
    let made = Cell::new(0);
    move || {
        made.set(made.get() + 1);
        format!("{name}-{}", made.get())
    }
}

/// A process with the store open.
pub fn store(disk: &Disk, name: &str) -> FileStore<Disk> {
    opened(disk, name, None)
}

/// The same, where the place is known.
pub fn store_at(disk: &Disk, name: &str, place: &str) -> FileStore<Disk> {
    opened(disk, name, Some(place.to_owned()))
}

fn opened(disk: &Disk, name: &str, place: Option<String>) -> FileStore<Disk> {
    let store = FileStore::new(disk.clone(), ids(name), place);
    now(store.identity(name)).unwrap();
    store
}

pub fn rated() -> EventKind {
    EventKind::Rated {
        lesson: "a".to_owned(),
        helpful: true,
        decision_id: None,
    }
}

pub fn added(slug: &str, title: &str) -> EventKind {
    let text = Text {
        title: title.to_owned(),
        ..Text::default()
    };
    EventKind::LessonAdded {
        lesson: Box::new(Lesson::new(slug.to_owned(), text, "manual", 1)),
    }
}

pub fn own(op_id: &str, at: i64, event: EventKind) -> Entry {
    Entry::Own {
        op_id: op_id.to_owned(),
        at,
        by: "local".to_owned(),
        request: None,
        event,
    }
}
