//! Callers without a key that is in force: they cost the server little, and keep nobody else out.

use crate::test_edge::{KEY, OTHER, TestEdge, request, sha};
use lesson_edge::EdgeAnswer;

/// A key as the server makes them now, out of a number. Its beginning changes with each.
fn checked(n: usize) -> String {
    let old = old(n);
    format!("{old}{}", &sha(&old)[..8])
}

/// A key as they were made before.
fn old(n: usize) -> String {
    format!("llk_{}", sha(&n.to_string()))
}

fn ask(isolate: &TestEdge, key: &str, client: &str) -> EdgeAnswer {
    let mut request = request("GET", "/v1/stats", key);
    client.clone_into(&mut request.client);
    isolate.send(request)
}

/// Counts the keys that got 401, which takes a look-up; all others got 429.
fn looked_up(isolate: &TestEdge, keys: impl Iterator<Item = (String, String)>) -> usize {
    let mut count = 0;
    for (key, client) in keys {
        let answer = ask(isolate, &key, &client);
        match answer.status {
            401 => count += 1,
            429 => assert!(answer.headers["retry-after"].parse::<u64>().unwrap() >= 1),
            other => panic!("{other}: {}", answer.body),
        }
    }
    count
}

#[test]
fn a_key_with_a_wrong_checksum_costs_the_server_nothing() {
    let isolate = TestEdge::new();
    let mut words = std::collections::BTreeSet::new();
    for n in 0..3_000 {
        let mut key = checked(n);
        let last = if key.ends_with('0') { "1" } else { "0" };
        key.replace_range(75.., last);
        let answer = ask(&isolate, &key, "192.0.2.1");
        assert_eq!(answer.status, 401, "{key}");
        words.insert(answer.body);
    }
    assert_eq!(isolate.server.requests.borrow().len(), 0);
    words.insert(ask(&isolate, &checked(1), "192.0.2.1").body);
    assert_eq!(isolate.server.requests.borrow().len(), 1);
    assert_eq!(words.len(), 1, "what is wrong with a key is not told");
    assert_eq!(ask(&isolate, KEY, "192.0.2.1").status, 200);
}

#[test]
fn a_flood_from_one_address_leaves_unknown_agents_of_others_alone() {
    for make in [checked, old] {
        let isolate = TestEdge::new();
        let flood = (0..1_000).map(|n| (make(n), "192.0.2.1".to_owned()));
        let count = looked_up(&isolate, flood);
        assert!((200..260).contains(&count), "{count}");
        assert_eq!(isolate.server.requests.borrow().len(), count);
        // This isolate has not seen the key.
        assert_eq!(ask(&isolate, KEY, "192.0.2.2").status, 200);
        // A key that it knows is served wherever it comes from.
        assert_eq!(ask(&isolate, KEY, "192.0.2.1").status, 200);
        assert_eq!(ask(&isolate, OTHER, "192.0.2.1").status, 429);
        isolate.wait(1_000);
        assert_eq!(ask(&isolate, OTHER, "192.0.2.1").status, 200);
    }
}

#[test]
fn a_subscriber_with_many_addresses_counts_once() {
    let isolate = TestEdge::new();
    let flood = (0..1_000).map(|n| (checked(n), format!("2001:db8:0:1::{n:x}")));
    let count = looked_up(&isolate, flood);
    assert!((200..260).contains(&count), "{count}");
    assert_eq!(ask(&isolate, KEY, "2001:db8:0:2::1").status, 200);
}

#[test]
fn guesses_at_one_key_are_counted_wherever_they_come_from() {
    let isolate = TestEdge::new();
    // They begin as this key does, and come from everywhere.
    let begins = &checked(1)[..20];
    let guess = |n: usize| {
        let old = format!("{begins}{}", &old(n)[20..]);
        format!("{old}{}", &sha(&old)[..8])
    };
    let flood = (0..500).map(|n| (guess(n), format!("198.51.{}.{}", n / 200, n % 200)));
    let count = looked_up(&isolate, flood);
    assert!((100..130).contains(&count), "{count}");
    assert_eq!(ask(&isolate, KEY, "198.51.0.1").status, 200);
}

#[test]
fn a_flood_from_everywhere_keeps_nobody_out() {
    let isolate = TestEdge::new();
    for n in 0..12_000 {
        let client = format!("10.{}.{}.{}", n >> 16, (n >> 8) & 255, n & 255);
        assert_eq!(ask(&isolate, &checked(n), &client).status, 401, "{n}");
    }
    assert_eq!(ask(&isolate, KEY, "192.0.2.2").status, 200);
}

#[test]
fn agents_that_share_an_address_are_not_counted() {
    let isolate = TestEdge::new();
    isolate.server.is_open.set(true);
    for n in 0..600 {
        assert_eq!(ask(&isolate, &checked(n), "192.0.2.1").status, 200, "{n}");
    }
}
