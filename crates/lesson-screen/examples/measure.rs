//! Measures the screen over files of attacks, harmless lessons and secret formats.
use lesson_core::{Text, Trust};
use lesson_screen::screen;
use std::time::Instant;
struct Dice(u64);
impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        drawn as usize % sides
    }
    fn run(&mut self, class: char, length: usize) -> String {
        let (u, l, d) = (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            "abcdefghijklmnopqrstuvwxyz",
            "0123456789",
        );
        let letters = match class {
            'a' => [u, l, d].concat(),
            'u' => [u, d].concat(),
            'l' => [l, d].concat(),
            'h' => [d, "abcdef"].concat(),
            'd' => d.to_owned(),
            'w' => [u, l, d, "-_"].concat(),
            'b' => [u, l, d, "+/"].concat(),
            'm' => l.to_owned(),
            o => panic!("{o}"),
        };
        (0..length)
            .map(|_| letters.as_bytes()[self.below(letters.len())] as char)
            .collect()
    }
}
fn drawn(template: &str, dice: &mut Dice) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut rest = template;
    while let Some((plain, after)) = rest.split_once('⟨') {
        text.push_str(plain);
        let (run, after) = after.split_once('⟩').unwrap();
        rest = after;
        match run {
            "Z" => text.push('\u{200b}'),
            "P" => text.push_str("PRIVATE KEY"),
            _ => text.push_str(&dice.run(run.chars().next().unwrap(), run[1..].parse().unwrap())),
        }
    }
    text.push_str(rest);
    let text = text.replace("\\n", "\n");
    let secrets = text
        .split('«')
        .skip(1)
        .map(|p| p.split('»').next().unwrap().to_owned())
        .collect();
    (text.replace(['«', '»'], ""), secrets)
}
fn of(r: String) -> lesson_screen::Screened {
    screen(&Text {
        title: "A title".into(),
        recommendation: r,
        ..Text::default()
    })
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let file = std::fs::read_to_string(&args[2]).unwrap();
    let lines: Vec<&str> = file
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with("//"))
        .collect();
    let show = args.get(3).map(String::as_str).unwrap_or("tune");
    let mut n = [0; 2];
    let mut hit = [0; 2];
    match args[1].as_str() {
        "attacks" | "harmless" => {
            for (i, line) in lines.iter().enumerate() {
                let (kind, text) = line.split_once('\t').unwrap_or(("", line));
                let s = of(text.replace("\\n", "\n"));
                let held = s.trust == Trust::Quarantined;
                n[i % 2] += 1;
                hit[i % 2] += usize::from(held);
                if (args[1] == "attacks") != held && (show == "all" || i % 2 == 0) {
                    println!("  {kind}: {text} {:?}", s.findings.first());
                }
                if args[1] == "harmless" && s.findings.iter().any(|f| f.ends_with("redacted")) {
                    println!("  REDACTED {text} {:?}", s.findings);
                }
            }
        }
        "secrets" => {
            for (i, line) in lines.iter().enumerate() {
                let (kind, t) = line.split_once('\t').unwrap();
                let bad = (1..=5u64).find_map(|d| {
                    let (text, secrets) = drawn(
                        t,
                        &mut Dice(0x9E37_79B9_7F4A_7C15 ^ (d << 32) ^ (i as u64 + 1)),
                    );
                    let s = of(text).text.recommendation;
                    secrets
                        .iter()
                        .any(|x| {
                            let x: Vec<char> = x.chars().collect();
                            x.len() < 8 && s.contains(&x.iter().collect::<String>())
                                || x.windows(8)
                                    .skip(x.len().saturating_sub(16))
                                    .any(|w| s.contains(&w.iter().collect::<String>()))
                        })
                        .then_some(s)
                });
                n[i % 2] += 1;
                hit[i % 2] += usize::from(bad.is_none());
                if let Some(s) = bad
                    && (show == "all" || i % 2 == 0)
                {
                    println!(
                        "  {kind}: {t}   => {}",
                        s.chars().take(120).collect::<String>()
                    );
                }
            }
        }
        "time" => {
            let all: Vec<String> = args[2..]
                .iter()
                .flat_map(|f| {
                    std::fs::read_to_string(f)
                        .unwrap()
                        .lines()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .collect();
            let texts: Vec<String> = all.chunks(8).map(|c| c.join("\n")).collect();
            let bytes: usize = texts.iter().map(String::len).sum();
            of("warm".into());
            let mut best = f64::MAX;
            for _ in 0..15 {
                let t = Instant::now();
                for x in &texts {
                    std::hint::black_box(of(x.clone()));
                }
                best = best.min(t.elapsed().as_secs_f64());
            }
            println!(
                "{} texts of {} bytes on average: {:.1} us each (best of 15)",
                texts.len(),
                bytes / texts.len(),
                best / texts.len() as f64 * 1e6
            );
            return;
        }
        _ => panic!(),
    }
    println!(
        "{} tune {}/{} held-out {}/{}",
        args[1], hit[0], n[0], hit[1], n[1]
    );
}
