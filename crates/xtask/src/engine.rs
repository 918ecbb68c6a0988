//! The engine module: compiled (plain, and with relaxed SIMD), bound to JavaScript, for a release optimised.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::json;
use wasm_bindgen_cli_support::Bindgen;

use crate::cache::{self, Cache, Made};
use crate::fault::{advice, fault};
use crate::profile::Profile;
use crate::wasm_target::{TARGET, Toolchain};
use crate::{npm, relaxed, run};

/// The crates that the module is made of.
const ROOMS: [&str; 16] = [
    "difflib-exact",
    "inventory",
    "lesson-types",
    "lesson-clients",
    "lesson-core",
    "lesson-derive",
    "lesson-edge",
    "lesson-embed",
    "lesson-formats",
    "lesson-local",
    "lesson-mcp",
    "lesson-screen",
    "lesson-service",
    "lesson-sync",
    "lesson-wasm",
    "workspace-hack",
];

/// Features that wasm-opt may use: those that the compiler assumes of every host, and SIMD.
const FEATURES: [&str; 8] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
];

const FULL: &str = "free some space";

/// The two builds of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// Runs wherever SIMD does.
    Plain,
    /// For hosts with relaxed SIMD.
    Relaxed,
}

impl Module {
    /// Returns its name for the progress line.
    pub fn title(self) -> &'static str {
        match self {
            Self::Plain => "engine module",
            Self::Relaxed => "engine module with relaxed SIMD",
        }
    }

    /// Returns the beginning of its files' names in `dist/engine`. Each build has a glue of its own, as wasm-bindgen numbers a
    /// module's imports by where they lie in it.
    fn stem(self) -> &'static str {
        match self {
            Self::Plain => "lessonloop",
            Self::Relaxed => "lessonloop_relaxed",
        }
    }

    fn wasm(self) -> String {
        format!("{}_bg.wasm", self.stem())
    }

    fn glue(self) -> String {
        format!("{}.js", self.stem())
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Relaxed => "relaxed",
        }
    }
}

/// The builds that a `dist/` gets. Hosts choose by file names, so both names are there in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builds {
    /// The plain one under both names: it runs on every host, and half of the compiling is left out.
    One,
    /// Each host gets the one that is fastest there.
    Both,
}

impl Builds {
    /// Returns the modules that are compiled.
    pub fn modules(self) -> &'static [Module] {
        match self {
            Self::One => &[Module::Plain],
            Self::Both => &[Module::Plain, Module::Relaxed],
        }
    }
}

/// Lists what the module is made of: files and folders of the clone.
pub fn sources() -> Vec<String> {
    let mut inputs = vec![
        "Cargo.toml".into(),
        "Cargo.lock".into(),
        ".cargo/config.toml".into(),
    ];
    for room in ROOMS {
        for part in ["Cargo.toml", "build.rs", "src", "data", "examples"] {
            inputs.push(format!("crates/{room}/{part}"));
        }
    }
    inputs
}

/// The folder with one build of the module and its glue, made when its sources changed.
pub fn module(cache: &Cache, profile: Profile, which: Module) -> Result<(PathBuf, Made)> {
    let toolchain = Toolchain::need(cache)?;
    let inputs = sources();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let words = [
        toolchain.key(),
        profile.folder(),
        which.name(),
        include_str!("engine.rs"),
        include_str!("relaxed.rs"),
    ];
    // Before this one's turn, as it takes a turn itself.
    let other = match (profile, which) {
        (Profile::Release, Module::Plain) => Some(module(cache, profile, Module::Relaxed)?.0),
        _ => None,
    };
    let key = || cache::key_of(&cache.root, &inputs, &words);
    cache.made("engine", key, |at| {
        if let Some(other) = &other {
            return plain(cache, other, at);
        }
        let wasm = compile(cache, &toolchain, profile, which)?;
        bind(&wasm, which, at)?;
        if which == Module::Plain {
            declare(cache, &at.join("lessonloop.d.ts"))?;
        }
        match profile {
            Profile::Dev | Profile::Quick => Ok(()),
            Profile::Release => optimise(cache, &at.join(which.wasm())),
        }
    })
}

