//! Takes the dashboard's module apart: what the first page needs, and the other pages as a module that is fetched later.
//!
//! That is done on what the compiler links, before wasm-bindgen drops what refers to what. wasm-bindgen is a library here.
//! Trunk runs it by its name, so that name leads to this program while it builds ([`Parts::shim`]); the pieces that Trunk knows
//! nothing of are put beside its own afterwards.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

use crate::cache::{self, Cache};
use crate::engine;
use crate::fault::{advice, fault};
use crate::fits::fits;
use crate::profile::Profile;
use crate::rename;
use crate::tools;

/// Names that the split gives its parts: the module of the pages, as `web/src/more.rs` has it, and what loads it.
const PAGES: &str = "split_more.wasm";
const LOADER: &str = "web-pages.js";
/// The glue's name before the build's hash is put into it.
const GLUE: &str = "web.js";

/// Mark of a function that wasm-bindgen replaces by a conversion, and its name in earlier releases, by which the split
/// knows it: such a function stays in the first part.
const CAST: &str = "__wbindgen_describe_generic_import";
const OLD_CAST: &str = "__wbindgen_describe_cast";

const FULL: &str = "free some space";

/// A folder where the module is taken apart, or only bound to JavaScript.
pub struct Parts {
    folder: PathBuf,
    split: bool,
}

impl Parts {
    /// Makes the folder anew.
    pub fn new(cache: &Cache, split: bool) -> Result<Self> {
        let folder = cache.dir("split")?;
        cache::fresh_dir(&folder)?;
        Ok(Self { folder, split })
    }

    /// Puts a `wasm-bindgen` into the folder that is this program; answers with `path` and the folder in front of it.
    pub fn shim(&self, path: OsString) -> Result<OsString> {
        let program = self.folder.join("xtask");
        own_program()
            .and_then(|own| fs::copy(own, &program))
            .with_context(|| advice(program.display(), FULL))?;
        let stand_in = self.folder.join("wasm-bindgen");
        let quoted =
            |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
        let script = format!(
            "#!/bin/sh\nexec {} bind {} {}\"$@\"\n",
            quoted(&program),
            quoted(&self.folder),
            if self.split { "--split " } else { "" },
        );
        fs::write(&stand_in, script).with_context(|| advice(stand_in.display(), FULL))?;
        cache::executable(&stand_in)?;
        let all = std::iter::once(self.folder.clone()).chain(std::env::split_paths(&path));
        std::env::join_paths(all).with_context(|| {
            advice(
                self.folder.display(),
                "move the cache to a path without a colon",
            )
        })
    }

    /// Binds the compiler's module to JavaScript, as `NAME.js` and `NAME_bg.wasm` in `to`.
    pub fn bind(&self, module: &Path, to: &Path, name: &str) -> Result<()> {
        bound(module, self.split.then_some(&self.folder), to, name, false)
    }

    /// Puts the pages' module and its loader beside the first part's files in `at`, under names of the same build.
    /// There are none of a module that stayed whole.
    pub fn finish(self, cache: &Cache, profile: Profile, at: &Path) -> Result<()> {
        if !self.split {
            return Ok(());
        }
        let glue = glue_in(at)?;
        let stem = glue.trim_end_matches(".js");
        let (loader, pages) = (format!("{stem}-pages.js"), format!("{stem}-pages.wasm"));

        change(
            &at.join(&glue),
            &at.join(&glue),
            &[(&from(LOADER), &from(&loader))],
        )?;
        change(
            &self.folder.join(LOADER),
            &at.join(&loader),
            &[(&from(GLUE), &from(&glue)), (PAGES, &pages)],
        )?;
        let apart = self.folder.join(PAGES);
        fit(&at.join(format!("{stem}_bg.wasm")), &apart)?;
        let to = at.join(&pages);
        match profile {
            Profile::Release => engine::shrink(cache, &apart, &to),
            Profile::Dev | Profile::Quick => fs::copy(&apart, &to)
                .map(|_| ())
                .with_context(|| advice(to.display(), FULL)),
        }
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

/// The glue in `at`, whose name has the build's hash.
fn glue_in(at: &Path) -> Result<String> {
    let entries = fs::read_dir(at).with_context(|| advice(at.display(), "run it again"))?;
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|name| name.starts_with("web-") && name.ends_with(".js"))
        .ok_or_else(|| {
            fault(
                format_args!("there is no web-….js in {}", at.display()),
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

/// Returns the path at which the running program can be read. Cargo puts another file in its place as soon as it builds
/// xtask's own tests, with whose features it is linked anew; Linux keeps what runs at hand nevertheless.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        std::env::current_exe()
    }
}

/// The command line that trunk gives wasm-bindgen; anything else is refused, so that nothing is left undone in silence.
#[derive(Args)]
pub struct Bind {
    /// Where the parts go.
    folder: PathBuf,
    /// Take the module apart first.
    #[arg(long)]
    split: bool,
    /// Say which wasm-bindgen this is.
    #[arg(long)]
    version: bool,
    /// The kind of glue.
    #[arg(long, value_parser = ["web"])]
    target: Option<String>,
    /// Where the glue and the bound module go.
    #[arg(long)]
    out_dir: Option<PathBuf>,
    /// Name of the glue and of the bound module.
    #[arg(long)]
    out_name: Option<String>,
    /// Write no declarations.
    #[arg(long)]
    no_typescript: bool,
    /// The compiler's module.
    module: Option<PathBuf>,
}

/// Stands in for wasm-bindgen, of which trunk knows the command line alone: takes the module apart, if that is wanted, and
/// binds the first part to JavaScript. The others stay in the folder.
pub fn bind(cache: &Cache, asked: Bind) -> Result<()> {
    if asked.version {
        println!("wasm-bindgen {}", tools::wasm_bindgen(cache)?);
        return Ok(());
    }
    let (Some(module), Some(out_dir), Some(out_name)) =
        (&asked.module, &asked.out_dir, &asked.out_name)
    else {
        return Err(fault(
            "trunk named no module, no --out-dir or no --out-name",
            "see what changed in trunk",
        ));
    };
    let parts = asked.split.then_some(&asked.folder);
    bound(module, parts, out_dir, out_name, !asked.no_typescript)
}

/// Binds a module to JavaScript, and before that takes it apart in the folder `parts`, if there is one.
fn bound(
    module: &Path,
    parts: Option<&PathBuf>,
    to: &Path,
    name: &str,
    typescript: bool,
) -> Result<()> {
    let module = match parts {
        Some(folder) => first_part(module, folder)?,
        None => module.to_path_buf(),
    };
    Bindgen::new()
        .input_path(&module)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .out_name(name)
                .typescript(typescript)
                // The parts share the first one's table of functions.
                .keep_lld_exports(parts.is_some())
                .generate(to)
        })
        .with_context(|| {
            advice(
                format_args!("{} can't be bound to JavaScript", module.display()),
                "wasm-bindgen and wasm-bindgen-cli-support must be of one version in Cargo.toml",
            )
        })
}

/// Takes a module apart in `folder`; answers with the first part.
fn first_part(module: &Path, folder: &Path) -> Result<PathBuf> {
    let bytes = fs::read(module).with_context(|| advice(module.display(), "run it again"))?;
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
    Ok(first)
}
