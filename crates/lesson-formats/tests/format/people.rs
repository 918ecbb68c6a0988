//! Files that people already have, as `tests/data/people` holds them: what each becomes, kept in `people.expected.txt`.
//! `LESSONLOOP_WRITE=1` writes that file anew, to be read before it is kept.

use crate::{NOW, one, read};
use lesson_formats::{Format, Parsed, parse_all};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// The files below a folder, by their paths in it.
fn files(root: &Path, at: &Path, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(at)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap();
            let name = name.to_str().unwrap().replace('\\', "/");
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

fn batch(folder: &str) -> Parsed {
    let root = data().join("people").join(folder);
    let mut found = Vec::new();
    files(&root, &root, &mut found);
    parse_all(&found, Format::Auto, NOW)
}

/// Lists what was read, in lines.
fn told(parsed: &Parsed) -> String {
    let mut out = String::new();
    for read in &parsed.lessons {
        let (lesson, text) = (&read.lesson, &read.lesson.text);
        let line = read.line.unwrap_or(0);
        writeln!(out, "{}:{line} {} {}", read.path, read.format, lesson.slug).unwrap();
        for (name, part) in [
            ("title", &text.title),
            ("description", &text.description),
            ("context", &text.context),
            ("recommendation", &text.recommendation),
            ("domain", &text.domain),
            ("tags", &text.tags.join(" | ")),
            ("extra", &text.extra),
            (
                "merged into",
                lesson.merged_into.as_ref().unwrap_or(&String::new()),
            ),
        ] {
            if !part.is_empty() {
                writeln!(out, "    {name}: {}", part.replace('\n', "⏎")).unwrap();
            }
        }
        let standing = &lesson.standing;
        writeln!(
            out,
            "    {} {} +{} -{}{}",
            text.category.as_str(),
            standing.confidence,
            standing.times_helpful,
            standing.times_not_helpful,
            if lesson.archived { " archived" } else { "" },
        )
        .unwrap();
    }
    for (name, problems) in [("refused", &parsed.rejected), ("warned", &parsed.warnings)] {
        for problem in problems {
            let line = problem
                .line
                .map_or(String::new(), |line| format!(":{line}"));
            writeln!(
                out,
                "{name} {}{line} {}: {}",
                problem.path, problem.code, problem.message
            )
            .unwrap();
        }
    }
    if parsed.unchanged > 0 {
        writeln!(out, "unchanged {}", parsed.unchanged).unwrap();
    }
    out
}

#[test]
fn every_file_becomes_what_was_written_down() {
    let mut got = String::new();
    for folder in [
        "notes",
        "cursor",
        "rules",
        "skills",
        "instincts",
        "cass",
        "memory",
        "exports",
    ] {
        write!(got, "## {folder}\n{}\n", told(&batch(folder))).unwrap();
    }
    let path = data().join("people.expected.txt");
    if std::env::var_os("LESSONLOOP_WRITE").is_some() {
        fs::write(&path, &got).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap();
    for (at, (got, expected)) in got.lines().zip(expected.lines()).enumerate() {
        assert_eq!(got, expected, "line {} of people.expected.txt", at + 1);
    }
    assert_eq!(got.lines().count(), expected.lines().count());
}

#[test]
fn no_note_is_refused_and_all_keep_their_bodies() {
    let notes = batch("notes");
    assert_eq!(notes.rejected, []);
    let count = fs::read_dir(data().join("people/notes")).unwrap().count();
    assert_eq!(notes.lessons.len(), count);
    for read in &notes.lessons {
        assert!(
            !read.lesson.text.recommendation.trim().is_empty(),
            "{} lost its body",
            read.path
        );
    }
}

#[test]
fn globs_need_no_quotes_and_no_remark() {
    let rules = batch("cursor");
    assert_eq!((rules.lessons.len(), rules.rejected.len()), (5, 0));
    assert!(
        rules
            .warnings
            .iter()
            .all(|warning| !warning.message.contains("globs"))
    );
    let of = |slug: &str| {
        &rules
            .lessons
            .iter()
            .find(|read| read.lesson.slug == slug)
            .unwrap()
            .lesson
            .text
    };
    assert_eq!(
        of("naming").context,
        "applies to src/api/**/*.ts, *.{json,yaml}"
    );
    assert_eq!(of("naming").tags, ["ts", "json", "yaml"]);
    assert_eq!(of("style").tags, ["always"]);
    assert_eq!(of("frontend").tags, ["vue", "css"]);
}

#[test]
fn a_file_says_once_which_other_fields_it_has() {
    let content =
        "---\ntitle: A\nowner: x\n---\nOne.\n\n---\ntitle: B\nowner: y\nroom: z\n---\nTwo.\n";
    let parsed = read(("two.md", content));
    assert_eq!(parsed.lessons.len(), 2);
    assert_eq!(parsed.warnings.len(), 1);
    assert!(
        parsed.warnings[0]
            .message
            .ends_with("exported again: owner, room")
    );
}

#[test]
fn lines_of_problems_are_those_of_the_file() {
    let content =
        "# x\n\n---\nid: a\ntrigger: t\n---\nOne.\n\n---\nid: b\nconfidence: lots\n---\nTwo.\n";
    let parsed = read(("x.yaml", content));
    let lines: Vec<_> = parsed.lessons.iter().map(|read| read.line).collect();
    assert_eq!(lines, [Some(3), Some(9)]);
    assert_eq!(parsed.warnings[0].line, Some(11), "{:?}", parsed.warnings);
}

#[test]
fn documents_of_yaml_are_records_each() {
    let content =
        "---\nid: a-one\ntrigger: when\naction: Do one.\n---\nid: b-two\naction: Do two.\n";
    let parsed = read(("x.yaml", content));
    assert_eq!(parsed.rejected, []);
    let slugs: Vec<_> = parsed
        .lessons
        .iter()
        .map(|read| &*read.lesson.slug)
        .collect();
    assert_eq!(slugs, ["a-one", "b-two"]);
    assert_eq!(parsed.lessons[0].lesson.text.recommendation, "Do one.");
}

#[test]
fn a_block_of_ours_that_is_damaged_is_refused_by_its_line() {
    let parsed = read((
        "AGENTS.md",
        "## A\n\nText.\n\n<!-- lessonloop:begin -->\n## B\n\nText.\n",
    ));
    assert_eq!(parsed.lessons.len(), 0);
    assert_eq!(
        (parsed.rejected[0].code, parsed.rejected[0].line),
        ("block", Some(5))
    );
}

#[test]
fn a_name_without_latin_letters_has_a_slug_of_its_own() {
    let slug = |name: &str| one((name, "# 題\n\n本文。\n")).slug;
    assert_eq!(slug("甲.md"), slug("甲.md"));
    assert_ne!(slug("甲.md"), slug("乙.md"));
    assert!(slug("甲.md").starts_with("lesson-"));
}

#[test]
fn reading_again_gives_the_same() {
    for folder in ["skills", "rules", "exports"] {
        assert_eq!(batch(folder), batch(folder));
    }
}
