//! One server process of the stack: as which user it runs, how it starts, and that it ends with us.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::cache::Cache;
use crate::debian;
use crate::fault::{advice, fault};
use crate::progress::Clock;
use crate::run;

/// Keeps a server running for as long as we live.
const SUPERVISOR: &str = include_str!("supervise.sh");

/// Most time that a server may take to be ready, and to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// The user that PostgreSQL runs as when we are root, which it refuses to be.
const USER: &str = "postgres";

/// Whom servers run as.
#[derive(Clone, Copy)]
pub struct Owner(Option<(u32, u32)>);

impl Owner {
    /// Ourselves, or a user made for it when we are root.
    pub fn find(cache: &Cache) -> Result<Self> {
        if !debian::is_root(cache) {
            return Ok(Self(None));
        }
        if let Some(ids) = ids(cache)? {
            return Ok(Self(Some(ids)));
        }
        let remedy =
            format!("add the user by hand: useradd --system --user-group {USER}; or don't be root");
        let mut add = run::program(cache, "useradd")?;
        add.args(["--system", "--user-group", "--no-create-home"])
            .args(["--shell", "/usr/sbin/nologin", USER]);
        run::quiet(cache, "useradd", add, None, &remedy)?;
        ids(cache)?.map_or_else(
            || Err(fault(format_args!("no user {USER}"), remedy)),
            |ids| Ok(Self(Some(ids))),
        )
    }

    /// True if it is another user than we are.
    pub fn is_other(self) -> bool {
        self.0.is_some()
    }

    /// A program run as this user.
    pub fn program(self, cache: &Cache, program: &Path) -> Result<Command> {
        let mut command = run::program(cache, program)?;
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        // The clone may lie where that user can't go.
        command.current_dir("/");
        Ok(command)
    }

    /// Gives a file or folder to this user.
    pub fn own(self, at: &Path) -> Result<()> {
        let Some((user, group)) = self.0 else {
            return Ok(());
        };
        std::os::unix::fs::chown(at, Some(user), Some(group))
            .with_context(|| advice(at.display(), "check the folder's permissions"))
    }
}

fn ids(cache: &Cache) -> Result<Option<(u32, u32)>> {
    let ask = |which: &str| -> Result<Option<u32>> {
        let mut id = run::program(cache, "id")?;
        id.args([which, USER]);
        Ok(run::answer(id).and_then(|id| id.parse().ok()))
    };
    Ok(ask("-u")?.zip(ask("-g")?))
}

/// A running server. It is stopped when this is dropped, and when this process ends in any way.
pub struct Server {
    name: &'static str,
    log: PathBuf,
    child: Child,
}

impl Server {
    /// Starts a program that runs until it gets `signal`; its output goes to a log file.
    pub fn start(
        name: &'static str,
        mut base: Command,
        signal: &str,
        program: &Path,
        arguments: &[String],
        log: PathBuf,
    ) -> Result<Self> {
        let remedy = "check that there is a POSIX shell and some space";
        let out = File::create(&log).with_context(|| advice(log.display(), remedy))?;
        let other = out
            .try_clone()
            .with_context(|| advice(log.display(), remedy))?;
        let child = base
            .args(["-c", SUPERVISOR, "supervise", signal])
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(other)
            // Not in the terminal's group: Ctrl-C is for us, and the servers end after us, in order.
            .process_group(0)
            .spawn()
            .with_context(|| advice(name, remedy))?;
        Ok(Self { name, log, child })
    }

    /// Waits until the server answers.
    pub fn wait(&self, ready: impl Fn() -> bool) -> Result<()> {
        let clock = Clock::start();
        while !ready() {
            if clock.elapsed() > PATIENCE {
                let text = std::fs::read_to_string(&self.log).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let end = lines[lines.len().saturating_sub(20)..].join("\n");
                return Err(fault(
                    format_args!("{} does not answer:\n{end}", self.name),
                    format_args!(
                        "mend what {} names; `cargo xtask stack` starts anew",
                        self.log.display()
                    ),
                ));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Closes the pipe, which ends the supervisor and its server.
        drop(self.child.stdin.take());
        let clock = Clock::start();
        while matches!(self.child.try_wait(), Ok(None)) {
            if clock.elapsed() > PATIENCE {
                eprintln!(
                    "{} did not stop; its group is {}",
                    self.name,
                    self.child.id()
                );
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
