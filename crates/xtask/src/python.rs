//! Python's own tools: `pip` to fetch the model's weights, and an environment with the oracles that tests compare with.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::cache::{self, Cache, Made};
use crate::debian;
use crate::fault::fault;
use crate::run;

/// A Python environment with pinned packages.
pub struct Environment {
    /// Its name in logs.
    name: &'static str,
    /// Its pinned packages, relative to the clone: the file that is installed, then those that it includes.
    pub requirements: &'static [&'static str],
}

/// Packages that the tests compare with.
pub const ORACLES: Environment = Environment {
    name: "oracles",
    requirements: &["tests/oracles/requirements.txt"],
};

/// Packages that write the model file of the benches' peers.
pub const PEERS: Environment = Environment {
    name: "peers",
    requirements: &[
        "tests/benches/embed/requirements.txt",
        "tests/oracles/requirements.txt",
    ],
};

/// The program that sends requests made from the edge function's OpenAPI document.
pub const FUZZER: Environment = Environment {
    name: "fuzzer",
    requirements: &["tests/edge/requirements.txt"],
};

/// Packages that the examples in Python import.
pub const EXAMPLES: Environment = Environment {
    name: "examples",
    requirements: &["tests/examples/langgraph/requirements.txt"],
};

/// `python3 -m pip`, installed from the distribution when missing.
pub fn pip(cache: &Cache) -> Result<Command> {
    let pip = || -> Result<Command> {
        let mut command = run::program(cache, "python3")?;
        command
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .args(["-m", "pip"]);
        Ok(command)
    };
    let works = || -> Result<bool> {
        let mut ask = pip()?;
        ask.arg("--version");
        Ok(run::answer(ask).is_some())
    };
    if !works()? {
        debian::install(cache, &["python3-pip", "python3-venv"])?;
    }
    if works()? {
        return pip();
    }
    Err(fault(
        "python3 has no pip",
        "install it: python3 -m ensurepip, or your distribution's python3-pip",
    ))
}

impl Environment {
    /// Its interpreter; the environment is made when absent.
    pub fn interpreter(&self, cache: &Cache) -> Result<PathBuf> {
        Ok(make(cache, self)?.0.join("bin/python3"))
    }

    /// Makes it when absent.
    pub fn ensure(&self, cache: &Cache) -> Result<String> {
        Ok(match make(cache, self)?.1 {
            Made::Before => "already there".into(),
            Made::Now => String::new(),
        })
    }
}

fn make(cache: &Cache, environment: &Environment) -> Result<(PathBuf, Made)> {
    let key = cache::key_of(
        &cache.root,
        environment.requirements,
        &[&interpreter(cache)?],
    )?;
    // An environment knows its own path, so it is made where it stays; the mark says that it is whole.
    let at = cache.dir("venv")?.join(&key);
    let mark = at.join("whole");
    if mark.exists() {
        return Ok((at, Made::Before));
    }
    let remedy = "check that python3 has venv and pip and that PyPI can be reached";
    pip(cache)?;
    cache::fresh_dir(&at)?;
    let mut venv = run::program(cache, "python3")?;
    venv.args(["-m", "venv"]).arg(&at);
    if run::quiet(cache, "venv", venv, None, remedy).is_err() {
        debian::install(cache, &["python3-venv"])?;
        let mut again = run::program(cache, "python3")?;
        again.args(["-m", "venv"]).arg(&at);
        run::quiet(cache, "venv", again, None, remedy)?;
    }
    if let Some(requirements) = environment.requirements.first() {
        let mut install = run::program(cache, at.join("bin/python3"))?;
        install
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .args(["-m", "pip", "install", "--requirement"])
            .arg(cache.root.join(requirements));
        run::quiet(cache, environment.name, install, None, remedy)?;
    }
    touch(&mark)?;
    Ok((at, Made::Now))
}

fn interpreter(cache: &Cache) -> Result<String> {
    let mut python = run::program(cache, "python3")?;
    python.args(["-c", "import sys; print(sys.version, sys.executable)"]);
    run::answer(python).ok_or_else(|| fault("python3 is missing", "install Python 3.9 or newer"))
}

fn touch(mark: &Path) -> Result<()> {
    std::fs::write(mark, "").map_err(|cause| {
        fault(
            format_args!("{}: {cause}", mark.display()),
            "free some space",
        )
    })
}
