//! The edge function on this machine: workerd beside the dashboard and the local stack.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::cache::Cache;
use crate::fault::{advice, fault};
use crate::npm;
use crate::run;
use crate::stack::{Server, Stack, free_port};

/// The folder whose lock file pins workerd, and the program there that runs the edge function.
const HOST: &str = "tests/edge/host";
const PROGRAM: &str = "serve.mjs";

/// Where the search for a free port starts: an agent's configuration keeps the address.
const FIRST_PORT: u16 = 8790;
const PORTS_TRIED: u16 = 10;

/// Gets workerd when absent.
pub fn ensure(cache: &Cache) -> Result<String> {
    npm::install(cache, &cache.root.join(HOST), "npm-workerd")
}

/// A running edge function; it ends when this is dropped, or with the process.
pub struct Edge {
    url: String,
    key: String,
    _server: Server,
}

impl Edge {
    /// Brings it up over a stack, with an agent's key for a space of the sample lessons, which it makes once. Pages of
    /// `dashboard`, an origin, may ask it.
    pub fn start(cache: &Cache, stack: &Stack, dashboard: &str) -> Result<Self> {
        let host = cache.root.join(HOST);
        let told = stack.folder().join("edge-ready.json");
        let remedy = "check the permissions of the cache";
        if told.exists() {
            std::fs::remove_file(&told).with_context(|| advice(told.display(), remedy))?;
        }
        let node = run::find(cache, &["node"])
            .ok_or_else(|| fault("node is missing", "install Node 20 or newer"))?;
        let mut base = run::program(cache, "sh")?;
        base.envs(stack.variables(cache))
            .env("LESSONLOOP_DIST", cache.root.join("dist"))
            .env("LESSONLOOP_EDGE_PORT", port()?.to_string())
            .env("LESSONLOOP_EDGE_KEPT", stack.folder().join("edge.json"))
            .env("LESSONLOOP_EDGE_READY", &told)
            .env("LESSONLOOP_EDGE_DASHBOARD", dashboard);
        let server = Server::start(
            "The edge function",
            base,
            "TERM",
            &node,
            &[host.join(PROGRAM).display().to_string()],
            stack.folder().join("edge.log"),
        )?;
        server.wait(|| read(&told).is_some())?;
        let (url, key) = read(&told)
            .ok_or_else(|| fault(format_args!("{} is gone", told.display()), "try again"))?;
        Ok(Self {
            url,
            key,
            _server: server,
        })
    }

    /// Where it answers.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Describes how an agent asks it: its address, its key, and a request.
    pub fn describe(&self) -> String {
        let Self { url, key, .. } = self;
        let bearer = format!("Bearer {key}");
        let mcp = json!({ "mcpServers": { "lessonloop": {
            "type": "http", "url": format!("{url}/mcp"), "headers": { "Authorization": &bearer },
        } } });
        format!(
            "URL              {url}\nagent key        {key}\n  \
             curl {url}/v1/recommend -H 'Authorization: {bearer}' -H 'Content-Type: application/json' \
             -d '{{\"query\":\"database security\"}}'\n\
             For an MCP client, such as .mcp.json of Claude Code:\n  {mcp}"
        )
    }
}

/// Address and key, once it answers.
fn read(told: &PathBuf) -> Option<(String, String)> {
    let held: Value = serde_json::from_slice(&std::fs::read(told).ok()?).ok()?;
    let text = |name: &str| held[name].as_str().map(str::to_owned);
    Some((text("url")?, text("key")?))
}

/// The same port at every start, where it is free.
fn port() -> Result<u16> {
    (FIRST_PORT..FIRST_PORT + PORTS_TRIED)
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .map_or_else(free_port, Ok)
}
