//! Files as a person gives them: from a chooser or dropped, refused with a reason when they are too large.

use crate::api::object;
use crate::format;
use js_sys::{Array, Reflect};
use lesson_types::{Rejected, limits};
use std::collections::BTreeSet;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader,
    FileSystemEntry, FileSystemFileEntry,
};

/// Folders that never hold lessons.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// Name endings of the files that are taken out of a folder; a file that is chosen by itself is read whatever it is called.
const READ: [&str; 11] = [
    ".md",
    ".markdown",
    ".mdc",
    ".mdx",
    ".json",
    ".jsonl",
    ".ndjson",
    ".txt",
    ".yaml",
    ".yml",
    ".csv",
];
/// Depth to which dropped folders are followed.
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
    let given = (0..list.length())
        .filter_map(|i| list.get(i))
        .map(|file| {
            // A folder's files have their path in it, with its own name first.
            let path = Reflect::get(&file, &"webkitRelativePath".into())
                .ok()
                .and_then(|path| path.as_string());
            let path = path
                .filter(|path| !path.is_empty())
                .unwrap_or_else(|| file.name());
            Given { path, file }
        })
        .filter(|given| wanted(&given.path))
        .collect();
    whole_skills(given)
}

/// The files in a word, for the list of imports.
pub fn named(files: &[Given]) -> String {
    let Some(first) = files.first() else {
        return String::new();
    };
    let rest = u32::try_from(files.len() - 1).unwrap_or(u32::MAX);
    match first.path.split_once('/') {
        _ if rest == 0 => first.path.clone(),
        Some((folder, _))
            if files
                .iter()
                .all(|file| file.path.split('/').next() == Some(folder)) =>
        {
            format!("{folder}, {}", format::plural(rest + 1, "file", "files"))
        }
        _ => format!(
            "{} and {}",
            first.path,
            format::plural(rest, "more file", "more files")
        ),
    }
}

/// Reads what was dropped, before the browser takes it back: it must be asked for within the event.
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
        let is_wanted = if entry.is_directory() {
            is_walked(&path)
        } else {
            wanted(&path)
        };
        if !is_wanted {
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
    whole_skills(files)
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

/// True if the files of a folder are looked at; its path begins with the folder that was given.
fn is_walked(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    place(&folders).is_some()
}

/// True if a file may hold a lesson: one that was given by itself, or in a folder what people and their tools write down.
/// `www/local/lesson_files.mjs` says the same for the command line.
fn wanted(path: &str) -> bool {
    let Some((folders, name)) = path.rsplit_once('/') else {
        return path != ".DS_Store";
    };
    let folders: Vec<&str> = folders.split('/').collect();
    let Some(Place { tool, below }) = place(&folders) else {
        return false;
    };
    let name = name.to_ascii_lowercase();
    match tool {
        Some(tool) => is_of_tool(tool, &format!("{below}{name}")),
        None => ends(&name, &READ),
    }
}

/// Where a folder lies: in the folder of which tool, and below it, each folder's name with a slash after it.
#[derive(Default)]
struct Place<'a> {
    tool: Option<&'a str>,
    below: String,
}

/// Nothing where the folder is passed by.
fn place<'a>(folders: &[&'a str]) -> Option<Place<'a>> {
    let mut place = Place::default();
    for (depth, name) in folders.iter().enumerate() {
        if SKIPPED.contains(name) {
            return None;
        }
        if is_tool(name) {
            place = Place {
                tool: Some(name),
                below: String::new(),
            };
        } else if depth > 0 && name.starts_with('.') {
            return None;
        } else if depth > 0 {
            place.below.push_str(&name.to_ascii_lowercase());
            place.below.push('/');
        }
    }
    Some(place)
}

/// True if a tool keeps rules, skills, memories or playbooks in a folder of this name.
fn is_tool(name: &str) -> bool {
    matches!(
        name,
        ".cursor"
            | ".github"
            | ".roo"
            | ".windsurf"
            | ".clinerules"
            | ".cass"
            | ".claude"
            | ".agents"
            | ".codex"
            | ".copilot"
            | ".gemini"
            | ".opencode"
    )
}