/// Compiles the module; answers with cargo's file.
fn compile(
    cache: &Cache,
    toolchain: &Toolchain,
    profile: Profile,
    module: Module,
) -> Result<PathBuf> {
    let out = toolchain
        .target_dir(cache)?
        .join(TARGET)
        .join(profile.folder());
    // Both builds leave the same file name, and cargo would take the other build's file for a fresh one.
    let last = out.join("lesson_wasm.last");
    if fs::read_to_string(&last).unwrap_or_default() != module.name() {
        for left in [
            out.join("lesson_wasm.wasm"),
            out.join("deps/lesson_wasm.wasm"),
        ] {
            if left.exists() {
                fs::remove_file(&left)
                    .with_context(|| advice(left.display(), "check the cache's permissions"))?;
            }
        }
        fs::create_dir_all(&out).with_context(|| advice(out.display(), FULL))?;
        fs::write(&last, module.name()).with_context(|| advice(last.display(), FULL))?;
    }
    let mut cargo = toolchain.cargo(cache)?;
    cargo
        .args(["build", "-p", "lesson-wasm", "--lib", "--target", TARGET])
        .args(profile.for_cargo());
    if module == Module::Relaxed {
        cargo.args(["--features", "relaxed-simd"]);
    }
    if let Some(unified) = profile.unified() {
        cargo.args(["--features", unified]);
    }
    run::quiet(
        cache,
        &format!("engine-{}", module.name()),
        cargo,
        None,
        "read the compiler's message above",
    )?;
    Ok(out.join("lesson_wasm.wasm"))
}

/// The module as the compiler links it, with its functions' names. Only the last link is done again for it.
pub fn with_names(cache: &Cache) -> Result<PathBuf> {
    let toolchain = Toolchain::need(cache)?;
    let mut cargo = toolchain.cargo(cache)?;
    cargo
        .args(["rustc", "-p", "lesson-wasm", "--lib", "--target", TARGET])
        .args(["--features", "relaxed-simd"])
        .args(Profile::Release.for_cargo())
        .args(["--", "-C", "strip=debuginfo"]);
    run::quiet(
        cache,
        "engine-names",
        cargo,
        None,
        "read the compiler's message above",
    )?;
    let out = toolchain.target_dir(cache)?.join(TARGET);
    Ok(out.join(Profile::Release.folder()).join("lesson_wasm.wasm"))
}

/// Writes the JavaScript glue, the types and the bound module.
fn bind(wasm: &Path, which: Module, at: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(wasm)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .out_name(which.stem())
                .typescript(true)
                // `init()` without arguments fetches the module beside the glue; the library leaves that out by itself.
                .omit_default_module_path(false)
                // workerd can't load the glue a second time: there a fresh instance takes a trapped one's place behind it.
                .reset_state_function(true)
                .generate(at)
        })
        .with_context(|| {
            advice(
                format_args!("{} can't be bound to JavaScript", wasm.display()),
                "wasm-bindgen and wasm-bindgen-cli-support must be of one version in Cargo.toml",
            )
        })
}

/// Writes a module of the dashboard as small as it gets, as www/index.html has Trunk do it.
pub fn shrink(cache: &Cache, wasm: &Path, to: &Path) -> Result<()> {
    wasm_opt(cache, &["-Oz", "--reorder-functions-by-name"], wasm, to)
}

/// The plain module of a release, made of the other one.
fn plain(cache: &Cache, other: &Path, at: &Path) -> Result<()> {
    for file in cache::files(other)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let to = at.join(name.replacen(Module::Relaxed.stem(), Module::Plain.stem(), 1));
        let wrong = |cause| {
            fault(
                format_args!(
                    "{} does not become the plain module: {cause}",
                    file.display()
                ),
                "see crates/xtask/src/relaxed.rs",
            )
        };
        let bytes = fs::read(&file).with_context(|| advice(file.display(), "build again"))?;
        let bytes = if name.ends_with(".wasm") {
            relaxed::without(&bytes).map_err(wrong)?
        } else {
            let text = String::from_utf8(bytes).map_err(|cause| wrong(cause.to_string()))?;
            // Names by which the module calls its imports stay as the module has them.
            text.replace(&Module::Relaxed.wasm(), &Module::Plain.wasm())
                .into_bytes()
        };
        fs::write(&to, bytes).with_context(|| advice(to.display(), FULL))?;
    }
    declare(cache, &at.join("lessonloop.d.ts"))
}

