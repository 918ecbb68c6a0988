//! The static server, asked over its socket.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use super::{Offer, Site, decode, inline_scripts, locate, policy};

#[test]
fn paths_stay_in_the_folder() {
    let folder = std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .canonicalize()
        .expect("the crate's own folder");
    let index = folder.join("index.html");
    let cases = [
        ("/Cargo.toml", Some(folder.join("Cargo.toml"))),
        ("/src/serve.rs?x=/../..", Some(folder.join("src/serve.rs"))),
        ("/%43argo.toml", Some(folder.join("Cargo.toml"))),
        ("/", Some(index.clone())),
        ("/lessons/some-slug", Some(index.clone())),
        ("/src", Some(index)),
        ("/missing.js", None),
        ("/../Cargo.toml", None),
        ("/src/../../lesson-core/Cargo.toml", None),
        ("/%2e%2e/lesson-core/Cargo.toml", None),
        ("/..%2flesson-core/Cargo.toml", None),
        ("/..%5clesson-core", None),
        ("/%00", None),
        ("/%zz", None),
        ("/%ff", None),
    ];
    for (url, expected) in cases {
        assert_eq!(locate(&folder, url), expected, "{url}");
    }
}

#[test]
fn malformed_escapes_are_refused() {
    assert_eq!(decode("a%20b").as_deref(), Some("a b"));
    assert_eq!(decode("a%2"), None);
}

#[test]
fn only_inline_scripts_are_named() {
    let page = "<script type=\"module\">import a</script><script src=\"/b.js\"></script><script>c</script>";
    assert_eq!(inline_scripts(page), ["import a", "c"]);
    // printf c | openssl dgst -sha256 -binary | base64
    assert!(
        policy(page, None).contains("'sha256-Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y='"),
        "{}",
        policy(page, None)
    );
}

