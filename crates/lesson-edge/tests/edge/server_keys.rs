//! Agents' keys as the scripted server knows them.

use crate::test_edge::{Server, sha};
use lesson_sync::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

pub const KEY: &str = "llk_1111111111111111111111111111111111111111111111111111111111111111";
pub const OTHER: &str = "llk_2222222222222222222222222222222222222222222222222222222222222222";
pub const STRANGER: &str = "llk_3333333333333333333333333333333333333333333333333333333333333333";
/// Another key of the space with the name of the first one.
pub const TWIN: &str = "llk_5555555555555555555555555555555555555555555555555555555555555555";
/// A key of another space.
pub const ELSEWHERE: &str = "llk_4444444444444444444444444444444444444444444444444444444444444444";

/// The keys that a request carries.
pub fn sent(request: &HttpRequest) -> Vec<&str> {
    let header = request.headers.iter();
    let mut found = header.filter(|(name, _)| *name == "x-lessonloop-key");
    let keys = found.next().map_or("", |(_, keys)| keys);
    assert!(found.next().is_none(), "one header");
    keys.split(',').filter(|key| !key.is_empty()).collect()
}

impl Server {
    /// The agents whose keys the request carries and that are in force.
    pub fn agents(&self, request: &HttpRequest) -> Vec<Value> {
        let keys = sent(request).into_iter();
        keys.filter_map(|key| self.agent(key)).collect()
    }

    fn agent(&self, key: &str) -> Option<Value> {
        let hash = sha(key);
        if self.revoked.borrow().contains(&hash) {
            return None;
        }
        let keys = [
            (KEY, "id-1", "planner", "s1"),
            (OTHER, "id-2", "builder", "s1"),
            (ELSEWHERE, "id-3", "planner", "s2"),
            (TWIN, "id-4", "planner", "s1"),
        ];
        let listed = || {
            let (_, id, name, space) = keys.iter().find(|(listed, ..)| *listed == key)?;
            Some(json!({"id": id, "name": name, "space": space, "space_name": "Team"}))
        };
        let mut agent = crate::memory::known(&hash, self.is_open.get()).or_else(listed)?;
        agent["epoch"] = json!(format!("e{}", self.epoch.get()));
        Some(agent)
    }

    /// The answer with its status: what a key does not open is not there.
    pub fn respond(&self, request: &HttpRequest) -> HttpResponse {
        let agents = self.agents(request);
        let is_mine = |space: &str| agents.iter().any(|agent| agent["space"] == space);
        let body: Value = serde_json::from_str(request.body.as_deref().unwrap_or("{}")).unwrap();
        let of_query = || request.url.split("space=eq.").nth(1)?.split('&').next();
        let space = body["p_space"].as_str().or_else(of_query);
        let (status, body) = match space {
            None => (
                200,
                json!({"schema_version": lesson_sync::SCHEMA_VERSION, "agent": agents.first()}),
            ),
            Some(space) if is_mine(space) => (200, self.answer(request)),
            Some(_) if agents.is_empty() => (401, json!({"code": "PT401", "message": "no key"})),
            Some(_) => (
                404,
                json!({"code": "PT404", "message": "there is no such space"}),
            ),
        };
        HttpResponse {
            status,
            retry_after: None,
            body: body.to_string(),
        }
    }
}
