//! The table of the rooms: which package may import what, and what it must never reach.

/// A package, what it may import directly, and what it must not reach by any path.
pub struct Room {
    pub package: &'static str,
    pub may: &'static [&'static str],
    pub never: &'static [&'static [&'static str]],
}

/// What brings a browser, a clock, randomness or a runtime with it.
const HOSTS: &[&str] = &[
    "wasm-bindgen",
    "js-sys",
    "web-sys",
    "gloo",
    "leptos",
    "getrandom",
    "rand",
    "fastrand",
    "chrono",
    "async-std",
    "tokio",
    "futures",
    "reqwest",
    "ureq",
];

/// The table of ARCHITECTURE.md. A new dependency takes a line here, so that somebody thinks about it.
pub const ROOMS: &[Room] = &[
    Room {
        package: "lesson-core",
        may: &[
            "aho-corasick",
            "csv",
            "granit-parser",
            "libm",
            "pulldown-cmark",
            "serde",
            "serde_json",
            "sha2",
            "time",
        ],
        never: &[
            HOSTS,
            &["tract-core", "tract-onnx", "tokenizers", "async-lock"],
        ],
    },
    Room {
        package: "lesson-embed",
        may: &["sha2", "tokenizers", "tract-core"],
        never: &[&[
            "wasm-bindgen",
            "leptos",
            "reqwest",
            "tokio",
            "ureq",
            "hf-hub",
            "lesson-core",
            "lesson-api",
        ]],
    },
    Room {
        package: "lesson-api",
        may: &["serde", "serde_json", "ts-rs"],
        never: &[HOSTS],
    },
    Room {
        package: "lesson-sync",
        may: &["lesson-api", "lesson-core", "serde", "serde_json"],
        never: &[HOSTS, &["tract-core", "tokenizers"]],
    },
    Room {
        package: "lesson-service",
        may: &[
            "async-lock",
            "lesson-api",
            "lesson-core",
            "lesson-embed",
            "lesson-sync",
            "serde",
            "serde_json",
        ],
        never: &[&["wasm-bindgen", "leptos", "reqwest", "tokio"]],
    },
    Room {
        package: "lesson-wasm",
        may: &[
            "console_error_panic_hook",
            "getrandom",
            "gloo",
            "indexed_db_futures",
            "js-sys",
            "lesson-api",
            "lesson-core",
            "lesson-embed",
            "lesson-service",
            "lesson-sync",
            "serde",
            "serde-wasm-bindgen",
            "serde_json",
            "wasm-bindgen",
            "wasm-bindgen-futures",
            "web-sys",
        ],
        never: &[&["leptos", "reqwest"]],
    },
    Room {
        package: "model-pack",
        may: &[
            "clap",
            "lesson-embed",
            "safetensors",
            "serde",
            "serde_json",
            "sha2",
            "tract-core",
            "tract-onnx",
        ],
        never: &[&["lesson-core", "wasm-bindgen"]],
    },
    Room {
        package: "xtask",
        may: &["base64", "clap", "serde_json", "sha2", "tiny_http"],
        never: &[&[
            "lesson-core",
            "lesson-embed",
            "lesson-api",
            "lesson-sync",
            "lesson-service",
            "tokio",
        ]],
    },
    Room {
        package: "web",
        may: &[
            "console_error_panic_hook",
            "gloo",
            "js-sys",
            "leptos",
            "leptos_router",
            "lesson-api",
            "pulldown-cmark",
            "serde",
            "serde-wasm-bindgen",
            "serde_json",
            "wasm-bindgen",
            "wasm-bindgen-futures",
            "web-sys",
        ],
        never: &[&[
            "lesson-core",
            "lesson-embed",
            "lesson-service",
            "lesson-sync",
            "tract-core",
            "tokenizers",
        ]],
    },
];
