//! The files of a store, as a JavaScript host has them.

use js_sys::{Array, Reflect, Uint8Array};
use lesson_sync::{FileError, Files, Listed};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const FILES: &str = r#"
/** The files of one store. Names are relative, with `/` between folders. Every call returns when it is done; errors have Node's `code` and a message that names the file. */
export interface Files {
  /** The files in a folder, by their names without it; none when there is no such folder. */
  list(folder: string): { name: string; bytes: number }[];
  /** The bytes from `from` up to `to`, which may lie beyond the end; `null` without the file. */
  read(name: string, from: number, to: number): Uint8Array | null;
  /** Puts bytes at the end of a file that has exactly `at` bytes (else throws with the code EMOVED), durably. */
  append(name: string, at: number, bytes: Uint8Array): void;
  /** Cuts a file to so many bytes, durably. */
  truncate(name: string, bytes: number): void;
  /** Puts a file in place of another one, durably. */
  replace(name: string, bytes: Uint8Array): void;
  /** As `replace`, but without `fsync`: a power cut may take it back. `replace` is called where it is absent. */
  note?(name: string, bytes: Uint8Array): void;
  /** Removes a file; no error when there is none. */
  remove(name: string): void;
  /** `null`: the store's lock is ours now; else who holds it. */
  try_lock(): string | null;
  unlock(): void;
  /** Takes the turn to embed texts; true if it is ours: one of those who share the store has it. Everybody embeds where it is absent. */
  try_turn?(): boolean;
  end_turn?(): void;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// Object that the host gives.
    pub type FilesObject;

    #[wasm_bindgen(method, structural, catch)]
    fn list(this: &FilesObject, folder: &str) -> Result<Array, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn read(
        this: &FilesObject,
        name: &str,
        from: f64,
        to: f64,
    ) -> Result<Option<Uint8Array>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn append(this: &FilesObject, name: &str, at: f64, bytes: Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn truncate(this: &FilesObject, name: &str, bytes: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn replace(this: &FilesObject, name: &str, bytes: Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn note(this: &FilesObject, name: &str, bytes: Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn remove(this: &FilesObject, name: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn try_lock(this: &FilesObject) -> Result<Option<String>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn unlock(this: &FilesObject) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn try_turn(this: &FilesObject) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn end_turn(this: &FilesObject) -> Result<(), JsValue>;
}

/// The host's files.
pub struct JsFiles {
    object: FilesObject,
    has_note: bool,
    has_turn: bool,
}

impl std::fmt::Debug for JsFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsFiles").finish_non_exhaustive()
    }
}

impl JsFiles {
    /// Takes an object with the methods of `Files`.
    pub fn new(object: JsValue) -> Self {
        let has = |name: &str| {
            let method = Reflect::get(&object, &name.into());
            method.is_ok_and(|method| method.is_function())
        };
        Self {
            has_note: has("note"),
            has_turn: has("try_turn") && has("end_turn"),
            object: object.unchecked_into(),
        }
    }
}

/// Makes an error of a thrown value.
fn error(thrown: &JsValue) -> FileError {
    let text = |name: &str| {
        Reflect::get(thrown, &name.into())
            .ok()
            .and_then(|value| value.as_string())
    };
    FileError {
        code: text("code").unwrap_or_else(|| "EIO".to_owned()),
        message: text("message").unwrap_or_else(|| crate::convert::describe(thrown)),
    }
}

/// A length or a place as JavaScript has it: exact up to 2^53.
fn number(bytes: u64) -> f64 {
    bytes as f64
}

impl Files for JsFiles {
    fn list(&self, folder: &str) -> Result<Vec<Listed>, FileError> {
        let listed = self.object.list(folder).map_err(|thrown| error(&thrown))?;
        Ok(listed
            .iter()
            .filter_map(|one| {
                let get = |name: &str| Reflect::get(&one, &name.into()).ok();
                Some(Listed {
                    name: get("name")?.as_string()?,
                    // Whole and not below 0.
                    bytes: get("bytes")?.as_f64()? as u64,
                })
            })
            .collect())
    }

    fn read(&self, name: &str, from: u64, to: u64) -> Result<Option<Vec<u8>>, FileError> {
        let read = self.object.read(name, number(from), number(to));
        let bytes = read.map_err(|thrown| error(&thrown))?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    fn append(&self, name: &str, at: u64, bytes: &[u8]) -> Result<(), FileError> {
        let appended = self
            .object
            .append(name, number(at), Uint8Array::from(bytes));
        appended.map_err(|thrown| error(&thrown))
    }

    fn truncate(&self, name: &str, bytes: u64) -> Result<(), FileError> {
        let cut = self.object.truncate(name, number(bytes));
        cut.map_err(|thrown| error(&thrown))
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let replaced = self.object.replace(name, Uint8Array::from(bytes));
        replaced.map_err(|thrown| error(&thrown))
    }

    fn note(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        if !self.has_note {
            return self.replace(name, bytes);
        }
        let noted = self.object.note(name, Uint8Array::from(bytes));
        noted.map_err(|thrown| error(&thrown))
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        self.object.remove(name).map_err(|thrown| error(&thrown))
    }

    fn try_lock(&self) -> Result<Option<String>, FileError> {
        self.object.try_lock().map_err(|thrown| error(&thrown))
    }

    fn unlock(&self) {
        // A lock that can't be given back is taken over when this process is gone.
        let _ = self.object.unlock();
    }

    fn try_turn(&self) -> Result<bool, FileError> {
        if !self.has_turn {
            return Ok(true);
        }
        self.object.try_turn().map_err(|thrown| error(&thrown))
    }

    fn end_turn(&self) {
        if self.has_turn {
            // As the lock: one that can't be given back is taken over when this process is gone.
            let _ = self.object.end_turn();
        }
    }

    async fn rest(&self, ms: u32) {
        gloo::timers::future::TimeoutFuture::new(ms).await;
    }
}
