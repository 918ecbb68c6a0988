//! Secrets of many formats are found, wherever they stand; hashes, base64 and the words of ordinary lessons are not.

use lesson_core::{Text, Trust};
use lesson_screen::screen;
use std::fmt::Write;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// The formats, one a line; the head of the file says how they are written.
const FORMATS: &str = include_str!("../../../tests/corpus/secret_formats.txt");
/// Formats that are found at least, in percent.
const FOUND: usize = 95;
/// Number of draws of each format.
const DRAWS: u64 = 5;

/// A generator that gives the same values on every run (xorshift64*, Vigna 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(drawn).unwrap() % sides
    }

    fn run(&mut self, class: char, length: usize) -> String {
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const DIGITS: &str = "0123456789";
        let letters: String = match class {
            'a' => [UPPER, LOWER, DIGITS].concat(),
            'u' => [UPPER, DIGITS].concat(),
            'l' => [LOWER, DIGITS].concat(),
            'h' => [DIGITS, "abcdef"].concat(),
            'd' => DIGITS.to_owned(),
            'w' => [UPPER, LOWER, DIGITS, "-_"].concat(),
            'b' => [UPPER, LOWER, DIGITS, "+/"].concat(),
            'm' => LOWER.to_owned(),
            other => panic!("no class {other}"),
        };
        let letters: Vec<char> = letters.chars().collect();
        (0..length)
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }
}

/// A format's text and the secrets in it.
fn drawn(template: &str, dice: &mut Dice) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut rest = template;
    while let Some((plain, after)) = rest.split_once('⟨') {
        text.push_str(plain);
        let (run, after) = after.split_once('⟩').unwrap();
        rest = after;
        match run {
            "Z" => text.push('\u{200b}'),
            "P" => text.push_str(&["PRIVATE", "KEY"].join(" ")),
            _ => {
                let class = run.chars().next().unwrap();
                text.push_str(&dice.run(class, run[1..].parse().unwrap()));
            }
        }
    }
    text.push_str(rest);
    let text = text
        .replace("\\\\", "\u{1}")
        .replace("\\n", "\n")
        .replace('\u{1}', "\\");
    let secrets = text
        .split('«')
        .skip(1)
        .map(|part| part.split('»').next().unwrap().to_owned())
        .collect();
    (text.replace(['«', '»'], ""), secrets)
}

fn screened(recommendation: String) -> (String, Vec<String>) {
    let screened = screen(&Text {
        title: "A title".to_owned(),
        recommendation,
        ..Text::default()
    });
    assert_ne!(screened.trust, Trust::Approved);
    (screened.text.recommendation, screened.findings)
}

/// Eight characters in a row of a secret that are left in a text. What is shorter says nothing.
fn left(text: &str, secret: &str) -> bool {
    let secret: Vec<char> = secret.chars().filter(|c| *c != '\u{200b}').collect();
    secret.len() < 8 && text.contains(&secret.iter().collect::<String>())
        || secret
            .windows(8)
            .skip(secret.len().saturating_sub(16))
            .any(|part| text.contains(&part.iter().collect::<String>()))
}

#[test]
fn secrets_of_many_formats_are_found() {
    let mut formats = 0;
    let mut missed = Vec::new();
    for line in FORMATS.lines().filter(|line| !line.starts_with("//")) {
        let (name, template) = line.split_once('\t').unwrap();
        formats += 1;
        let survived = (1..=DRAWS)
            .map(|draw| {
                let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (draw << 32) ^ formats as u64);
                drawn(template, &mut dice)
            })
            .find_map(|(text, secrets)| {
                let (shown, _) = screened(text);
                secrets
                    .iter()
                    .any(|secret| left(&shown, secret))
                    .then_some(shown)
            });
        if let Some(shown) = survived {
            missed.push(format!("{name}: {shown}"));
        }
    }
    let found = formats - missed.len();
    println!("{found} of {formats} formats found");
    for line in &missed {
        println!("  missed: {line}");
    }
    assert!(formats >= 120, "{formats} formats");
    assert!(
        found * 100 >= formats * FOUND,
        "{found} of {formats} formats found"
    );
}

/// Ordinary text: the lessons that ship as samples, what other tests hold for harmless, and code blocks of hashes and
/// base64.
fn ordinary() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/samples/lessons");
    let mut texts: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for file in [
        include_str!("data/screen-ordinary.txt"),
        include_str!("data/screen-harmless.txt"),
        include_str!("data/secrets-ordinary.txt"),
    ] {
        texts.extend(
            file.lines()
                .filter(|line| !line.is_empty() && !line.starts_with("//"))
                .map(|line| line.replace("\\n", "\n")),
        );
    }
    let mut dice = Dice(7);
    let mut block = String::from("```\n");
    while block.len() < 10 << 10 {
        let _ = match dice.below(8) {
            0 => writeln!(block, "{}  target/release/tool", dice.run('h', 64)),
            1 => writeln!(block, "commit {}", dice.run('h', 40)),
            2 => writeln!(block, "\"integrity\": \"sha512-{}==\",", dice.run('b', 86)),
            3 => writeln!(block, "{}", dice.run('b', 76)),
            4 => writeln!(block, "checksum = \"{}\"", dice.run('h', 64)),
            5 => writeln!(
                block,
                "index {}..{} 100644",
                dice.run('h', 7),
                dice.run('h', 7)
            ),
            6 => writeln!(
                block,
                "data:image/png;base64,iVBORw0KGgo{}",
                dice.run('b', 60)
            ),
            _ => writeln!(block, "image: app@sha256:{}", dice.run('h', 64)),
        };
    }
    block.push_str("```\n");
    texts.push(block);
    // Real lessons from elsewhere, where a directory of them is named: none ship.
    if let Some(more) = option_env!("LESSONLOOP_REAL_LESSONS") {
        for folder in std::fs::read_dir(more).unwrap().flatten() {
            for file in std::fs::read_dir(folder.path()).into_iter().flatten() {
                texts.push(std::fs::read_to_string(file.unwrap().path()).unwrap());
            }
        }
    }
    texts
}

#[test]
fn ordinary_text_holds_no_secret() {
    let texts = ordinary();
    assert!(texts.len() > 300, "{}", texts.len());
    let found: Vec<_> = texts
        .into_iter()
        .filter_map(|text| {
            let (shown, findings) = screened(text.clone());
            let redacted = findings.iter().any(|one| one.ends_with("redacted"));
            redacted.then(|| {
                let at = shown.find("[redacted: ").unwrap_or(0);
                let from = (0..=at.saturating_sub(40))
                    .rev()
                    .find(|at| shown.is_char_boundary(*at));
                shown[from.unwrap_or(0)..]
                    .chars()
                    .take(120)
                    .collect::<String>()
            })
        })
        .collect();
    assert!(found.len() <= 1, "{found:#?}");
}
