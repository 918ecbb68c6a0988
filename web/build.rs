//! Has the linker keep the names of functions: wasm-opt puts the functions in their order, so that like ones lie
//! together and pack better, and drops the names then.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        println!("cargo::rustc-link-arg-bins=--keep-section=name");
    }
}
