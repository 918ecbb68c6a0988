//! Takes the dashboard's module apart: what the first page needs, and the other pages as a module that is fetched later.
//!
//! That is done on what the compiler links, before wasm-bindgen drops what refers to what. Trunk runs wasm-bindgen by its
//! name, so that name leads here while it builds ([`Apart`]); the pieces that Trunk knows nothing of are put beside its
//! own afterwards.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use wasm_split_cli_support::{Options, transform};

use crate::cache::{self, Cache};
use crate::engine;
use crate::fault::{advice, fault};
use crate::fits::fits;
use crate::rename;
use crate::run;

/// What the split names its parts: the module of the pages, as `web/src/more.rs` has it, and what loads it.
const PAGES: &str = "split_more.wasm";
const LOADER: &str = "web-pages.js";
/// The glue's name before Trunk puts the build's hash into it.
const GLUE: &str = "web.js";

/// What marks a function that wasm-bindgen replaces by a conversion, and what it was called in earlier releases,
/// which is how the split knows it: such a function stays in the first part.
const CAST: &str = "__wbindgen_describe_generic_import";
const OLD_CAST: &str = "__wbindgen_describe_cast";

const FULL: &str = "free some space";

/// A folder whose `wasm-bindgen` takes the module apart first.
pub struct Apart(PathBuf);

impl Apart {
    /// Makes the folder anew.
    pub fn new(cache: &Cache) -> Result<Self> {
        let wasm_bindgen = run::find(cache, &["wasm-bindgen"])
            .ok_or_else(|| fault("wasm-bindgen is missing", "run `cargo xtask setup`"))?;
        let folder = cache.dir("split")?;
        cache::fresh_dir(&folder)?;
        let program =
            std::env::current_exe().with_context(|| advice("xtask", "run it by cargo"))?;
        let stand_in = folder.join("wasm-bindgen");
        let quoted =
            |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
        let script = format!(
            "#!/bin/sh\nexec {} bind {} {} \"$@\"\n",
            quoted(&program),
            quoted(&wasm_bindgen),
            quoted(&folder)
        );
        fs::write(&stand_in, script).with_context(|| advice(stand_in.display(), FULL))?;
        cache::executable(&stand_in)?;
        Ok(Self(folder))
    }

    /// `path` with the folder in front.
    pub fn path(&self, path: OsString) -> Result<OsString> {
        let all = std::iter::once(self.0.clone()).chain(std::env::split_paths(&path));
        std::env::join_paths(all)
            .with_context(|| advice(self.0.display(), "move the cache to a path without a colon"))
    }

    /// Puts the pages' module and its loader beside the files that Trunk made in `at`, under names of the same build.
    pub fn finish(self, cache: &Cache, at: &Path) -> Result<()> {
        let glue = glue_in(at)?;
        let stem = glue.trim_end_matches(".js");
        let (loader, pages) = (format!("{stem}-pages.js"), format!("{stem}-pages.wasm"));

        change(
            &at.join(&glue),
            &at.join(&glue),
            &[(&from(LOADER), &from(&loader))],
        )?;
        change(
            &self.0.join(LOADER),
            &at.join(&loader),
            &[(&from(GLUE), &from(&glue)), (PAGES, &pages)],
        )?;
        let apart = self.0.join(PAGES);
        fit(&at.join(format!("{stem}_bg.wasm")), &apart)?;
        engine::shrink(cache, &apart, &at.join(&pages))
    }
}

/// Holds the parts to each other.
fn fit(first: &Path, pages: &Path) -> Result<()> {
    let read = |file: &Path| fs::read(file).with_context(|| advice(file.display(), "run it again"));
    match fits(&read(first)?, &read(pages)?) {
        Ok(0) => Err(fault(
            "the pages call nothing of the first part",
            "look at web/src/more.rs",
        )),
        Ok(_) => Ok(()),
        Err(cause) => Err(fault(
            format_args!("the parts of the dashboard's module don't fit: {cause}"),
            "see what changed in wasm-bindgen or wasm_split_cli_support",
        )),
    }
}

fn from(name: &str) -> String {
    format!("from \"./{name}\"")
}

/// The glue that Trunk put into `at`.
fn glue_in(at: &Path) -> Result<String> {
    let entries = fs::read_dir(at).with_context(|| advice(at.display(), "run it again"))?;
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|name| name.starts_with("web-") && name.ends_with(".js"))
        .ok_or_else(|| {
            fault(
                format_args!("trunk left no web-….js in {}", at.display()),
                "look at www/index.html",
            )
        })
}

/// Copies a text with each of these changes, every one of which has to be needed.
fn change(file: &Path, to: &Path, changes: &[(&str, &str)]) -> Result<()> {
    let mut text =
        fs::read_to_string(file).with_context(|| advice(file.display(), "run it again"))?;
    for (old, new) in changes {
        if !text.contains(old) {
            return Err(fault(
                format_args!("{} does not say `{old}`", file.display()),
                "see what changed in wasm-bindgen or wasm_split_cli_support",
            ));
        }
        text = text.replace(old, new);
    }
    fs::write(to, text).with_context(|| advice(to.display(), FULL))
}

/// The module with an import called otherwise.
fn renamed(module: &[u8], from: &str, to: &str) -> Result<Vec<u8>> {
    let names = HashMap::from([(from.to_owned(), to.to_owned())]);
    rename::rename(module, &names)
        .ok_or_else(|| fault("the compiler's module is not well-formed", "run it again"))
}

/// Stands in for wasm-bindgen: takes the module apart that `arguments` name, if they do, and lets the real one go on with
/// the first part. The others stay in `folder`.
pub fn bind(wasm_bindgen: &Path, folder: &Path, mut arguments: Vec<OsString>) -> Result<()> {
    let module = arguments
        .iter_mut()
        .find(|argument| argument.to_string_lossy().ends_with(".wasm"));
    if let Some(module) = module {
        let bytes =
            fs::read(&*module).with_context(|| advice(module.to_string_lossy(), "run it again"))?;
        let bytes = renamed(&bytes, CAST, OLD_CAST)?;
        let first = folder.join("web.wasm");
        let (link, glue) = (format!("./{LOADER}"), format!("./{GLUE}"));
        let mut options = Options::new(&bytes);
        options.output_dir = folder;
        options.main_out_path = &first;
        options.link_name = &link;
        options.main_module = &glue;
        transform(options).map_err(|cause| {
            fault(
                format_args!("the module can't be taken apart: {cause:#}"),
                "web/build.rs has to ask the linker for relocations and names",
            )
        })?;
        let bytes = fs::read(&first).with_context(|| advice(first.display(), "run it again"))?;
        fs::write(&first, renamed(&bytes, OLD_CAST, CAST)?)
            .with_context(|| advice(first.display(), FULL))?;
        *module = first.into_os_string();
        // The parts share the first one's table of functions.
        arguments.push("--keep-lld-exports".into());
    }
    let status = Command::new(wasm_bindgen).args(&arguments).status();
    let status =
        status.with_context(|| advice(wasm_bindgen.display(), "run `cargo xtask setup`"))?;
    if status.success() {
        return Ok(());
    }
    Err(fault(
        format_args!("wasm-bindgen failed ({status})"),
        "read its message above",
    ))
}
