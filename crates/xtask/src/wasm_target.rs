//! The standard library for wasm32: from rustup, or built from the distribution's Rust source where rustup can't
//! download.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache};
use crate::debian;
use crate::fault::{advice, fault};
use crate::progress::say;
use crate::run;

/// The only target besides the host.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The rustup name of the distribution's toolchain, when it is needed.
const LINKED: &str = "lessonloop-web";

/// Where the distribution's compiler lives.
const SYSTEM: &str = "/usr";

/// A download of some 25 MB; behind a closed network rustup would try for very long.
const DOWNLOAD: Duration = Duration::from_secs(90);

const REMEDY: &str =
    "run `rustup target add wasm32-unknown-unknown` where the network allows it, then try again";

/// A toolchain that can compile for wasm32.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The name for `RUSTUP_TOOLCHAIN`; none when the one in use has the target.
    name: Option<&'static str>,
    /// Names the compiler and its wasm32 library: what was compiled under another key is stale.
    key: String,
}

impl Toolchain {
    /// The toolchain to use, if one can compile for wasm32 now.
    pub fn find(cache: &Cache) -> Option<Self> {
        [None, Some(LINKED)]
            .into_iter()
            .find_map(|name| Self::probe(cache, name))
    }

    /// The toolchain to use, or how to get one.
    pub fn need(cache: &Cache) -> Result<Self> {
        Self::find(cache).ok_or_else(|| {
            fault(
                "no toolchain here compiles for wasm32",
                "run `cargo xtask setup`",
            )
        })
    }

    /// True if the distribution's toolchain is the one in use.
    pub fn is_linked(&self) -> bool {
        self.name.is_some()
    }

    /// The key of everything compiled with this toolchain.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Where `cargo` leaves what it compiles with this toolchain.
    pub fn target_dir(&self, cache: &Cache) -> Result<PathBuf> {
        cache.dir(format!("target/wasm-{}", self.key))
    }

    /// Makes a command use this toolchain and its target folder.
    pub fn apply(&self, cache: &Cache, command: &mut Command) -> Result<()> {
        if let Some(name) = self.name {
            command.env("RUSTUP_TOOLCHAIN", name);
        }
        command.env("CARGO_TARGET_DIR", self.target_dir(cache)?);
        Ok(())
    }

    /// `cargo` with this toolchain.
    pub fn cargo(&self, cache: &Cache) -> Result<Command> {
        let mut command = run::program(cache, "cargo")?;
        self.apply(cache, &mut command)?;
        Ok(command)
    }

    fn probe(cache: &Cache, name: Option<&'static str>) -> Option<Self> {
        let rustc = |arguments: &[&str]| {
            let mut command = run::program(cache, "rustc").ok()?;
            if let Some(name) = name {
                command.env("RUSTUP_TOOLCHAIN", name);
            }
            run::answer({
                command.args(arguments);
                command
            })
        };
        let version = rustc(&["-vV"])?;
        let library = rustc(&["--print", "target-libdir", "--target", TARGET])?;
        let inventory = inventory(Path::new(&library));
        if !inventory.contains("libstd-") {
            return None;
        }
        let key = cache::hash(&[version.as_bytes(), inventory.as_bytes()])[..12].to_string();
        let mark = cache.dir("wasm-target").ok()?.join(&key);
        if !mark.exists() {
            compile_something(cache, name)?;
            std::fs::write(&mark, version).ok()?;
        }
        Some(Self { name, key })
    }
}

/// Gets a toolchain that compiles for wasm32, the ordinary way first.
pub fn ensure(cache: &Cache) -> Result<String> {
    if let Some(found) = Toolchain::find(cache) {
        return Ok(note(&found, "already there"));
    }
    let by_rustup = add_by_rustup(cache);
    if let Some(found) = Toolchain::find(cache) {
        return Ok(note(&found, "added by rustup"));
    }
    let why = match by_rustup {
        Ok(()) => "rustup's target does not compile".to_string(),
        Err(fault) => format!("{fault:#}"),
    };
    say(format_args!(
        " not from rustup; building it from the distribution's source …"
    ));
    build_from_distribution(cache).with_context(|| {
        advice(
            format_args!("rustup could not add the target ({why})\nnor did the fallback work"),
            REMEDY,
        )
    })?;
    match Toolchain::find(cache) {
        Some(found) => Ok(note(&found, "built")),
        None => Err(fault(
            "the library was built but does not compile a crate",
            REMEDY,
        )),
    }
}

fn note(found: &Toolchain, how: &str) -> String {
    match found.name {
        Some(name) => format!("{how} (toolchain {name})"),
        None => how.to_string(),
    }
}

fn add_by_rustup(cache: &Cache) -> Result<()> {
    let mut rustup = run::program(cache, "rustup")?;
    // One try: where the network is closed, ten would fail as well.
    rustup
        .env("RUSTUP_MAX_RETRIES", "1")
        .args(["target", "add", TARGET]);
    run::quiet(cache, "rustup-target", rustup, Some(DOWNLOAD), REMEDY)
}

