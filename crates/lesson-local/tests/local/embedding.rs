//! Each text is embedded once for a store, whoever of those that share it does so.

use super::folder::{Process, Temporary, lesson, now, ok, open};
use lesson_embed::EmbedError;
use lesson_service::Embedder;
use lesson_types::Method::{Get, Post};
use serde_json::Value;
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// Gives every text a vector of its own, and notes it.
#[derive(Default)]
struct Noting(RefCell<Vec<String>>);

impl Embedder for Noting {
    fn id(&self) -> &str {
        "noting@1"
    }

    fn dims(&self) -> usize {
        8
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.borrow_mut().push(text.to_owned());
        let mut vector = [0.1_f32; 8];
        for (at, byte) in text.bytes().enumerate() {
            vector[at % 8] += f32::from(byte);
        }
        let length = vector.iter().map(|one| one * one).sum::<f32>().sqrt();
        Ok(vector.map(|one| one / length).to_vec())
    }
}

/// A process with the model.
fn process(at: &Path) -> (Process, Rc<Noting>) {
    let local = open(Some(at), None);
    let model = Rc::new(Noting::default());
    for named in local.stores() {
        now(named
            .service
            .use_model(Rc::clone(&model) as Rc<dyn Embedder>))
        .unwrap();
    }
    (local, model)
}

fn embedded(model: &Noting) -> usize {
    model.0.borrow().len()
}

#[test]
fn a_text_is_embedded_by_one_process_and_read_by_the_others() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let (one, by_one) = process(&at);
    let (two, by_two) = process(&at);
    for n in 0..20 {
        let title = format!("Lesson {n}");
        ok(&one, Post, "/v1/lessons", lesson(&title, "Text"));
    }
    now(one.idle()).unwrap();
    assert_eq!(embedded(&by_one), 20);
    assert!(now(two.catch_up()));
    now(two.idle()).unwrap();
    assert_eq!(embedded(&by_two), 0, "they lie in the store");
    ok(&two, Post, "/v1/lessons", lesson("Another", "Text"));
    now(two.idle()).unwrap();
    assert_eq!(embedded(&by_two), 1);
    assert!(now(one.catch_up()));
    now(one.idle()).unwrap();
    assert_eq!(embedded(&by_one), 20);
    for local in [&one, &two, &process(&at).0] {
        let health = ok(local, Get, "/v1/health", Value::Null);
        assert_eq!(health["model"]["embedded"], 21);
        assert_eq!(health["model"]["pending"], 0);
    }
}

#[test]
fn while_another_process_embeds_nobody_else_does() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let (one, by_one) = process(&at);
    ok(&one, Post, "/v1/lessons", lesson("A lesson", "Text"));
    fs::create_dir_all(at.join("cache")).unwrap();
    fs::write(at.join("cache/turn"), "").unwrap();
    let step = now(one.index_step()).unwrap();
    assert_eq!((step.done, step.total, step.elsewhere), (0, 1, 1));
    assert!(step.is_done_here());
    assert_eq!(embedded(&by_one), 0);
    fs::remove_file(at.join("cache/turn")).unwrap();
    now(one.idle()).unwrap();
    assert_eq!(embedded(&by_one), 1);
    assert!(!at.join("cache/turn").exists(), "it is given back");
}

#[test]
fn threads_that_embed_at_once_do_each_text_once() {
    const THREADS: usize = 4;
    const TEXTS: usize = 100;
    let folder = Temporary::new();
    let at = folder.join("p");
    let first = open(Some(&at), None);
    for n in 0..TEXTS {
        let title = format!("Lesson {n}");
        ok(&first, Post, "/v1/lessons", lesson(&title, "Text"));
    }
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let work = |_| {
            scope.spawn(|| {
                let (local, model) = process(&at);
                now(local.idle()).unwrap();
                embedded(&model)
            })
        };
        let threads: Vec<_> = (0..THREADS).map(work).collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(counts.iter().sum::<usize>(), TEXTS, "{counts:?}");
}

#[test]
fn a_damaged_file_of_vectors_costs_time_alone() {
    let folder = Temporary::new();
    let at = folder.join("p");
    let (one, _) = process(&at);
    for n in 0..5 {
        ok(
            &one,
            Post,
            "/v1/lessons",
            lesson(&format!("Lesson {n}"), "Text"),
        );
    }
    now(one.idle()).unwrap();
    let file = fs::read_dir(at.join("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("vectors-"))
        .unwrap();
    let whole = fs::read(&file).unwrap();
    for bytes in [
        &whole[..whole.len() / 2],
        &whole[..3],
        &[][..],
        &[255; 64][..],
    ] {
        fs::write(&file, bytes).unwrap();
        let (two, _) = process(&at);
        now(two.idle()).unwrap();
        let health = ok(&two, Get, "/v1/health", Value::Null);
        assert_eq!(health["model"]["pending"], 0);
        // Whoever was here before goes on.
        ok(
            &one,
            Post,
            "/v1/lessons",
            lesson(&format!("More {}", bytes.len()), "Text"),
        );
        now(one.idle()).unwrap();
    }
}