fn optimise(cache: &Cache, wasm: &Path) -> Result<()> {
    let whole = wasm.with_extension("whole");
    fs::rename(wasm, &whole).with_context(|| advice(wasm.display(), FULL))?;
    wasm_opt(cache, &["-O", "--enable-relaxed-simd"], &whole, wasm)?;
    fs::remove_file(&whole).with_context(|| advice(whole.display(), FULL))
}

fn wasm_opt(cache: &Cache, options: &[&str], from: &Path, to: &Path) -> Result<()> {
    npm::ensure(cache)?;
    let mut opt = run::program(cache, "wasm-opt")?;
    opt.args(FEATURES).args(options).arg(from).arg("-o").arg(to);
    run::quiet(cache, "wasm-opt", opt, None, "run `cargo xtask setup`")
}

/// Adds the types of requests and answers, which lesson-types prints, to the declarations of the glue.
fn declare(cache: &Cache, declarations: &Path) -> Result<()> {
    let mut printer = run::cargo(cache)?;
    printer.args([
        "run",
        "--quiet",
        "-p",
        "lesson-types",
        "--features",
        "typescript",
        "--example",
        "typescript",
    ]);
    let types = run::output(
        printer,
        "read the compiler's message: cargo run -p lesson-types --features typescript --example typescript",
    )?;
    let glue =
        fs::read_to_string(declarations).with_context(|| advice(declarations.display(), FULL))?;
    fs::write(declarations, format!("{glue}\n{types}\n"))
        .with_context(|| advice(declarations.display(), FULL))
}

/// Copies the builds into `dist/engine`, each with its glue.
pub fn collect(cache: &Cache, profile: Profile, builds: Builds, to: &Path) -> Result<()> {
    let plain = module(cache, profile, Module::Plain)?.0;
    cache::copy_tree(&plain, to, &|_| true)?;
    let (from, of) = match builds {
        Builds::One => (plain, Module::Plain),
        Builds::Both => (module(cache, profile, Module::Relaxed)?.0, Module::Relaxed),
    };
    for (file, name) in [
        (of.wasm(), Module::Relaxed.wasm()),
        (of.glue(), Module::Relaxed.glue()),
    ] {
        fs::copy(from.join(file), to.join(name)).with_context(|| advice(to.display(), FULL))?;
    }
    // Both have the same types.
    let types = format!("{}.d.ts", Module::Relaxed.stem());
    fs::write(
        to.join(types),
        "export * from \"./lessonloop.js\";\nexport { default } from \"./lessonloop.js\";\n",
    )
    .with_context(|| advice(to.display(), FULL))?;
    // Node takes the glue for an ES module by this.
    let package = json!({ "name": "lessonloop", "private": true, "type": "module", "main": "lessonloop.js", "types": "lessonloop.d.ts" });
    fs::write(to.join("package.json"), format!("{package:#}\n"))
        .with_context(|| advice(to.display(), FULL))
}

/// Writes `manifest.json`: the size and the hash of each file, for hosts that check or show a download's progress.
pub fn write_manifest(engine: &Path) -> Result<()> {
    let mut files = serde_json::Map::new();
    for file in cache::files(engine)? {
        let name = file
            .strip_prefix(engine)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        let bytes = file
            .metadata()
            .with_context(|| advice(file.display(), FULL))?
            .len();
        files.insert(
            name,
            json!({ "bytes": bytes, "sha256": cache::file_hash(&file)? }),
        );
    }
    let manifest = json!({ "version": env!("CARGO_PKG_VERSION"), "files": files });
    fs::write(engine.join("manifest.json"), format!("{manifest:#}\n"))
        .with_context(|| advice(engine.display(), FULL))
}
