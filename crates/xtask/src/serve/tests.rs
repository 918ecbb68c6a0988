//! The static server, asked over its socket.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use super::{Offer, Site};

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

/// Sends one raw request to a server and answers with head and body.
fn ask(site: &Site, method: &str, path: &str, host: &str) -> String {
    let (head, body) = ask_bytes(site, method, path, host);
    head + std::str::from_utf8(&body).expect("a text")
}

/// The same, for a body that is no text. The head ends with its empty line.
fn ask_bytes(site: &Site, method: &str, path: &str, host: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(site.address).expect("the server listens");
    let host = host.replace("PORT", &site.address.port().to_string());
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server answers");
    let end = answer
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .expect("a head and a body");
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).expect("a head is text"), body)
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
        ("GET", "Range: bytes=x\r\n".into(), "416", "", ""),
        (
            "GET",
            format!("Range: bytes=4-\r\nIf-Range: {tag}\r\n"),
            "200",
            "",
            "0123456789",
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

#[test]
fn paths_stay_in_the_folder() {
    let folder = std::env::temp_dir().join(format!("lessonloop-paths-{}", std::process::id()));
    let dist = folder.join("dist");
    std::fs::create_dir_all(dist.join("engine")).expect("a temporary folder");
    std::fs::write(dist.join("index.html"), "<p>app</p>").expect("a temporary file");
    std::fs::write(dist.join("engine/a b.js"), "engine").expect("a temporary file");
    std::fs::write(folder.join("secret.js"), "secret").expect("a temporary file");
    let site = Site::open(&dist, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let cases = [
        ("/engine/a%20b.js", "200", "engine"),
        ("/engine/a%20b.js?x=/../..", "200", "engine"),
        ("/lessons/some-slug", "200", "<p>app</p>"),
        ("/engine", "200", "<p>app</p>"),
        ("/engine/", "200", "<p>app</p>"),
        ("/missing.js", "404", "No such file.\n"),
        ("/../secret.js", "404", "No such file.\n"),
        ("/engine/../../secret.js", "404", "No such file.\n"),
        ("/%2e%2e/secret.js", "404", "No such file.\n"),
        ("/..%2fsecret.js", "404", "No such file.\n"),
        ("/..%5csecret.js", "404", "No such file.\n"),
        ("/%00.js", "404", "No such file.\n"),
        ("/%ff.js", "404", "No such file.\n"),
    ];
    for (path, status, body) in cases {
        let answer = ask(&site, "GET", path, "127.0.0.1:PORT");
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{path}: {answer}"
        );
        assert!(
            answer.ends_with(&format!("\r\n\r\n{body}")),
            "{path}: {answer}"
        );
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn texts_are_packed_for_who_asks_and_large_binaries_are_not() {
    let folder = std::env::temp_dir().join(format!("lessonloop-packed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for name in ["index.html", "a.wasm", "a.js", "a.pack", "a.png"] {
        std::fs::write(folder.join(name), "x".repeat(10_000)).expect("a temporary file");
    }
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let ask = |path: &str, encodings: &str| {
        let host = format!("127.0.0.1:PORT\r\nAccept-Encoding: {encodings}");
        ask_bytes(&site, "GET", path, &host)
    };
    let cases = [
        ("/", "gzip, br", Some("br")),
        ("/lessons", "gzip", Some("gzip")),
        ("/a.wasm", "br", None),
        ("/a.js", "gzip", Some("gzip")),
        ("/a.js", "identity", None),
        ("/a.pack", "gzip, br", None),
        ("/a.png", "gzip, br", None),
    ];
    for (path, encodings, encoding) in cases {
        let (head, body) = ask(path, encodings);
        assert_eq!(
            encoding.map(|encoding| format!("Content-Encoding: {encoding}\r\n")),
            head.split_inclusive("\r\n")
                .find(|line| line.starts_with("Content-Encoding"))
                .map(str::to_owned),
            "{path}: {head}"
        );
        assert_eq!(encoding.is_some(), body.len() < 1_000, "{path}: {head}");
        assert_eq!(
            encoding.is_some(),
            head.contains("Etag: W/\""),
            "{path}: {head}"
        );
        assert_eq!(
            encoding.is_none(),
            head.contains("Accept-Ranges"),
            "{path}: {head}"
        );
    }
    let (head, _) = ask("/a.js", "br");
    let (_, tag) = head.split_once("Etag: ").expect("a tag");
    let tag = tag.lines().next().expect("a line");
    let (again, _) = ask("/a.js", &format!("br\r\nIf-None-Match: {tag}"));
    assert!(again.starts_with("HTTP/1.1 304 "), "{again}");
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_copy_that_the_build_compressed_is_sent_as_it_is_and_parts_are_of_the_file() {
    let folder = std::env::temp_dir().join(format!("lessonloop-copies-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for (name, text) in [
        ("index.html", "x".to_owned()),
        ("a.wasm", "x".repeat(10_000)),
        ("a.wasm.br", "the copy".to_owned()),
    ] {
        std::fs::write(folder.join(name), text).expect("a temporary file");
    }
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let ask = |headers: &str| {
        let host = format!("127.0.0.1:PORT\r\n{headers}");
        ask_bytes(&site, "GET", "/a.wasm", &host)
    };
    let (head, body) = ask("Accept-Encoding: gzip, br");
    for line in [
        "Content-Encoding: br\r\n",
        "Content-Type: application/wasm\r\n",
        "Etag: W/\"",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert!(
        head.to_lowercase().contains("vary: accept-encoding"),
        "{head}"
    );
    assert!(!head.contains("Accept-Ranges"), "{head}");
    assert_eq!(body, b"the copy");
    let (head, body) = ask("Accept-Encoding: br\r\nRange: bytes=10-19");
    assert!(head.starts_with("HTTP/1.1 206 "), "{head}");
    assert!(!head.contains("Content-Encoding"), "{head}");
    assert_eq!(body, b"xxxxxxxxxx");
    let (head, _) = ask("Accept-Encoding: identity");
    assert!(head.contains("Content-Length: 10000\r\n"), "{head}");
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn the_policy_is_that_of_the_page_as_it_is_now() {
    let folder = std::env::temp_dir().join(format!("lessonloop-anew-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let index = folder.join("index.html");
    std::fs::write(&index, "<script>a</script>").expect("a temporary file");
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let before = ask(&site, "HEAD", "/", "127.0.0.1:PORT");
    std::fs::write(&index, "<script>b</script>").expect("a temporary file");
    std::fs::File::options()
        .append(true)
        .open(&index)
        .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
        .expect("a time of its own");
    let after = ask(&site, "HEAD", "/", "127.0.0.1:PORT");
    // printf a | openssl dgst -sha256 -binary | base64
    for (answer, hash) in [
        (
            before,
            "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='",
        ),
        (
            after,
            "'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='",
        ),
    ] {
        assert!(answer.contains(hash), "{hash}: {answer}");
    }
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_connection_that_does_not_ask_is_closed() {
    let folder = std::env::temp_dir().join(format!("lessonloop-slow-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
    let site = Site::open(&folder, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let mut stream = TcpStream::connect(site.address).expect("the server listens");
    write!(stream, "GET / HTTP/1.1\r\nHost: ").expect("the server reads");
    stream
        .set_read_timeout(Some(std::time::Duration::from_secs(20)))
        .expect("a time-out");
    let mut answer = Vec::new();
    stream
        .read_to_end(&mut answer)
        .expect("the connection ends, and no time-out does it");
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    std::fs::remove_dir_all(&folder).expect("the temporary folder");
}

#[test]
fn a_watched_page_hears_of_the_next_build_and_has_no_service_worker() {
    let folder = std::env::temp_dir().join(format!("lessonloop-watched-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("index.html"), "<body><p>app</p></body>").expect("a temporary file");
    std::fs::write(folder.join("sw.js"), "keep()").expect("a temporary file");
    let (builds, waiting) = tokio::sync::watch::channel(0);
    let site = Site::open_for(&folder, Some(0), None, Some(waiting), None).expect("a free port");
    site.start().expect("a thread");
    let get = |path: &str| ask(&site, "GET", path, "127.0.0.1:PORT");
    let page = get("/lessons/x");
    let tag = "<p>app</p><script type=\"module\" src=\"/xtask/reload.js\"></script></body>";
    assert!(page.ends_with(tag), "{page}");
    assert!(page.contains("script-src 'self'"), "{page}");
    assert!(get("/xtask/reload.js").contains("Content-Type: text/javascript"));
    assert!(get("/sw.js").contains("unregister"));
    assert!(get("/xtask/builds?seen=").ends_with("\r\n0"));
    // Whichever comes first, the question or the build.
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| get("/xtask/builds?seen=0"));
        builds.send_modify(|count| *count += 1);
        assert!(answer.join().expect("an answer").ends_with("\r\n1"));
    });
    std::fs::remove_dir_all(&folder).expect("the temporary folder");

    let plain = std::env::temp_dir().join(format!("lessonloop-plain-{}", std::process::id()));
    std::fs::create_dir_all(&plain).expect("a temporary folder");
    std::fs::write(plain.join("index.html"), "<body></body>").expect("a temporary file");
    let site = Site::open(&plain, Some(0), None).expect("a free port");
    site.start().expect("a thread");
    let page = ask(&site, "GET", "/", "127.0.0.1:PORT");
    assert!(page.ends_with("\r\n\r\n<body></body>"), "{page}");
    std::fs::remove_dir_all(&plain).expect("the temporary folder");
}
