//! Stores in a folder of this machine, and a host with a clock of its own.

use lesson_core::Millis;
use lesson_local::Local;
use lesson_service::Host;
use lesson_sync::{FileError, FileStore, Files, Listed};
use lesson_types::{Method, Request, Response};
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

/// A process, as it were.
pub type Process = Local<FileStore<Folder>, Clock>;

/// A folder that is removed in the end.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("lesson-local-{}-{made}", std::process::id());
        let at = std::env::temp_dir().join(name);
        fs::create_dir_all(&at).unwrap();
        Self(at)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The system cleans up what is left.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of a folder.
pub struct Folder(pub PathBuf);

fn error(name: &str, error: &std::io::Error) -> FileError {
    FileError {
        code: format!("{:?}", error.kind()),
        message: format!("{name}: {error}"),
    }
}

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }
}

impl Files for Folder {
    fn list(&self, folder: &str) -> Result<Vec<Listed>, FileError> {
        let Ok(entries) = fs::read_dir(self.0.join(folder)) else {
            return Ok(Vec::new());
        };
        Ok(entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let about = entry.metadata().ok()?;
                about.is_file().then(|| Listed {
                    name: entry.file_name().to_string_lossy().into_owned(),
                    bytes: about.len(),
                })
            })
            .collect())
    }

    fn read(&self, name: &str, from: u64, to: u64) -> Result<Option<Vec<u8>>, FileError> {
        let mut file = match fs::File::open(self.0.join(name)) {
            Ok(file) => file,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(error(name, &cause)),
        };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))
            .and_then(|_| file.take(to.saturating_sub(from)).read_to_end(&mut bytes))
            .map_err(|cause| error(name, &cause))?;
        Ok(Some(bytes))
    }

    fn append(&self, name: &str, at: u64, bytes: &[u8]) -> Result<(), FileError> {
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(self.path(name))
            .unwrap();
        if file.metadata().unwrap().len() != at {
            return Err(FileError {
                code: "EMOVED".to_owned(),
                message: name.to_owned(),
            });
        }
        file.write_all(bytes).map_err(|cause| error(name, &cause))
    }

    fn truncate(&self, name: &str, bytes: u64) -> Result<(), FileError> {
        let file = OpenOptions::new().write(true).open(self.0.join(name));
        file.and_then(|file| file.set_len(bytes))
            .map_err(|cause| error(name, &cause))
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let thread = std::thread::current().id();
        let path = self.path(name);
        let beside = path.with_extension(format!("{thread:?}.tmp"));
        fs::write(&beside, bytes)
            .and_then(|()| fs::rename(&beside, &path))
            .map_err(|cause| error(name, &cause))
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        match fs::remove_file(self.0.join(name)) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => Err(error(name, &cause)),
            _ => Ok(()),
        }
    }

    fn try_lock(&self) -> Result<Option<String>, FileError> {
        let mut options = OpenOptions::new();
        match options.write(true).create_new(true).open(self.path("lock")) {
            Ok(_) => Ok(None),
            Err(_) => Ok(Some("another thread".to_owned())),
        }
    }

    fn unlock(&self) {
        fs::remove_file(self.0.join("lock")).unwrap();
    }

    fn try_turn(&self) -> Result<bool, FileError> {
        let mut options = OpenOptions::new();
        let at = self.path("cache/turn");
        Ok(options.write(true).create_new(true).open(at).is_ok())
    }

    fn end_turn(&self) {
        fs::remove_file(self.0.join("cache/turn")).unwrap();
    }

    async fn rest(&self, ms: u32) {
        std::thread::sleep(std::time::Duration::from_millis(u64::from(ms)));
    }
}

/// A clock that goes on by a millisecond with each look, and numbers that are never the same.
pub struct Clock {
    now: Cell<Millis>,
    seed: Cell<u64>,
}

impl Clock {
    pub fn at(now: Millis) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(1);
        Self {
            now: Cell::new(now),
            seed: Cell::new(MADE.fetch_add(1, Ordering::Relaxed) << 32),
        }
    }
}

impl Host for Clock {
    fn now(&self) -> Millis {
        self.now.set(self.now.get() + 1);
        self.now.get()
    }

    fn random(&self, bytes: &mut [u8]) {
        self.seed.set(self.seed.get() + 1);
        let seed = self.seed.get().to_be_bytes();
        for (place, byte) in bytes.iter_mut().rev().enumerate() {
            *byte = seed[7 - place % 8];
        }
    }

    async fn pause(&self) {}
}

/// Runs a future to its end; it waits for nothing but turns.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("it waits for ever");
}

/// When every process begins.
pub const BEGUN: Millis = 1_795_336_200_000;

pub fn store(at: &Path) -> (FileStore<Folder>, Clock) {
    let ids = Clock::at(BEGUN);
    let fresh = move || lesson_service::fresh_id(&ids);
    (
        FileStore::new(Folder(at.to_owned()), fresh, None),
        Clock::at(BEGUN),
    )
}

/// A process with these stores open.
pub fn open(project: Option<&Path>, personal: Option<&Path>) -> Process {
    now(Local::open(
        project.map(store),
        personal.map(store),
        Vec::new(),
    ))
    .unwrap()
}

pub fn request(method: Method, path: &str, body: Value) -> Request {
    Request {
        method,
        path: path.to_owned(),
        headers: Default::default(),
        body,
    }
}

/// The answer to a request that has to be taken.
#[track_caller]
pub fn ok(local: &Process, method: Method, path: &str, body: Value) -> Value {
    taken(local, now(local.handle(request(method, path, body))))
}

#[track_caller]
pub fn taken(local: &Process, response: Response) -> Value {
    now(local.settle());
    assert_eq!(response.status, 200, "{}", response.body);
    response.body.value()
}

/// A lesson to add.
pub fn lesson(title: &str, recommendation: &str) -> Value {
    json!({ "title": title, "recommendation": recommendation })
}

/// The slugs of a list.
pub fn slugs(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|one| one["slug"].as_str().unwrap())
        .collect()
}
