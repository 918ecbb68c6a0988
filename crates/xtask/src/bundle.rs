//! `dist/`: the dashboard, the engine module in `engine/`, the model pack beside it, the edge function in `edge/`, the
//! package for Node in `npm/`.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache};
use crate::compressed;
use crate::demo;
use crate::engine::{self, Builds};
use crate::fault::advice;
use crate::integrity;
use crate::model;
use crate::notices;
use crate::npm;
use crate::npm_package;
use crate::page;
use crate::precache;
use crate::profile::Profile;
use crate::progress::Plan;
use crate::run;
use crate::samples;
use crate::serve;
use crate::split::Parts;
use crate::styles;
use crate::wasm_target::{TARGET, Toolchain};

/// The static files that `dist/` takes over as they are.
const STATIC: &str = "www";

/// Files of `dist/` that Cloudflare does not serve: the function itself, packages, and compressed copies, as it
/// compresses by itself.
const ASSETS_IGNORED: &str = "/edge\n/npm\n/release\n/lessonloop-*\n*.br\n";

const COMPILER: &str = "read the compiler's message above";

/// Adds the steps that build `dist/`.
pub fn plan<'a>(cache: &'a Cache, profile: Profile, builds: Builds, plan: &mut Plan<'a>) {
    for &module in builds.modules() {
        plan.step(module.title(), move || {
            Ok(engine::module(cache, profile, module)?.1.note())
        });
    }
    plan.step("demo data", move || {
        Ok(demo::ensure(cache, profile)?.1.note())
    });
    plan.step("dashboard", move || Ok(dashboard(cache, profile)?.1.note()));
    plan.step("dist/", move || assemble(cache, profile, builds));
}

/// Makes the parts of a release that take longest, beside other work: the steps of [`plan`] then find them in the cache.
pub fn ahead(cache: &Cache, profile: Profile, builds: Builds) -> Result<()> {
    for &module in builds.modules() {
        engine::module(cache, profile, module)?;
    }
    demo::ensure(cache, profile)?;
    dashboard(cache, profile).map(|_| ())
}

/// Builds the dashboard, unless its sources are unchanged.
fn dashboard(cache: &Cache, profile: Profile) -> Result<(std::path::PathBuf, cache::Made)> {
    let toolchain = Toolchain::need(cache)?;
    let inputs = [
        "Cargo.toml",
        "Cargo.lock",
        ".cargo/config.toml",
        "Trunk.toml",
        "crates/lesson-derive",
        "crates/lesson-types",
        "crates/workspace-hack",
        "crates/xtask/src/fits.rs",
        "crates/xtask/src/page.rs",
        "crates/xtask/src/split.rs",
        "crates/xtask/src/styles.rs",
        "web",
        // Static files that trunk takes.
        "www/index.html",
        "www/css",
    ];
    let key = || cache::key_of(&cache.root, &inputs, &[toolchain.key(), profile.folder()]);
    cache.made("dashboard", key, |at| {
        let split = profile != Profile::Dev;
        let parts = Parts::new(cache, split)?;
        match profile {
            Profile::Release => by_trunk(cache, &toolchain, &parts, at),
            Profile::Dev | Profile::Quick => by_cargo(cache, &toolchain, profile, &parts, at),
        }?;
        parts.finish(cache, profile, at)?;
        styles::join(at)
    })
}

/// Features of the dashboard.
fn features(profile: Profile) -> Vec<&'static str> {
    let split = (profile != Profile::Dev).then_some("split");
    split.into_iter().chain(profile.unified()).collect()
}

/// Has trunk build the dashboard for shipping.
fn by_trunk(cache: &Cache, toolchain: &Toolchain, parts: &Parts, at: &Path) -> Result<()> {
    let mut trunk = run::program(cache, "trunk")?;
    toolchain.apply(cache, &mut trunk)?;
    trunk
        .env("PATH", parts.shim(cache.path()?)?)
        // trunk takes the variable for its own switch and refuses the customary value.
        .env_remove("NO_COLOR")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        .args(["build", "--offline", "--release", "--dist"])
        .arg(at)
        .arg(format!(
            "--features={}",
            features(Profile::Release).join(",")
        ));
    run::quiet(cache, "dashboard", trunk, None, COMPILER)
}

/// Builds the dashboard to be served on this machine, which needs no trunk.
fn by_cargo(
    cache: &Cache,
    toolchain: &Toolchain,
    profile: Profile,
    parts: &Parts,
    at: &Path,
) -> Result<()> {
    let mut cargo = toolchain.cargo(cache)?;
    cargo
        .args(["build", "-p", "web", "--bin", "web", "--target", TARGET])
        .args(profile.for_cargo())
        .arg(format!("--features={}", features(profile).join(",")));
    run::quiet(cache, "dashboard", cargo, None, COMPILER)?;
    let built = toolchain.target_dir(cache)?.join(TARGET);
    let module = built.join(profile.folder()).join("web.wasm");
    page::write(&cache.root, &module, parts, at)
}

