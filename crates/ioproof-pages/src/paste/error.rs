//! Reasons for which a paste could not be read; every message names a line.

/// The outputs that are known, for messages.
pub const TOOLS: &str = "nvmecontrol devlist, identify and logpage -p 2; camcontrol identify; spdk_nvme_identify; nvme list, id-ctrl, id-ns and smart-log (text, JSON); \
    smartctl -x (text, JSON)";

/// Reason for which nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    /// There is no text.
    #[error("line 1: there is nothing in it")]
    Empty,
    /// No line begins the output of a tool that is known.
    #[error("line {line}: `{text}` is not the beginning of an output that can be read, and nothing after it is; what can be read: {TOOLS}")]
    Unknown {
        /// The first line that is not empty.
        line: usize,
        /// Its text, shortened.
        text: String,
    },
    /// An output begins and says nothing about a drive.
    #[error("line {line}: the output of {tool} begins here, but it says nothing about a drive{instead}")]
    NoFacts {
        /// Where it begins.
        line: usize,
        /// Whose output it is.
        tool: &'static str,
        /// The first line that was not understood, with its number; empty where there is none.
        instead: String,
    },
}
