//! Coding agents' clients as npm has them, each in a folder of the cache, and the suite that walks through them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache, Made};
use crate::fault::{advice, fault};
use crate::node_tests::node_tests;
use crate::progress::{Plan, say};
use crate::{debian, run};

const REMEDY: &str =
    "check that the npm registry can be reached; `cargo xtask test clients NAME` takes one alone";

/// A client: its name here, its package, and what npm would run after it was installed.
struct Client {
    name: &'static str,
    package: &'static str,
    /// A script of the package, which npm runs only for packages that somebody allowed.
    script: Option<&'static str>,
}

/// All clients of the suite. Their versions are pinned in `tests/clients/packages`.
const CLIENTS: [Client; 5] = [
    Client {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        script: Some("install.cjs"),
    },
    Client {
        name: "codex",
        package: "@openai/codex",
        script: None,
    },
    Client {
        name: "gemini",
        package: "@google/gemini-cli",
        script: None,
    },
    Client {
        name: "copilot",
        package: "@github/copilot",
        script: None,
    },
    Client {
        name: "opencode",
        package: "opencode-ai",
        script: Some("postinstall.mjs"),
    },
];

/// Walks through the clients; through one where `chosen` names it, as NAME or, in another version, NAME@VERSION.
pub fn test(cache: &Cache, chosen: &str) -> Result<()> {
    let (name, version) = match chosen.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (chosen, None),
    };
    let clients: Vec<&Client> = CLIENTS
        .iter()
        .filter(|client| name.is_empty() || client.name == name)
        .collect();
    if clients.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(fault(
            format_args!("no client is called {name}"),
            format_args!(
                "choose among {}; NAME@VERSION takes another version",
                names.join(", ")
            ),
        ));
    }
    let mut plan = Plan::default();
    plan.step("tmux, and ip", || programs(cache));
    for client in &clients {
        plan.step(format!("{} from npm", client.package), move || {
            Ok(install(cache, client, version)?.1.note())
        });
    }
    plan.run()?;

    let mut places = BTreeMap::new();
    for client in &clients {
        places.insert(client.name, install(cache, client, version)?.0);
    }
    let mut command = apart(cache)?;
    // They wait more than they reckon; where they write, each adds to the same table.
    let writes = std::env::var_os("LESSONLOOP_WRITE").is_some();
    command.arg(format!("--test-concurrency={}", if writes { 1 } else { 2 }));
    for client in &clients {
        command.arg(
            cache
                .root
                .join("tests/clients")
                .join(format!("{}.test.mjs", client.name)),
        );
    }
    command
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .env("LESSONLOOP_CLIENTS", serde_json::to_string(&places)?);
    run::loud(
        command,
        "read the failed step's message above; LESSONLOOP_KEEP=FOLDER keeps every request there, and homes and projects",
    )
}

/// Installs the programs for a terminal and a network of one's own.
fn programs(cache: &Cache) -> Result<String> {
    let missing: Vec<&str> = [("tmux", "tmux"), ("ip", "iproute2")]
        .into_iter()
        .filter(|(program, _)| run::find(cache, &[*program]).is_none())
        .map(|(_, package)| package)
        .collect();
    if missing.is_empty() {
        return Ok("already there".into());
    }
    debian::install(cache, &missing)?;
    Ok(String::new())
}

/// Installs a client, by its lock file or in the version that is asked for; the folder that its `node_modules` is in.
fn install(cache: &Cache, client: &Client, version: Option<&str>) -> Result<(PathBuf, Made)> {
    let pinned = cache.root.join("tests/clients/packages").join(client.name);
    let files = ["package.json", "package-lock.json"].map(|name| pinned.join(name));
    let key = || match version {
        Some(version) => Ok(version.to_owned()),
        None => Ok(cache::file_hash(&files[1])?[..16].to_string()),
    };
    cache.made(&format!("clients/{}", client.name), key, |at| {
        let mut command = run::program(cache, "npm")?;
        command.current_dir(at);
        match version {
            Some(version) => {
                command.args(["install", "--prefix", "."]);
                command.arg(format!("{}@{version}", client.package));
            }
            None => {
                for file in &files {
                    let name = file.file_name().unwrap_or_default();
                    std::fs::copy(file, at.join(name))
                        .with_context(|| advice(file.display(), "free some space"))?;
                }
                // Not `ci`: a registry may lack a package for another platform, and so the lock file.
                command.arg("install");
            }
        }
        command.args(["--no-audit", "--no-fund", "--ignore-scripts"]);
        run::quiet(
            cache,
            &format!("npm-{}", client.name),
            command,
            None,
            REMEDY,
        )?;
        client
            .script
            .map_or(Ok(()), |script| after(cache, client, at, script))
    })
}

/// Runs what npm would have run: it puts the program for this machine in its place.
fn after(cache: &Cache, client: &Client, at: &Path, script: &str) -> Result<()> {
    let package = at.join("node_modules").join(client.package);
    if !package.join(script).exists() {
        return Ok(());
    }
    let mut node = run::program(cache, "node")?;
    node.current_dir(&package).arg(script);
    run::quiet(
        cache,
        &format!("npm-{}-after", client.name),
        node,
        None,
        REMEDY,
    )
}

/// Node's test runner, in a network of its own that reaches this machine alone, where the system gives one.
fn apart(cache: &Cache) -> Result<Command> {
    let node = node_tests(cache)?;
    for flags in [&["-n"][..], &["-r", "-n"]] {
        let mut probe = run::program(cache, "unshare")?;
        probe.args(flags).args(["ip", "link", "set", "lo", "up"]);
        if run::answer(probe).is_none() {
            continue;
        }
        let mut command = run::program(cache, "unshare")?;
        command
            .args(flags)
            .args(["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"])
            .arg(node.get_program())
            .args(node.get_args());
        return Ok(command);
    }
    say(format_args!(
        "The system gives no network of its own (unshare -n): the clients could reach beyond this machine.\n"
    ));
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_pinned_to_one_version_of_its_package() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients");
        for client in &CLIENTS {
            let at = root.join("packages").join(client.name).join("package.json");
            let text = std::fs::read_to_string(&at).unwrap();
            let package: serde_json::Value = serde_json::from_str(&text).unwrap();
            let version = package["dependencies"][client.package].as_str().unwrap();
            assert!(
                version.starts_with(|first: char| first.is_ascii_digit()),
                "{}: {version} is a range",
                at.display()
            );
            assert!(root.join(format!("{}.test.mjs", client.name)).exists());
        }
    }
}
