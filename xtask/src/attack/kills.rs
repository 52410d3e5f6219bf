//! Placeholder
use super::Campaign;
pub const CAMPAIGN: Campaign = Campaign { name: "kills", short: 15, full: 300, needs_root: false, attempt: |_| Ok(()) };
