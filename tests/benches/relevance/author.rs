//! Takes out of a lesson what its author wrote down as ways to ask for it: the keywords of its front matter, and the
//! signs by which it is recognised. What remains is the lesson that has to be found by them.

/// Headings of sections that list the situations a lesson is for; of a lesson's sections, the first of these counts.
const SIGNS: [&str; 9] = [
    "detection",
    "signals",
    "signal",
    "symptoms",
    "triggers",
    "when to use",
    "when to apply",
    "when",
    "context",
];

/// The fewest words of a phrase; a single word says too little of which lesson is meant.
const PHRASE: usize = 2;
/// The fewest words of a situation.
const SITUATION: usize = 3;

/// A lesson's file, and the ways to ask for it that were taken out.
#[derive(Debug, PartialEq)]
pub struct Cut {
    /// The file without them.
    pub content: String,
    /// The author's keywords of at least two words.
    pub phrases: Vec<String>,
    /// The author's situations, each something that one may be in the middle of.
    pub situations: Vec<String>,
}

/// Cuts a markdown file.
pub fn cut(content: &str) -> Cut {
    let lines: Vec<&str> = content.lines().collect();
    let front = match lines.first() {
        Some(first) if first.trim_end() == "---" => lines
            .iter()
            .skip(1)
            .position(|line| line.trim_end() == "---")
            .map_or(0, |at| at + 2),
        _ => 0,
    };
    let mut head: Vec<String> = lines[..front]
        .iter()
        .map(|line| (*line).to_owned())
        .collect();
    let keywords = take_list(&mut head, "keywords", |_| false);
    // A tag that repeats a keyword gives it away.
    let known: Vec<String> = keywords.iter().map(|word| plain(word)).collect();
    take_list(&mut head, "tags", |tag| !known.contains(&plain(tag)));

    let mut body = lines[front..].to_vec();
    let situations = take_signs(&mut body);
    head.extend(body.iter().map(|line| (*line).to_owned()));
    Cut {
        content: head.join("\n") + "\n",
        phrases: keywords
            .into_iter()
            .filter(|phrase| phrase.split_whitespace().count() >= PHRASE)
            .collect(),
        situations,
    }
}

/// The words of a tag or a keyword, however they are joined.
fn plain(word: &str) -> String {
    word.to_lowercase().replace(['-', '_'], " ")
}

/// Takes a list out of front matter, `key: [a, b]` or one item a line. What `keep` says stays in its place.
fn take_list(head: &mut Vec<String>, key: &str, keep: impl Fn(&str) -> bool) -> Vec<String> {
    let begins = |line: &String| {
        line.trim_start()
            .strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(':'))
    };
    let Some(at) = head.iter().position(begins) else {
        return Vec::new();
    };
    let indent = head[at].len() - head[at].trim_start().len();
    let (_, value) = head[at].split_once(':').unwrap_or_default();
    let mut end = at + 1;
    let mut items = Vec::new();
    if value.trim().is_empty() {
        while let Some(item) = head
            .get(end)
            .and_then(|line| line.trim_start().strip_prefix("- "))
        {
            items.push(unquoted(item));
            end += 1;
        }
    } else {
        let mut list = value.to_owned();
        while list.contains('[') && !list.contains(']') && end + 1 < head.len() {
            list.push_str(&head[end]);
            end += 1;
        }
        let inner = list.trim().trim_start_matches('[').trim_end_matches(']');
        items.extend(flow(inner));
    }
    let (kept, taken): (Vec<String>, Vec<String>) = items.into_iter().partition(|item| keep(item));
    let kept: Vec<String> = kept.iter().map(|item| format!("{item:?}")).collect();
    let line = format!("{:indent$}{key}: [{}]", "", kept.join(", "));
    head.splice(at..end, [line]);
    taken
}

/// The items of a list in one line; a comma within quotes parts none.
fn flow(inner: &str) -> Vec<String> {
    let mut quote = None;
    let parts = inner.split(|c: char| {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        c == ',' && quote.is_none()
    });
    parts
        .map(unquoted)
        .filter(|item| !item.is_empty())
        .collect()
}

fn unquoted(item: &str) -> String {
    item.trim().trim_matches(['"', '\'']).trim().to_owned()
}

/// Takes the section of signs out of a body, and returns its bullets as plain text.
fn take_signs(body: &mut Vec<&str>) -> Vec<String> {
    let headings = headings(body);
    for name in SIGNS {
        let Some(at) = headings
            .iter()
            .position(|(_, level, text)| *level > 1 && text == name)
        else {
            continue;
        };
        let (start, level, _) = headings[at];
        let end = headings[at + 1..]
            .iter()
            .find(|(_, other, _)| *other <= level)
            .map_or(body.len(), |(line, ..)| *line);
        let found = bullets(&body[start + 1..end]);
        if !found.is_empty() {
            body.drain(start..end);
            return found;
        }
    }
    Vec::new()
}

/// Line, level and lower-cased text of each heading outside code.
fn headings(body: &[&str]) -> Vec<(usize, usize, String)> {
    let mut code = false;
    let mut found = Vec::new();
    for (at, line) in body.iter().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if !code && level > 0 && line[level..].starts_with(' ') {
            let text = line[level..].trim().trim_end_matches(':').trim_matches('*');
            found.push((at, level, text.to_lowercase()));
        }
    }
    found
}

/// The bullets that stand at the margin, each with the lines that go on with it.
fn bullets(section: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in section {
        if let Some(item) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            found.push(item.trim().to_owned());
            open = true;
        } else if open && line.starts_with("  ") && !line.trim_start().starts_with(['-', '*', '`'])
        {
            if let Some(last) = found.last_mut() {
                last.push(' ');
                last.push_str(line.trim());
            }
        } else {
            open = false;
        }
    }
    let text = |item: &String| item.replace(['*', '`'], "");
    found
        .iter()
        .map(text)
        .filter(|item| item.split_whitespace().count() >= SITUATION)
        .collect()
}
