//! The first answer of a cold isolate: it waits for the model and for vectors as long as that is worth it, and says why
//! when it ranked by words.

use super::common::{WordModel, interleaved, yield_once};
use super::test_edge::{KEY, STRANGER, Server, TestEdge, request};
use lesson_core::Millis;
use lesson_edge::{EdgeAnswer, EdgeRequest};
use lesson_embed::EmbedError;
use lesson_service::Embedder;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;

/// A cold isolate whose host fetches the model pack when it is asked to.
struct Cold {
    isolate: TestEdge,
    /// When the host was asked for the pack, and how many requests the server had had by then.
    asked: Rc<RefCell<Vec<(Millis, usize)>>>,
}

impl Cold {
    fn over(lessons: usize) -> Self {
        let server = Rc::new(Server::default());
        let slugs: Vec<String> = (0..lessons).map(|at| format!("table-{at}")).collect();
        let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
        server.seed("s1", &slugs);
        Self {
            isolate: TestEdge::beside(server),
            asked: Rc::default(),
        }
    }

    fn request(&self, key: &str) -> EdgeRequest {
        let (asked, server) = (Rc::clone(&self.asked), Rc::clone(&self.isolate.server));
        let clock = Rc::clone(&self.isolate.clock);
        EdgeRequest {
            body: json!({"query": "slow sql"}).to_string().into_bytes(),
            fetch_model: Some(Rc::new(move || {
                let sent = server.requests.borrow().len();
                asked.borrow_mut().push((clock.get(), sent));
            })),
            ..request("POST", "/v1/recommend", key)
        }
    }

    fn ask(&self) -> Told {
        self.ask_beside(async {})
    }

    /// Asks while the host does something else; how long the answer took, and what it says.
    fn ask_beside(&self, host: impl Future<Output = ()>) -> Told {
        let begun = self.isolate.clock.get();
        let took = Cell::new(0);
        let answered = async {
            let answer = self.isolate.edge.handle(self.request(KEY)).await;
            took.set(self.isolate.clock.get() - begun);
            Some(answer)
        };
        let beside = async {
            host.await;
            None
        };
        let both: Vec<Pin<Box<dyn Future<Output = Option<EdgeAnswer>> + '_>>> =
            vec![Box::pin(answered), Box::pin(beside)];
        let answer = interleaved(both).into_iter().flatten().next().unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        Told {
            took: took.get(),
            semantic: body["semantic"] == true,
            reason: body["semantic_reason"].as_str().map(str::to_owned),
        }
    }

    /// Waits until the pack was asked for and some time has passed since.
    async fn after(&self, ms: Millis) {
        self.after_time(1, ms).await;
    }

    /// The same, when it was asked for so many times.
    async fn after_time(&self, times: usize, ms: Millis) {
        loop {
            let asked = self.asked.borrow().get(times - 1).map(|(at, _)| *at);
            if asked.is_some_and(|at| self.isolate.clock.get() - at >= ms) {
                return;
            }
            yield_once().await;
        }
    }
}

/// An answer as an agent learns of it: its time, and the reason if it is not semantic.
#[derive(Debug, PartialEq)]
struct Told {
    took: Millis,
    semantic: bool,
    reason: Option<String>,
}

impl Told {
    fn by_words(&self, why: &str) {
        assert_eq!((self.semantic, self.reason.as_deref()), (false, Some(why)));
    }

    fn by_meaning(&self) {
        assert_eq!((self.semantic, self.reason.as_deref()), (true, None));
    }
}

/// Each embedding takes this long by the isolate's clock.
struct Slow {
    words: Rc<WordModel>,
    clock: Rc<Cell<Millis>>,
    takes: Millis,
}

impl Embedder for Slow {
    fn id(&self) -> &str {
        self.words.id()
    }

    fn dims(&self) -> usize {
        self.words.dims()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.clock.set(self.clock.get() + self.takes);
        self.words.embed(text)
    }
}

fn slow(cold: &Cold, takes: Millis) -> (Rc<WordModel>, Rc<Slow>) {
    let words = WordModel::new();
    let clock = Rc::clone(&cold.isolate.clock);
    let slow = Slow {
        words: Rc::clone(&words),
        clock,
        takes,
    };
    (words, Rc::new(slow))
}

#[test]
fn it_is_by_meaning_when_the_pack_comes_within_a_second() {
    let cold = Cold::over(2);
    let told = cold.ask_beside(async {
        cold.after(900).await;
        cold.isolate.edge.use_model(WordModel::new()).await.unwrap();
    });
    told.by_meaning();
    assert!((900..1_300).contains(&told.took), "{told:?}");
    // The key was asked about, and nothing else: the lessons came in beside the pack.
    assert_eq!(cold.asked.borrow().len(), 1);
    assert_eq!(cold.asked.borrow()[0].1, 1);
    assert!(cold.ask().took < 50);
}

