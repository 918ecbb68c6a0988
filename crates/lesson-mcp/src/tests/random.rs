//! Bodies, headers and arguments that nobody thought of: no panic, and every answer is one of the
//! protocol's.

use super::playbook::Playbook;
use super::*;
use crate::tools;
use proptest::prelude::*;
use serde_json::Map;

/// Words that the protocol and the tools know, among others.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "jsonrpc",
            "2.0",
            "id",
            "method",
            "params",
            "_meta",
            "name",
            "arguments",
            "result",
            "initialize",
            "ping",
            "tools/list",
            "tools/call",
            "server/discover",
            "cursor",
            "protocolVersion",
            "2026-07-28",
            "2025-11-25",
            "query",
            "limit",
            "lesson",
            "outcome",
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/clientCapabilities",
            "playbook_rate_lesson",
            "playbook_recommend_lessons",
            "idempotency_key",
            "profit",
            "pattern-one",
            "helpful",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word(), inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_headers() -> impl Strategy<Value = Headers> {
    let known = prop::sample::select(vec![
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "accept",
    ]);
    prop::collection::btree_map(known.prop_map(str::to_owned), word(), 0..4).prop_map(|mut sent| {
        sent.insert("content-type".to_owned(), "application/json".to_owned());
        sent
    })
}

/// A sound message with one field changed.
fn bent() -> impl Strategy<Value = (Headers, Value)> {
    let methods = vec![
        "tools/list",
        "tools/call",
        "server/discover",
        "initialize",
        "ping",
    ];
    (prop::sample::select(methods), any::<bool>(), word(), json_value(), 0..4usize).prop_map(
        |(method, now, name, value, place)| {
            let params = json!({ "name": "playbook_health", "arguments": {}, "protocolVersion": "2025-11-25" });
            let (headers, mut body) = if now { current(method, params) } else { before(method, params) };
            let at = match place {
                0 => &mut body,
                1 => &mut body["params"],
                2 => &mut body["params"]["_meta"],
                _ => &mut body["params"]["arguments"],
            };
            match at.as_object_mut() {
                Some(fields) => { fields.insert(name, value); }
                None => *at = value,
            }
            (headers, body)
        },
    )
}

/// Arguments of a tool: some that it takes, some that it does not.
fn arguments(takes: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        8 => prop::sample::select(if takes.is_empty() { vec!["none"] } else { takes.to_vec() }).prop_map(str::to_owned),
        1 => word(),
    ];
    let values = prop_oneof![
        2 => Just(json!("pattern-one")),
        1 => Just(json!(["pattern-one"])),
        1 => Just(json!(true)),
        1 => Just(json!("delivered")),
        1 => (0..200u32).prop_map(Value::from),
        2 => json_value(),
    ];
    prop::collection::btree_map(names, values, 0..5)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

fn sound(incoming: Incoming) {
    match incoming {
        Incoming::Answer(reply) => drop(checked(reply)),
        Incoming::Call(_) => {}
        Incoming::Batch(parts) => parts.into_iter().for_each(sound),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(headers in any_headers(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        sound(receive("POST", &headers, &body));
    }

    #[test]
    fn any_json_is_answered(headers in any_headers(), body in json_value()) {
        sound(receive("POST", &headers, body.to_string().as_bytes()));
    }

    #[test]
    fn a_message_bent_anywhere_is_answered((headers, body) in bent()) {
        sound(receive("POST", &headers, body.to_string().as_bytes()));
    }

    #[test]
    fn a_message_cut_anywhere_is_refused((headers, body) in bent(), cut in 1..60usize) {
        let text = body.to_string();
        let text = &text.as_bytes()[..text.len().saturating_sub(cut)];
        let Incoming::Answer(reply) = receive("POST", &headers, text) else {
            return Err(TestCaseError::fail("half a message was taken"));
        };
        prop_assert_eq!(refusal(checked(reply)), (400, -32700));
    }
}

#[test]
fn any_arguments_are_answered_by_the_service() {
    let playbook = Playbook::filled();
    playbook.done(
        "playbook_add_lesson",
        json!({ "slug": "pattern-one", "title": "One" }),
    );
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        cases: 100,
        ..ProptestConfig::default()
    });
    for name in tools::names() {
        let takes = tools::named(name).unwrap().arguments;
        runner
            .run(&arguments(takes), |arguments| {
                // The call checks its result against the tool's schema.
                playbook.call(name, arguments);
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
    }
}
