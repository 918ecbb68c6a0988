//! Running other programs: with the cache's tools on the path, a log when quiet, a bound when they may hang.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::cache::Cache;
use crate::fault::{advice, fault};
use crate::progress::Clock;

/// Lines of a quiet program's log that are shown when it fails.
const SHOWN: usize = 40;

/// A program to be run in the clone, with the tools of the cache on its path.
///
/// Variables that `cargo run` set for xtask itself are removed: they would leak into build scripts and make
/// them rebuild.
pub fn program(cache: &Cache, name: impl AsRef<OsStr>) -> Result<Command> {
    let mut command = Command::new(name);
    command.current_dir(&cache.root).stdin(Stdio::null());
    command.env("PATH", cache.path()?);
    // For sources that lie outside their package: see tests/tidy.rs.
    command.env("LESSONLOOP_ROOT", &cache.root);
    for (variable, _) in std::env::vars_os() {
        let text = variable.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_BIN_")
            || text.starts_with("CARGO_MANIFEST_")
            || matches!(
                &*text,
                "CARGO"
                    | "CARGO_CRATE_NAME"
                    | "CARGO_PRIMARY_PACKAGE"
                    | "CARGO_TARGET_DIR"
                    | "OUT_DIR"
            )
        {
            command.env_remove(&variable);
        }
    }
    Ok(command)
}

/// `cargo` for code that runs on this machine, with its target folder in the cache.
pub fn cargo(cache: &Cache) -> Result<Command> {
    let mut command = program(cache, "cargo")?;
    command.env("CARGO_TARGET_DIR", cache.dir("target/host")?);
    Ok(command)
}

/// The same program with the same words in the same place, to be given more.
pub fn again(command: &Command) -> Command {
    let mut more = Command::new(command.get_program());
    more.args(command.get_args()).stdin(Stdio::null());
    if let Some(folder) = command.get_current_dir() {
        more.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => more.env(name, value),
            None => more.env_remove(name),
        };
    }
    more
}

/// The target folder that this program was compiled in: cargo put it into one of the profile's name below.
pub fn own_target() -> Result<PathBuf> {
    let program = std::env::current_exe().context("run `cargo xtask` again")?;
    let target = program.ancestors().nth(2);
    target.map(Path::to_path_buf).ok_or_else(|| {
        fault(
            format_args!("{} lies in no target folder", program.display()),
            "run `cargo xtask` in the clone",
        )
    })
}

/// Runs a program whose output is for the user.
pub fn loud(mut command: Command, remedy: &str) -> Result<()> {
    let shown = show(&command);
    let status = command.status().with_context(|| advice(&shown, remedy))?;
    if status.success() {
        return Ok(());
    }
    Err(fault(format_args!("`{shown}` failed ({status})"), remedy))
}

/// Runs a program with its output in `logs/NAME.log` of the cache; the log's end is shown when it fails. With a bound,
/// a program that takes longer is ended.
pub fn quiet(
    cache: &Cache,
    log: &str,
    mut command: Command,
    bound: Option<Duration>,
    remedy: &str,
) -> Result<()> {
    let shown = show(&command);
    let at = cache.dir("logs")?.join(format!("{log}.log"));
    let file = File::create(&at).with_context(|| advice(at.display(), "free some space"))?;
    let other = file
        .try_clone()
        .with_context(|| advice(at.display(), "free some space"))?;
    let mut child = command
        .stdout(file)
        .stderr(other)
        .spawn()
        .with_context(|| advice(format_args!("`{shown}` could not be started"), remedy))?;
    let mut clock = Clock::start();
    loop {
        if let Some(status) = child.try_wait().with_context(|| advice(&shown, remedy))? {
            if status.success() {
                return Ok(());
            }
            let what = format!("`{shown}` failed ({status}):\n{}", tail(&at));
            return Err(fault(what, remedy));
        }
        if bound.is_some_and(|bound| clock.elapsed() > bound) {
            let _ = child.kill();
            let _ = child.wait();
            let what = format!("`{shown}` was ended after {clock}:\n{}", tail(&at));
            return Err(fault(what, remedy));
        }
        clock.tick();
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Runs a program and returns its standard output, trimmed; `None` when it is missing or fails.
pub fn answer(mut command: Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}

/// Runs a program that must succeed and returns its standard output, trimmed.
pub fn output(mut command: Command, remedy: &str) -> Result<String> {
    let shown = show(&command);
    let output = command.output().with_context(|| advice(&shown, remedy))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(fault(
            format_args!("`{shown}` failed ({}):\n{said}", output.status),
            remedy,
        ));
    }
    String::from_utf8(output.stdout)
        .map(|text| text.trim().to_string())
        .with_context(|| advice(&shown, remedy))
}

/// The first of these commands that exists: a path, or a name on the path.
pub fn find(cache: &Cache, names: &[&str]) -> Option<PathBuf> {
    let path = cache.path().ok()?;
    names.iter().find_map(|name| {
        if Path::new(name).is_absolute() {
            return Path::new(name).is_file().then(|| PathBuf::from(name));
        }
        std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    })
}

/// The command line, as one would type it.
fn show(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for part in command.get_args() {
        line.push(' ');
        line.push_str(&part.to_string_lossy());
    }
    line
}

/// The last lines of a log and where all of it is.
fn tail(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(SHOWN);
    format!(
        "{}\n(all of it: {})",
        lines[from..].join("\n"),
        log.display()
    )
}