#[test]
fn the_stack_is_told_of_and_allowed_only_where_there_is_one() {
    let folder = std::env::temp_dir().join(format!("lessonloop-offer-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
    let offer = Offer {
        url: "http://127.0.0.1:54321".into(),
        key: "the key".into(),
        email: "ada@lessonloop.test".into(),
        edge: Arc::default(),
    };
    let edge = Arc::clone(&offer.edge);
    let with = Site::open(&folder, Some(0), Some(offer)).expect("a free port");
    with.start().expect("a thread");
    let own = "127.0.0.1:PORT";
    let told = ask(&with, "GET", "/local-stack.json", own);
    assert!(told.contains("Content-Type: application/json"), "{told}");
    let (head, body) = told.split_once("\r\n\r\n").expect("a head and a body");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(body).ok(),
        Some(
            serde_json::json!({ "url": "http://127.0.0.1:54321", "key": "the key", "email": "ada@lessonloop.test", "edge": null })
        )
    );
    edge.set("http://127.0.0.1:8790".into())
        .expect("it was not set before");
    let told = ask(&with, "GET", "/local-stack.json", own);
    assert!(told.contains("http://127.0.0.1:8790"), "{told}");
    assert!(
        head.contains("connect-src 'self' https://*.supabase.co http://127.0.0.1:54321;"),
        "{head}"
    );
    assert!(ask(&with, "GET", "/local-stack.json", "evil.example").starts_with("HTTP/1.1 403 "));

    let without = Site::open(&folder, Some(0), None).expect("a free port");
    without.start().expect("a thread");
    let missing = ask(&without, "GET", "/local-stack.json", own);
    assert!(missing.starts_with("HTTP/1.1 404 "), "{missing}");
    assert!(
        missing.contains("connect-src 'self' https://*.supabase.co;"),
        "{missing}"
    );
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

/// Sends one raw request to a server over this crate's `src` and answers with head and body.
fn ask(site: &Site, method: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(site.address).expect("the server listens");
    let host = host.replace("PORT", &site.address.port().to_string());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .expect("the server reads");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the server answers");
    answer
}

#[test]
fn answers_are_typed_whole_and_for_this_machine_only() {
    let folder = std::env::temp_dir().join(format!("lessonloop-serve-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("engine")).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
    let module = "x".repeat(100_000);
    std::fs::write(folder.join("engine/a.wasm"), &module).expect("a temporary file");
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");

    let own = "127.0.0.1:PORT";
    let cases = [
        ("GET", "/", own, "200", "<p>app</p>"),
        (
            "GET",
            "/lessons/a-b",
            "localhost:PORT",
            "200",
            "Content-Type: text/html",
        ),
        (
            "GET",
            "/engine/a.wasm",
            own,
            "200",
            "Content-Length: 100000\r\n",
        ),
        (
            "GET",
            "/engine/a.wasm",
            own,
            "200",
            "Content-Type: application/wasm\r\n",
        ),
        (
            "HEAD",
            "/engine/a.wasm",
            own,
            "200",
            "Content-Security-Policy: default-src 'none';",
        ),
        (
            "GET",
            "/engine/b.wasm",
            own,
            "404",
            "X-Content-Type-Options: nosniff",
        ),
        ("GET", "/../Cargo.toml", own, "404", ""),
        ("POST", "/", own, "405", ""),
        ("GET", "/", "evil.example", "403", ""),
        ("GET", "/", "127.0.0.1.evil.example:PORT", "403", ""),
    ];
    for (method, path, host, status, holds) in cases {
        let answer = ask(&site, method, path, host);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{method} {path} {host}: {answer}"
        );
        assert!(answer.contains(holds), "{method} {path}: {answer}");
        assert_eq!(
            answer.ends_with(&module),
            method == "GET" && path.ends_with("a.wasm"),
            "{method} {path}"
        );
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_file_is_sent_in_part_or_not_again() {
    let folder = std::env::temp_dir().join(format!("lessonloop-range-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
    std::fs::write(folder.join("a.pack"), "0123456789").expect("a temporary file");
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let ask = |method: &str, headers: &str| {
        let host = format!("127.0.0.1:PORT\r\n{headers}X-End: 1");
        ask(&site, method, "/a.pack?sha256=0", &host)
    };
    let whole = ask("GET", "");
    assert!(whole.contains("Accept-Ranges: bytes\r\n"), "{whole}");
    let (_, tag) = whole
        .split_once("ETag: ")
        .or_else(|| whole.split_once("Etag: "))
        .expect("a tag");
    let tag = tag.split("\r\n").next().expect("a line");

    let cases = [
        (
            "GET",
            "Range: bytes=4-\r\n".to_owned(),
            "206",
            "Content-Range: bytes 4-9/10\r\n",
            "456789",
        ),
        (
            "GET",
            "Range: bytes=4-5\r\n".into(),
            "206",
            "Content-Length: 2\r\n",
            "45",
        ),
        (
            "GET",
            "Range: bytes=10-\r\n".into(),
            "416",
            "Content-Range: bytes */10\r\n",
            "",
        ),
        (
            "GET",
            "Range: bytes=1-2,4-5\r\n".into(),
            "200",
            "",
            "0123456789",
        ),
        ("GET", "Range: bytes=x\r\n".into(), "200", "", "0123456789"),
        (
            "GET",
            format!("Range: bytes=4-\r\nIf-Range: {tag}\r\n"),
            "206",
            "",
            "456789",
        ),
        (
            "GET",
            "Range: bytes=4-\r\nIf-Range: \"other\"\r\n".into(),
            "200",
            "",
            "0123456789",
        ),
        (
            "HEAD",
            "Range: bytes=4-\r\n".into(),
            "200",
            "Content-Length: 10\r\n",
            "",
        ),
        (
            "GET",
            format!("If-None-Match: \"other\", W/{tag}\r\n"),
            "304",
            "",
            "",
        ),
        (
            "GET",
            "If-None-Match: \"other\"\r\n".into(),
            "200",
            "",
            "0123456789",
        ),
    ];
    for (method, headers, status, holds, body) in cases {
        let answer = ask(method, &headers);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{headers}: {answer}"
        );
        assert!(answer.contains(holds), "{headers}: {answer}");
        let (_, sent) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert_eq!(sent, body, "{headers}");
    }
    // Another content has another tag, also when its length is the same.
    std::fs::write(folder.join("a.pack"), "9876543210").expect("a temporary file");
    let changed = std::fs::File::options()
        .append(true)
        .open(folder.join("a.pack"))
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH));
    changed.expect("a time of its own");
    assert!(ask("GET", &format!("If-None-Match: {tag}\r\n")).ends_with("9876543210"));
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_burst_of_kept_connections_is_answered() {
    let folder = std::env::temp_dir().join(format!("lessonloop-burst-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    // As several browsers open them, all kept open until every one has its answer.
    let mut streams: Vec<TcpStream> = (0..64)
        .map(|_| TcpStream::connect(site.address).expect("the server listens"))
        .collect();
    let port = site.address.port();
    for stream in &mut streams {
        write!(stream, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
            .expect("the server reads");
    }
    for stream in &mut streams {
        let mut status = [0; 12];
        stream
            .set_read_timeout(Some(std::time::Duration::from_secs(20)))
            .expect("a time-out");
        stream
            .read_exact(&mut status)
            .expect("every one is answered");
        assert_eq!(&status, b"HTTP/1.1 200");
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}