/// Debian's `rustc-web` with its source: compiles `std` once, puts it where that compiler looks for it, and makes the
/// compiler known to rustup. Takes about a minute.
fn build_from_distribution(cache: &Cache) -> Result<()> {
    if run::find(cache, &["rustup"]).is_none() {
        return Err(fault(
            "rustup is missing",
            "install Rust from https://rustup.rs",
        ));
    }
    let system = Path::new(SYSTEM);
    debian::install(cache, &["rustc-web", "rust-web-src", "libstd-rust-web-dev"])?;

    let seed = cache.dir("std-seed")?;
    cache::fresh_dir(&seed)?;
    let manifest = "[package]\nname = \"stdseed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\ncrate-type = [\"cdylib\"]\n\n[profile.release]\npanic = \"abort\"\n\n[workspace]\n";
    let full = "free some space";
    std::fs::write(seed.join("Cargo.toml"), manifest)
        .with_context(|| advice(seed.display(), full))?;
    std::fs::write(seed.join("lib.rs"), "").with_context(|| advice(seed.display(), full))?;

    link_linker(cache, system)?;
    let mut build = run::program(cache, "cargo")?;
    build
        .current_dir(&seed)
        // With bitcode, or fat link-time optimisation can't see into it; with `test`, or tests can't be compiled.
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("RUSTC", system.join("bin/rustc"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", seed.join("target"))
        .args(["build", "--release", "--target", TARGET])
        .args(["-Z", "build-std=std,panic_abort,test"]);
    run::quiet(
        cache,
        "std",
        build,
        None,
        "read the log; the compiler and rust-web-src must be of one version",
    )?;

    // Libraries that an earlier compiler's build left there would be found twice.
    let library = system.join("lib/rustlib").join(TARGET).join("lib");
    cache::fresh_dir(&library)?;
    let built = seed.join("target").join(TARGET).join("release/deps");
    for file in cache::files(&built)? {
        if let (Some(name), Some("rlib")) =
            (file.file_name(), file.extension().and_then(|e| e.to_str()))
        {
            std::fs::copy(&file, library.join(name))
                .with_context(|| advice(library.display(), "run set-up as root"))?;
        }
    }
    let mut link = run::program(cache, "rustup")?;
    link.args(["toolchain", "link", LINKED, SYSTEM]);
    run::quiet(cache, "rustup-link", link, None, "update rustup")
}

/// The distribution's compiler lacks the wasm linker; the one of rustup's toolchain is the same program.
fn link_linker(cache: &Cache, system: &Path) -> Result<()> {
    let rustc = |arguments: &[&str]| -> Result<String> {
        let mut command = run::program(cache, "rustc")?;
        command.args(arguments);
        run::answer(command).ok_or_else(|| {
            fault(
                "rustc does not answer",
                "install Rust from https://rustup.rs",
            )
        })
    };
    let version = rustc(&["-vV"])?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or_else(|| {
            fault(
                "rustc -vV names no host",
                "install Rust from https://rustup.rs",
            )
        })?;
    let sysroot = rustc(&["--print", "sysroot"])?;
    let place = |base: &Path| base.join("lib/rustlib").join(host).join("bin");
    let (ours, theirs) = (place(system), place(Path::new(&sysroot)));
    std::fs::create_dir_all(&ours).with_context(|| advice(ours.display(), "run set-up as root"))?;
    let link = ours.join("rust-lld");
    if link.exists() {
        return Ok(());
    }
    let _ = std::fs::remove_file(&link);
    std::fs::copy(theirs.join("rust-lld"), &link)
        .map(|_| ())
        .with_context(|| advice(link.display(), "run set-up as root"))
}

/// Names, sizes and times of the libraries in a folder: changes when they are rebuilt.
fn inventory(library: &Path) -> String {
    let mut lines = String::new();
    for file in cache::files(library).unwrap_or_default() {
        let Ok(about) = file.metadata() else { continue };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let changed = about
            .modified()
            .ok()
            .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok())
            .unwrap_or_default();
        lines.push_str(&format!("{name} {} {}\n", about.len(), changed.as_secs()));
    }
    lines
}

/// Compiles and links a small module: the library must be of the compiler's own version, and the linker there.
fn compile_something(cache: &Cache, name: Option<&str>) -> Option<()> {
    let work = cache.dir(format!("probe-{}", std::process::id())).ok()?;
    std::fs::write(
        work.join("probe.rs"),
        "#[unsafe(no_mangle)] pub extern \"C\" fn probe(n: usize) -> usize { format!(\"{n}\").len() }\n",
    )
    .ok()?;
    let mut rustc = run::program(cache, "rustc").ok()?;
    if let Some(name) = name {
        rustc.env("RUSTUP_TOOLCHAIN", name);
    }
    rustc.current_dir(&work).args([
        "--edition",
        "2024",
        "--target",
        TARGET,
        "--crate-type",
        "cdylib",
        "probe.rs",
    ]);
    let compiled = run::answer(rustc).is_some() && work.join("probe.wasm").is_file();
    let _ = std::fs::remove_dir_all(&work);
    compiled.then_some(())
}
