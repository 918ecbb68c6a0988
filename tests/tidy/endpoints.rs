//! Holds CONTRIBUTING's list of the files that tell endpoints apart by name.

use super::{none, read, root, tracked};

#[test]
fn contributing_lists_the_files_that_name_endpoints() {
    let guide = read(&root().join("CONTRIBUTING.md"));
    let section = guide
        .split_once("\n## A new endpoint\n")
        .and_then(|(_, rest)| rest.split_once("\n## "))
        .map_or("", |(section, _)| section);
    let files: Vec<String> = tracked()
        .into_iter()
        .filter(|file| {
            file.starts_with("crates/")
                && file.contains("/src/")
                && file.ends_with(".rs")
                && !file.contains("/tests/")
                && !file.ends_with("/tests.rs")
                && !file.ends_with("lesson-types/src/endpoints.rs")
        })
        .filter(|file| read(&root().join(file)).contains("EndpointName::"))
        .collect();
    assert!(files.len() > 5, "no file names endpoints: {files:?}");
    let mut faults: Vec<String> = files
        .iter()
        .filter(|file| {
            let name = file.trim_start_matches("crates/");
            let short = name.rsplit('/').next().unwrap_or_default();
            let is_beside = name.starts_with("lesson-types/src/description/")
                && section.contains(&format!("`{short}`"));
            !section.contains(&format!("`{name}`")) && !is_beside
        })
        .map(|file| format!("CONTRIBUTING.md, \"A new endpoint\", does not list {file}"))
        .collect();
    let listed = section
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.starts_with("lesson-") && name.ends_with(".rs"));
    for name in listed {
        if !root().join("crates").join(name).is_file() {
            faults.push(format!("CONTRIBUTING.md lists {name}, which is not there"));
        }
    }
    none(&faults);
}