/// True if a tool keeps something for agents at this path of its folder, in lower case.
fn is_of_tool(tool: &str, path: &str) -> bool {
    let folder = path.split_once('/').map(|(folder, _)| folder);
    let skill = |in_folder: &str| folder == Some(in_folder) && path.ends_with("/skill.md");
    match tool {
        ".cursor" => folder == Some("rules") && ends(path, &[".mdc", ".md"]),
        ".github" => {
            path == "copilot-instructions.md"
                || folder == Some("instructions") && path.ends_with(".instructions.md")
                || skill("skills")
        }
        ".roo" => {
            folder.is_some_and(|folder| folder.starts_with("rules")) && ends(path, &[".md", ".txt"])
        }
        ".windsurf" => folder == Some("rules") && path.ends_with(".md"),
        ".clinerules" => ends(path, &[".md", ".txt"]),
        ".cass" => folder.is_none() && ends(path, &[".yaml", ".yml", ".json", ".jsonl"]),
        ".claude" => skill("skills") || is_of_claude(path) && ends(path, &[".md", ".yaml", ".yml"]),
        ".agents" => skill("skills") || folder == Some("rules") && path.ends_with(".md"),
        ".opencode" => skill("skill") || skill("skills"),
        _ => skill("skills"),
    }
}

/// Claude Code's reflections, rules, memories of the project and of all projects, and instincts.
fn is_of_claude(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["reflections" | "rules" | "memory", _, ..]
            | ["projects", _, "memory", _, ..]
            | ["homunculus", "instincts", _, ..]
    )
}

fn ends(name: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| name.ends_with(end))
}

/// A folder with a `SKILL.md` is one skill: what lies beside that file belongs to it.
fn whole_skills(files: Vec<Given>) -> Vec<Given> {
    let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
    let keep = apart_from_skills(&paths);
    let files = files.into_iter().zip(keep);
    files
        .filter_map(|(file, keep)| keep.then_some(file))
        .collect()
}

/// Of each path whether it is no part of a skill, or the skill itself.
fn apart_from_skills(paths: &[&str]) -> Vec<bool> {
    let skills: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_suffix("/SKILL.md"))
        .collect();
    let folders =
        |path: &'_ str| -> Vec<usize> { path.match_indices('/').map(|(at, _)| at).collect() };
    paths
        .iter()
        .map(|path| {
            folders(path).into_iter().all(|at| {
                let (folder, rest) = path.split_at(at);
                rest == "/SKILL.md" || !skills.contains(folder)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn of_a_folder_what_people_and_tools_write_down_is_taken() {
        for (path, is_wanted) in [
            ("a.md", true),
            ("image.png", true),
            (".DS_Store", false),
            ("lessons/a.md", true),
            ("lessons/image.png", false),
            ("repo/src/main.rs", false),
            ("repo/data/a.CSV", true),
            ("repo/.git/HEAD", false),
            ("repo/.git/a.md", false),
            ("repo/node_modules/x/README.md", false),
            ("repo/.venv/x/README.md", false),
            ("lessons/target-audience.md", true),
            ("repo/.claude/reflections/warning-x.md", true),
            (".claude/reflections/warning-x.md", true),
            ("repo/.claude/settings.json", false),
            ("repo/.claude/projects/p/memory/m.md", true),
            ("repo/.claude/projects/p/notes.md", false),
            ("repo/.cursor/rules/a/b.mdc", true),
            ("repo/.cursor/mcp.json", false),
            ("repo/.github/copilot-instructions.md", true),
            ("repo/.github/workflows/ci.yml", false),
            ("repo/.github/skills/x/SKILL.md", true),
            ("repo/.roo/rules-code/a.txt", true),
            ("repo/.cass/playbook.yaml", true),
            ("repo/.cass/old/playbook.yaml", false),
            ("repo/.opencode/skill/x/SKILL.md", true),
        ] {
            assert_eq!(wanted(path), is_wanted, "{path}");
        }
        for (path, walked) in [
            ("repo", true),
            ("repo/.git", false),
            ("repo/a/node_modules", false),
            ("repo/.claude", true),
            ("repo/.idea", false),
        ] {
            assert_eq!(is_walked(path), walked, "{path}");
        }
    }

    #[test]
    fn what_lies_beside_a_skill_is_a_part_of_it() {
        let paths = [
            "r/skills/x/SKILL.md",
            "r/skills/x/notes.md",
            "r/skills/x/deep/more.md",
            "r/skills/y.md",
        ];
        assert_eq!(apart_from_skills(&paths), [true, false, false, true]);
    }
}
