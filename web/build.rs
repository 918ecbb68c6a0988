//! Linker arguments that keep in the module the parts needed by tools that work on it after the compiler.
#![forbid(unsafe_code)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() != Ok("wasm") {
        return;
    }
    // wasm-opt puts functions in the order of their names, so that like ones lie together and pack better, and drops
    // the names then.
    println!("cargo::rustc-link-arg-bins=--keep-section=name");
    if std::env::var_os("CARGO_FEATURE_SPLIT").is_some() {
        // Relocations record what refers to what, so that the module can be taken apart.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
