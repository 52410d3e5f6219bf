//! Findings of one check after a cut: what became of the operations that had been acknowledged.

use serde_json::Value;
use std::collections::BTreeMap;

pub const CORRUPT: &str = "corrupt";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub acknowledged: u64,
    /// Failures of acknowledged operations, or of the place where they all were, by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Failed operations of which a later one survived: out of order.
    pub overtaken: u64,
    /// Name that the checker gives, after this cut and those before.
    pub habit: Option<String>,
}

impl Found {
    pub fn all_gone(kind: &'static str) -> Self {
        Self { kinds: BTreeMap::from([(kind, 1)]), ..Self::default() }
    }

    pub fn is_clean(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// The name that a check gives to the lie of a drive; none where it says nothing of the drive.
pub fn habit(habit: &Value) -> Option<String> {
    let at = habit["at_bytes"].as_u64().map_or(String::new(), |bytes| format!(" at {bytes}"));
    Some(habit["name"].as_str()?.to_owned() + &at)
}
