//! The paths that a Rust file names: those of `use`, and all others of two names or more.

/// A path that a file names.
pub struct Use {
    pub path: Vec<String>,
    /// True if others find it here: `pub use`.
    pub is_public: bool,
}

/// Every path of two names or more, those of `use` in all their branches.
pub fn uses(code: &str) -> Vec<Use> {
    let tokens = &tokens(code);
    let mut found = Vec::new();
    let mut at = 0;
    let mut depth = 0;
    // Depths at which the modules begin that stand in the file itself.
    let mut inline: Vec<usize> = Vec::new();
    while at < tokens.len() {
        let mut take = |path: Vec<String>, is_public| {
            if let Some(path) = of_file(path, inline.len()) {
                found.push(Use { path, is_public });
            }
        };
        match tokens[at] {
            "use" => {
                let is_public = at > 0 && matches!(tokens[at - 1], "pub" | ")");
                let end = tokens[at..]
                    .iter()
                    .position(|token| *token == ";")
                    .map_or(tokens.len(), |length| at + length);
                branches(&tokens[at + 1..end], &[], &mut |path| take(path, is_public));
                at = end;
            }
            "{" => {
                depth += 1;
                if at > 1 && tokens[at - 2] == "mod" {
                    if at > 5 && tokens[at - 5..at - 2] == ["test", ")", "]"] {
                        // Tests may look at whatever they like.
                        at += closing(&tokens[at..]);
                        depth -= 1;
                    } else {
                        inline.push(depth);
                    }
                }
            }
            "}" => {
                if inline.last() == Some(&depth) {
                    inline.pop();
                }
                depth = depth.saturating_sub(1);
            }
            name => {
                let mut path = vec![name.to_owned()];
                while at + 2 < tokens.len() && tokens[at + 1] == "::" {
                    at += 2;
                    path.push(tokens[at].to_owned());
                }
                if path.len() > 1 {
                    take(path, false);
                }
            }
        }
        at += 1;
    }
    found
}

/// Where the brace is closed that begins here.
fn closing(tokens: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" if depth == 1 => return at,
            "}" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// A path as seen from the file, of one that stands in so many modules inside it; `None` where it stays in these.
fn of_file(path: Vec<String>, inline: usize) -> Option<Vec<String>> {
    let up = path
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    if inline == 0 || path[0] == "crate" {
        return Some(path);
    }
    if up < inline {
        return None;
    }
    let mut outside = vec!["self".to_owned()];
    outside.extend(path.into_iter().skip(inline));
    Some(outside)
}

/// The paths of a tree of `use`.
fn branches(tree: &[&str], before: &[String], take: &mut dyn FnMut(Vec<String>)) {
    let mut path = before.to_vec();
    let mut at = 0;
    while at < tree.len() {
        match tree[at] {
            "{" => {
                let mut depth = 0;
                let mut begun = at + 1;
                for (place, token) in tree.iter().enumerate().skip(at) {
                    match *token {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ => {}
                    }
                    let ends = (depth == 0 && *token == "}") || (depth == 1 && *token == ",");
                    if ends && begun < place {
                        branches(&tree[begun..place], &path, take);
                    }
                    if ends {
                        begun = place + 1;
                    }
                }
                return;
            }
            "as" => break,
            "::" | "*" => {}
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    take(path);
}

/// Names, `::` and single marks; comments and texts are left out.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            text(rest)
        } else if is_name(first) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            found.push(&rest[..length]);
            length
        } else if rest.starts_with("::") {
            found.push("::");
            2
        } else if rest.starts_with("'\"'") || rest.starts_with("b'\"'") {
            3
        } else {
            let length = first.len_utf8();
            if !first.is_whitespace() {
                found.push(&rest[..length]);
            }
            length
        };
        rest = &rest[length..];
    }
    found
}

/// The length of the text in quotes that begins here.
fn text(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
