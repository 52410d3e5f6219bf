//! The witness of power cuts: it keeps on another machine, on a durable disk, what a writer has been told to be durable, and gives it back to whoever checks.
//!
//! `protocol` is pure: frames, who speaks, messages. `log` keeps records in files that a crash of the witness itself does not take; `server` lets writers and
//! readers at it; `client` is the writer's side, which never waits for the link, and `fetch` the reader's. To the witness an [`Acknowledgement`] is three
//! numbers and a description is bytes: what they mean is known to whoever writes and checks. Nothing that it keeps hangs on a clock: records have numbers.
//!
//! Nobody without the [`Key`] can add, change, repeat or reorder anything unnoticed. Nothing is encrypted: whoever sees the traffic can read it.
//! Deliberately absent: drives, targets, what an acknowledged write promises, a command line and a terminal.

#![forbid(unsafe_code)]

mod address;
mod bytes;
mod client;
mod error;
mod fetch;
mod hex;
mod id;
mod key;
mod log;
pub mod protocol;
mod random;
mod record;
mod server;
mod socket;

pub use address::{DEFAULT_PORT, host_and_port, perhaps_meant, read_address, read_listen, with_port};
pub use client::{Begin, NotTaken, Options, Progress, WitnessClient};
pub use error::{Error, Reason};
pub use fetch::{fetch, fetch_beginnings, list};
pub use id::CampaignId;
pub use key::{Key, KeyError};
pub use log::{Log, LogError, SyncPolicy};
pub use record::{Acknowledgement, KeptRecord, Listed, RecordContent};
pub use server::{Settings, Told, WitnessServer};
