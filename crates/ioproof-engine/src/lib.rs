//! The hot path: a job and an open handle in, counts and histograms out.
//!
//! `api` has the caller's side, `validate` the refusals, `run` the one entry. `worker` is the loop; below it `pool` starts the workers and watches them,
//! `thread` is one of them outside of its loop. `requests` makes the next I/O (`offsets`, `sizes`, and `pace` for its time), `buffers` and `data` the content of a write,
//! `ledger` and `check` recognise it again; `backend` submits and reaps. `clock` stamps, `tally` and `live` count, `outcome` puts the results together. The engine opens
//! nothing by path, writes nothing to the terminal and judges nothing; it works on the handle that `ioproof-target` permitted.

mod api;
mod backend;
mod batching;
mod buffers;
mod check;
mod clock;
mod data;
mod ledger;
mod live;
mod offsets;
mod outcome;
mod pace;
mod random;
mod requests;
mod run;
mod self_test;
mod sizes;
mod slot;
mod tally;
mod validate;
mod worker;

pub use api::{Control, EngineError, JobSnapshot, Options};
pub use backend::{BackendChoice, LostPages, UnknownBackend, hint_of_io};
pub use batching::Batching;
pub use buffers::buffer_bytes;
pub use clock::{Clock, ClockChoice};
pub use ledger::{LedgerError, WriteLedger};
pub use outcome::{Outcome, PriorityLatency};
pub use pace::FlowShare;
pub use run::run;
pub use self_test::self_test;
pub use validate::memory::job_memory_bytes;
pub use validate::{TargetLimits, check, preview};
