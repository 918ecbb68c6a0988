//! Hashes of random ledgers and of what the core folds them into: natively and in the module they are those of
//! `tests/corpus/ledger_hashes.json`.

use super::author::{START, ledger};
use serde_json::Value;

/// Ledgers in the file. The first has 10,050 events of tools.
pub const LEDGERS: u64 = 401;
const SEED: u64 = 20_261_123;

/// The hash of every ledger: its events as written, and its rows.
pub fn of_all() -> Vec<String> {
    (0..LEDGERS).map(of).collect()
}

fn of(number: u64) -> String {
    let ledger = ledger(SEED, number, START, None);
    let mut hash = Hash::new();
    hash.value(&ledger.line());
    format!("{:016x}", hash.0)
}

/// FNV-1a over a value's parts, with floats by their bits and fields in the order of their names.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in [kind].iter().chain(&length).chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes(0, &[]),
            Value::Bool(is) => self.bytes(1, &[u8::from(*is)]),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(number), ..) => self.bytes(2, &number.to_le_bytes()),
                (_, Some(number), _) => self.bytes(3, &number.to_le_bytes()),
                (.., number) => {
                    self.bytes(4, &number.unwrap_or_default().to_bits().to_le_bytes());
                }
            },
            Value::String(text) => self.bytes(5, text.as_bytes()),
            Value::Array(values) => {
                self.bytes(6, &(values.len() as u64).to_le_bytes());
                for value in values {
                    self.value(value);
                }
            }
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_unstable_by_key(|(name, _)| *name);
                self.bytes(7, &(fields.len() as u64).to_le_bytes());
                for (name, value) in fields {
                    self.bytes(5, name.as_bytes());
                    self.value(value);
                }
            }
        }
    }
}
