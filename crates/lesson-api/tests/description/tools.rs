//! The MCP tools.
use serde_json::Value;
pub fn list() -> Value {
    Value::Null
}
