//! Placeholder
use super::Campaign;
pub const CAMPAIGN: Campaign = Campaign { name: "input", short: 150, full: 2000, needs_root: false, attempt: |_| Ok(()) };
