//! Files as a person gives them: from a chooser or dropped, refused with a reason when they are too large.

use crate::api::object;
use crate::format;
use js_sys::{Array, Reflect};
use lesson_types::{Rejected, limits};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader,
    FileSystemEntry, FileSystemFileEntry,
};

/// Folders that never hold lessons.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// How deep dropped folders are followed.
const DEPTH: usize = 24;

/// A file and its path.
pub struct Given {
    /// The path, for messages and names.
    pub path: String,
    file: File,
}

impl Given {
    /// Its size in bytes.
    pub fn size(&self) -> f64 {
        self.file.size()
    }

    /// The file as an import takes it, `{path, content}`, or why it can't be taken. The engine's worker reads it: a
    /// large text would hold the page while it is decoded, converted and copied.
    pub fn offered(&self) -> Result<JsValue, Rejected> {
        if self.file.size() > limits::FILE_BYTES as f64 {
            let message = format!(
                "{} is over the limit of {} for one file. Split it into smaller ones.",
                format::bytes(self.file.size()),
                format::bytes(limits::FILE_BYTES as f64),
            );
            return Err(self.rejected("too_large", message));
        }
        let path = JsValue::from_str(&self.path);
        Ok(object(&[("path", &path), ("content", &self.file)]))
    }

    fn rejected(&self, code: &str, message: String) -> Rejected {
        Rejected {
            path: self.path.clone(),
            line: None,
            code: code.to_owned(),
            message,
        }
    }
}

/// The files of a chooser; with a folder each has its path in it.
pub fn chosen(list: &FileList) -> Vec<Given> {
    (0..list.length())
        .filter_map(|i| list.get(i))
        .map(|file| {
            let path = Reflect::get(&file, &"webkitRelativePath".into())
                .ok()
                .and_then(|path| path.as_string());
            let path = path
                .filter(|path| !path.is_empty())
                .unwrap_or_else(|| file.name());
            Given { path, file }
        })
        .filter(|given| wanted(&given.path))
        .collect()
}

/// What was dropped, before the browser takes it back: it must be asked for within the event.
/// Files without an entry in a file system, such as another page's, come plain.
pub fn dropped(transfer: &DataTransfer) -> (Vec<FileSystemEntry>, Vec<Given>) {
    let items = transfer.items();
    let entries: Vec<_> = (0..items.length())
        .filter_map(|i| items.get(i))
        .filter_map(|item| item.webkit_get_as_entry().ok().flatten())
        .collect();
    let plain = transfer.files().filter(|_| entries.is_empty());
    (entries, plain.map(|list| chosen(&list)).unwrap_or_default())
}

/// The files of what was dropped, folders followed, after the plain ones.
pub async fn expand(entries: Vec<FileSystemEntry>, plain: Vec<Given>) -> Vec<Given> {
    let mut files = plain;
    let mut waiting: Vec<(FileSystemEntry, usize)> =
        entries.into_iter().rev().map(|entry| (entry, 0)).collect();
    while let Some((entry, depth)) = waiting.pop() {
        let path = entry.full_path().trim_start_matches('/').to_owned();
        if !wanted(&path) {
            continue;
        }
        if entry.is_directory() {
            if depth < DEPTH {
                let reader = entry
                    .unchecked_into::<FileSystemDirectoryEntry>()
                    .create_reader();
                waiting.extend(
                    children(&reader)
                        .await
                        .into_iter()
                        .rev()
                        .map(|child| (child, depth + 1)),
                );
            }
        } else if let Some(file) = file_of(&entry.unchecked_into()).await {
            files.push(Given { path, file });
        }
    }
    files
}

/// A reader gives its entries in parts; an empty part is the end.
async fn children(reader: &FileSystemDirectoryReader) -> Vec<FileSystemEntry> {
    let mut all = Vec::new();
    loop {
        let part = js_sys::Promise::new(&mut |resolve, reject| {
            if reader
                .read_entries_with_callback_and_callback(&resolve, &reject)
                .is_err()
            {
                let _ = reject.call0(&JsValue::NULL);
            }
        });
        match JsFuture::from(part).await {
            Ok(part) if Array::from(&part).length() > 0 => {
                all.extend(
                    Array::from(&part)
                        .iter()
                        .map(FileSystemEntry::unchecked_from_js),
                );
            }
            _ => return all,
        }
    }
}

async fn file_of(entry: &FileSystemFileEntry) -> Option<File> {
    let file = js_sys::Promise::new(&mut |resolve, reject| {
        entry.file_with_callback_and_callback(&resolve, &reject)
    });
    JsFuture::from(file)
        .await
        .ok()
        .map(|file| file.unchecked_into())
}

/// Whether a path may hold a lesson.
fn wanted(path: &str) -> bool {
    let mut parts = path.split('/');
    !path.ends_with(".DS_Store") && !parts.any(|part| SKIPPED.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_lessons_are_passed_by() {
        for (path, is_wanted) in [
            ("lessons/a.md", true),
            (".claude/reflections/warning-x.md", true),
            ("repo/.git/HEAD", false),
            ("repo/node_modules/x/README.md", false),
            ("lessons/.DS_Store", false),
            ("lessons/target-audience.md", true),
        ] {
            assert_eq!(wanted(path), is_wanted, "{path}");
        }
    }
}
