//! Packages of Debian and its kin, where we may install them.

use std::process::Command;

use anyhow::Result;

use crate::cache::Cache;
use crate::fault::fault;
use crate::run;

/// Installs packages with `apt-get`, which takes root or passwordless `sudo`.
pub fn install(cache: &Cache, packages: &[&str]) -> Result<()> {
    let by_hand = format!(
        "install them by hand: apt-get install {}",
        packages.join(" ")
    );
    if run::find(cache, &["apt-get"]).is_none() {
        return Err(fault(
            format_args!(
                "this machine has no apt-get to install {}",
                packages.join(", ")
            ),
            "install what they provide with the machine's own package manager",
        ));
    }
    let as_root = is_root(cache);
    if !as_root && !may_sudo(cache) {
        return Err(fault(
            format_args!("installing {} takes root", packages.join(", ")),
            by_hand,
        ));
    }
    let apt = |arguments: &[&str]| -> Result<Command> {
        let mut command = run::program(cache, if as_root { "apt-get" } else { "sudo" })?;
        if !as_root {
            command.args(["-n", "apt-get"]);
        }
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments);
        Ok(command)
    };
    let mut wanted = vec!["install", "-y", "--no-install-recommends"];
    wanted.extend(packages);
    if run::quiet(cache, "apt", apt(&wanted)?, None, &by_hand).is_ok() {
        return Ok(());
    }
    // The usual reason on a fresh machine: the lists of packages are missing or old.
    run::quiet(cache, "apt-update", apt(&["update"])?, None, &by_hand)?;
    run::quiet(cache, "apt", apt(&wanted)?, None, &by_hand)
}

/// True if files of the system may be written.
pub fn is_root(cache: &Cache) -> bool {
    run::program(cache, "id")
        .ok()
        .and_then(|mut id| {
            id.arg("-u");
            run::answer(id)
        })
        .is_some_and(|id| id == "0")
}

fn may_sudo(cache: &Cache) -> bool {
    run::program(cache, "sudo").ok().is_some_and(|mut sudo| {
        sudo.args(["-n", "true"]);
        run::answer(sudo).is_some()
    })
}
