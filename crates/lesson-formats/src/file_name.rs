//! The names of files.

/// The name of a file, without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of a file, without its folders and its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && extension.len() <= 8 => stem,
        _ => name,
    }
}

/// The name of the folder that a file lies in, where its path names one.
pub(super) fn folder(path: &str) -> Option<&str> {
    let (folders, _) = path.rsplit_once(['/', '\\'])?;
    Some(file_name(folders)).filter(|name| !name.is_empty() && !matches!(*name, "." | ".."))
}

/// The names of the folders that a file lies in, the innermost first.
pub(super) fn folders(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = path.split(['/', '\\']).collect();
    names.pop();
    names.reverse();
    names.retain(|name| !name.is_empty() && !matches!(*name, "." | ".."));
    names
}
