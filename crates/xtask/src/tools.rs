//! The command-line tool that is built from crates.io: the bundler.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cache::Cache;
use crate::fault::{advice, fault};
use crate::run;
use crate::wasm_target::Toolchain;

/// The newest trunk that compiles with the compilers we support.
const TRUNK: &str = "0.21.14";

/// A tool: the crate, the command that tells its version, and the version.
pub struct Tool {
    krate: &'static str,
    command: &'static str,
    arguments: &'static [&'static str],
    version: &'static str,
}

/// The version of wasm-bindgen, of the library in Cargo.lock: trunk asks for it.
pub fn wasm_bindgen(cache: &Cache) -> Result<String> {
    let lock = cache.root.join("Cargo.lock");
    let text = std::fs::read_to_string(&lock)
        .with_context(|| advice(lock.display(), "restore Cargo.lock from git"))?;
    locked_version(&text, "wasm-bindgen").ok_or_else(|| {
        fault(
            "Cargo.lock does not name wasm-bindgen",
            "restore Cargo.lock from git",
        )
    })
}

/// The command that runs tests in a browser.
pub const RUNNER: &str = "run-wasm";

/// Compiles it beside this program, with which it has the most in common.
pub fn wasm_runner(cache: &Cache) -> Result<()> {
    let mut cargo = run::program(cache, "cargo")?;
    cargo
        .env("CARGO_TARGET_DIR", run::own_target()?)
        .args(["build", "--profile", "tool", "-p", "xtask"])
        .args(["--features", RUNNER, "--bin", RUNNER]);
    run::quiet(
        cache,
        RUNNER,
        cargo,
        None,
        "read the compiler's message above",
    )
}

/// The path to look for programs on, with the folder of that command in front.
pub fn beside_wasm_runner(cache: &Cache) -> Result<OsString> {
    let path = cache.path()?;
    let all = std::iter::once(run::own_target()?.join("tool")).chain(std::env::split_paths(&path));
    std::env::join_paths(all).context("move the clone to a path without a colon")
}

/// `trunk`, which bundles the dashboard.
pub fn trunk() -> Tool {
    Tool {
        krate: "trunk",
        command: "trunk",
        // It looks for no update and downloads nothing here: no TLS.
        arguments: &["--no-default-features"],
        version: TRUNK,
    }
}

impl Tool {
    /// Returns its command and version for the progress line.
    pub fn title(&self) -> String {
        format!("{} {}", self.command, self.version)
    }

    /// Installs the tool into the cache, unless the right version is there or on the path.
    pub fn ensure(&self, cache: &Cache) -> Result<String> {
        if self.present(cache)? {
            return Ok("already there".into());
        }
        let remedy = format!(
            "read the log; or install it by hand: cargo install {} --version {}",
            self.krate, self.version
        );
        let log = format!("install-{}", self.krate);
        // A lock may name a version that the registry at hand does not serve: then take the newest that fit.
        run::quiet(cache, &log, self.install(cache, true)?, None, &remedy)
            .or_else(|_| run::quiet(cache, &log, self.install(cache, false)?, None, &remedy))?;
        if self.present(cache)? {
            return Ok(String::new());
        }
        Err(fault(
            format_args!("{} is installed but another version answers", self.title()),
            format_args!("remove the other `{}` from PATH", self.command),
        ))
    }

    fn present(&self, cache: &Cache) -> Result<bool> {
        let mut ask = run::program(cache, self.command)?;
        ask.arg("--version");
        let answer = run::answer(ask).unwrap_or_default();
        Ok(answer.split_whitespace().any(|word| word == self.version))
    }

    fn install(&self, cache: &Cache, locked: bool) -> Result<Command> {
        let mut command = run::program(cache, "cargo")?;
        // Built once and used for seconds, to start other programs: not optimised.
        command
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .current_dir(&cache.home)
            .args([
                "install",
                self.krate,
                "--version",
                self.version,
                "--force",
                "--root",
            ])
            .arg(cache.dir("tools")?)
            .arg("--target-dir")
            .arg(cache.dir("target/tools")?)
            .args(self.arguments);
        if locked {
            command.arg("--locked");
        }
        Ok(command)
    }
}

/// The version of a package in a lock file.
fn locked_version(lock: &str, name: &str) -> Option<String> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{name}\""))?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.trim_end_matches('"').to_string())
}

/// Linting for wasm32 with the distribution's toolchain takes the distribution's clippy; rustup's comes with rustup.
pub fn ensure_wasm_clippy(cache: &Cache) -> Result<String> {
    let there = || -> Result<bool> {
        let mut clippy = Toolchain::need(cache)?.cargo(cache)?;
        clippy.args(["clippy", "--version"]);
        Ok(run::answer(clippy).is_some())
    };
    if there()? {
        return Ok("already there".into());
    }
    if Toolchain::need(cache)?.is_linked() {
        crate::debian::install(cache, &["rust-web-clippy"])?;
    }
    if there()? {
        return Ok(String::new());
    }
    Err(fault(
        "clippy is missing",
        "rustup component add clippy rustfmt",
    ))
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    #[test]
    fn the_version_is_the_named_packages_own() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(
            locked_version(lock, "wasm-bindgen").as_deref(),
            Some("0.2.130")
        );
        assert_eq!(locked_version(lock, "wasm-pack"), None);
    }
}