#[test]
fn a_pack_that_is_late_is_waited_for_once_and_used_when_it_is_there() {
    let cold = Cold::over(2);
    let first = cold.ask();
    first.by_words("the model is still loading");
    assert!((900..1_300).contains(&first.took), "{first:?}");
    let second = cold.ask();
    second.by_words("the model is still loading");
    assert!(second.took < 50, "{second:?}");
    assert_eq!(cold.asked.borrow().len(), 1);
    // One that is lost is asked for again.
    cold.isolate.wait(60_000);
    cold.ask_beside(async {
        cold.after_time(2, 100).await;
        cold.isolate.edge.use_model(WordModel::new()).await.unwrap();
    })
    .by_meaning();
    assert_eq!(cold.asked.borrow().len(), 2);
}

#[test]
fn a_host_without_a_model_is_not_waited_for() {
    let cold = Cold::over(2);
    let first = cold.ask_beside(async {
        cold.after(10).await;
        cold.isolate.edge.no_model(true);
    });
    first.by_words("this host has no model");
    assert!(first.took < 300, "{first:?}");
    cold.ask().by_words("this host has no model");
    assert_eq!(cold.asked.borrow().len(), 1);
}

#[test]
fn a_pack_that_is_refused_is_told_of_and_tried_again_after_a_minute() {
    let cold = Cold::over(2);
    let first = cold.ask_beside(async {
        cold.after(10).await;
        let refused = cold
            .isolate
            .edge
            .load_model(b"a web page".to_vec(), None)
            .await;
        assert!(refused.is_err());
    });
    let why = "the model could not be loaded; it is tried again within a minute";
    first.by_words(why);
    assert!(first.took < 300, "{first:?}");
    cold.ask().by_words(why);
    assert_eq!(cold.asked.borrow().len(), 1);
    cold.isolate.wait(60_000);
    cold.ask().by_words("the model is still loading");
    assert_eq!(cold.asked.borrow().len(), 2);
}

#[test]
fn nobody_without_a_key_has_a_model_fetched() {
    let cold = Cold::over(2);
    let answer = cold.isolate.send(cold.request(STRANGER));
    assert_eq!(answer.status, 401);
    assert!(cold.asked.borrow().is_empty());
}

#[test]
fn an_agent_that_only_connects_has_the_model_fetched() {
    let cold = Cold::over(2);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let mut asked = cold.request(KEY);
    asked.path = "/mcp".to_owned();
    asked.body = hello.to_string().into_bytes();
    asked.headers.insert(
        "accept".to_owned(),
        "application/json, text/event-stream".to_owned(),
    );
    assert_eq!(cold.isolate.send(asked).status, 200);
    assert_eq!(cold.asked.borrow().len(), 1);
}

#[test]
fn a_fresh_space_is_embedded_before_the_first_answer_when_that_is_soon_done() {
    let cold = Cold::over(85);
    let (words, model) = slow(&cold, 15);
    let told = cold.ask_beside(async {
        cold.after(10).await;
        cold.isolate.edge.use_model(model).await.unwrap();
    });
    told.by_meaning();
    assert_eq!(words.embedded.get(), 86, "the lessons and the query");
    assert!(told.took < 2_000, "{told:?}");
}

#[test]
fn where_it_takes_longer_the_answer_tells_how_many_have_no_vector_and_nobody_waits_for_them() {
    let cold = Cold::over(85);
    let (words, model) = slow(&cold, 60);
    let told = cold.ask_beside(async {
        cold.after(10).await;
        cold.isolate.edge.use_model(model).await.unwrap();
    });
    let waiting = 86 - words.embedded.get();
    // So few vectors would rank worse than words do.
    assert!(!told.semantic && (60..85).contains(&waiting), "{told:?}");
    let why = format!("{waiting} of 85 lessons have no vector yet");
    assert_eq!(told.reason, Some(why));
    assert!(told.took < 1_000, "{told:?}");
    // The pace is known now: only the query is embedded.
    assert!(cold.ask().took < 100);
    // They get theirs after answers, and are waited for once that is soon done.
    for _ in 0..20 {
        cold.isolate.settle();
    }
    cold.ask().by_meaning();
    assert_eq!(words.embedded.get(), 85 + 3);
}

#[test]
fn of_too_many_lessons_none_is_begun() {
    let cold = Cold::over(2_100);
    let (words, model) = slow(&cold, 1);
    let told = cold.ask_beside(async {
        cold.after(10).await;
        cold.isolate.edge.use_model(model).await.unwrap();
    });
    told.by_words("no lesson has a vector yet");
    assert_eq!(words.embedded.get(), 1);
    assert!(told.took < 300, "{told:?}");
}

#[test]
fn a_search_and_a_tool_say_it_too() {
    let cold = Cold::over(2);
    cold.isolate.edge.no_model(true);
    let (_, found) = cold
        .isolate
        .post("/v1/search", &json!({"query": "index the table"}));
    assert_eq!(found["semantic_reason"], "this host has no model");
    for (tool, arguments) in [
        ("playbook_recommend_lessons", json!({"query": "index"})),
        ("playbook_search_lessons", json!({"query": "index"})),
    ] {
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let (_, answer) = cold.isolate.post_with(
            KEY,
            &[("accept", "application/json, text/event-stream")],
            "/mcp",
            &call,
        );
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        let says = "Ranked by words, not by meaning: this host has no model.";
        assert!(text.contains(says), "{answer}");
        assert_eq!(
            answer["result"]["structuredContent"]["semantic_reason"],
            "this host has no model"
        );
    }
}