/// Puts the parts together beside `dist/` and swaps them in, so that `dist/` is whole at any time.
fn assemble(cache: &Cache, profile: Profile, builds: Builds) -> Result<String> {
    let _turn = cache::lock(&cache.dir("dist")?)?;
    let full = "free some space and check the permissions of the clone";
    let (new, old, dist) = (
        cache.root.join("dist.new.tmp"),
        cache.root.join("dist.old.tmp"),
        cache.root.join("dist"),
    );
    cache::fresh_dir(&new)?;
    // The page and its styles are trunk's.
    cache::copy_tree(&cache.root.join(STATIC), &new, &|file| {
        file != Path::new("index.html")
            && file.extension().is_none_or(|extension| extension != "css")
            // The package for Node takes it.
            && !file.starts_with("local")
            // The build's result comes in its place.
            && !file.starts_with(demo::FOLDER)
            && !file.starts_with(samples::FOLDER)
    })?;
    cache::copy_tree(&dashboard(cache, profile)?.0, &new, &|_| true)?;

    vendor(cache, &new)?;

    let engine = new.join("engine");
    cache::fresh_dir(&engine)?;
    engine::collect(cache, profile, builds, &engine)?;
    std::fs::copy(model::pack(cache)?, engine.join(model::NAME))
        .with_context(|| advice(engine.display(), full))?;
    engine::write_manifest(&engine)?;
    demo::write(cache, profile, &new)?;
    samples::write(&cache.root, &new)?;
    notices::write(cache, &new)?;
    integrity::write(&new)?;
    finish_edge(&new)?;
    precache::write(&new)?;
    npm_package::write(cache, &new)?;
    bundle_for_mcp(cache, &new)?;
    // Other builds are only served over loopback.
    if profile == Profile::Release {
        compressed::write(cache, &new)?;
    }

    if old.exists() {
        std::fs::remove_dir_all(&old).with_context(|| advice(old.display(), full))?;
    }
    if dist.exists() {
        std::fs::rename(&dist, &old).with_context(|| advice(dist.display(), full))?;
    }
    std::fs::rename(&new, &dist).with_context(|| advice(dist.display(), full))?;
    if old.exists() {
        std::fs::remove_dir_all(&old).with_context(|| advice(old.display(), full))?;
    }
    Ok(String::new())
}

/// Packs the package for Node as a bundle that clients of MCP install with one click.
fn bundle_for_mcp(cache: &Cache, dist: &Path) -> Result<()> {
    let mut node = run::program(cache, "node")?;
    node.arg(cache.root.join("plugins/bundle.mjs")).arg(dist);
    run::quiet(cache, "mcpb", node, None, "read the message above")
}

/// Adds the files of npm packages that pages load, each as its package ships it.
fn vendor(cache: &Cache, dist: &Path) -> Result<()> {
    npm::ensure(cache)?;
    let to = dist.join("vendor");
    cache::fresh_dir(&to)?;
    for (from, name) in npm::VENDORED {
        let from = cache.root.join("tests/node_modules").join(from);
        std::fs::copy(&from, to.join(name))
            .with_context(|| advice(from.display(), "run `cargo xtask setup`"))?;
    }
    Ok(())
}

/// Adds what the edge function takes from the build: the headers of the dashboard's files. The function itself is none
/// of the files that it serves.
fn finish_edge(dist: &Path) -> Result<()> {
    let full = "free some space and check the permissions of the clone";
    let index = dist.join("index.html");
    let page = std::fs::read_to_string(&index).with_context(|| advice(index.display(), full))?;
    let headers: serde_json::Map<String, serde_json::Value> = serve::headers(&page, None, None)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let module = format!(
        "// The headers of the dashboard's files, and the place in them of other servers that it may connect to.\n\
         export const pageHeaders = {:#};\nexport const HOSTED = {};\n",
        serde_json::Value::from(headers),
        serde_json::Value::from(serve::HOSTED),
    );
    // Agents' clients read it, with or without the edge function.
    let (from, to) = (dist.join("edge/openapi.json"), dist.join("openapi.json"));
    std::fs::rename(&from, &to).with_context(|| advice(from.display(), full))?;
    for (name, text) in [
        ("edge/headers.js", module.as_str()),
        (".assetsignore", ASSETS_IGNORED),
    ] {
        let at = dist.join(name);
        std::fs::write(&at, text).with_context(|| advice(at.display(), full))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::finish_edge;
    use crate::serve;

    #[test]
    fn the_edge_function_gets_the_headers_of_the_built_page_and_is_no_asset_itself() {
        let dist = std::env::temp_dir().join(format!("lessonloop-edge-{}", std::process::id()));
        std::fs::create_dir_all(dist.join("edge")).expect("a temporary folder");
        let page = "<script>boot()</script>";
        std::fs::write(dist.join("index.html"), page).expect("a temporary file");
        std::fs::write(dist.join("edge/openapi.json"), "{}").expect("a temporary file");
        finish_edge(&dist).expect("it is written");
        let module = std::fs::read_to_string(dist.join("edge/headers.js")).expect("a module");
        for (name, value) in serve::headers(page, None, None) {
            let line = format!("\"{name}\": \"{value}\"");
            assert!(module.contains(&line), "{line} is not in\n{module}");
        }
        assert!(module.contains(&format!("export const HOSTED = \"{}\";", serve::HOSTED)));
        let ignored = std::fs::read_to_string(dist.join(".assetsignore")).expect("a list");
        assert_eq!(ignored, super::ASSETS_IGNORED);
        assert!(dist.join("openapi.json").exists() && !dist.join("edge/openapi.json").exists());
        let _ = std::fs::remove_dir_all(dist);
    }
}
