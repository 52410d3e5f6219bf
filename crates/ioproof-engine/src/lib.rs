//! The hot path: a job and an open handle in, counts and histograms out.
//!
//! `api` is what the caller says, `fit` what is refused, `run` the one entry. `crew` starts the workers and watches them, `post` is a worker's thread and `place` where it
//! runs, `worker` the one loop in it. `requests` says what is wanted next (`offsets` where, `sizes` how large, `pace` when), `buffers` and `data` what is written, `ledger` and
//! `check` whether it is known again; `backend` submits and reaps. `clock` stamps, `tally` and `live` count, `sampler` looks on, `outcome` puts it together. The engine opens nothing by path, writes nothing to the terminal and judges nothing; it works on
//! the handle that `ioproof-target` permitted.

mod affinity;
mod api;
mod backend;
mod batching;
mod buffers;
mod check;
mod clock;
mod data;
mod ledger;
mod live;
mod locked;
mod offsets;
mod outcome;
mod pace;
mod requests;
mod run;
mod sampler;
mod self_test;
mod sizes;
mod slot;
mod tally;
mod usage;
mod validate;
mod worker;
mod worker_pool;
mod worker_thread;

pub use api::{Control, EngineError, Options, Snapshot};
pub use backend::{BackendChoice, UnknownBackend, hint_of_io};
pub use batching::Batching;
pub use clock::{Clock, ClockChoice};
pub use ledger::{Ledger, LedgerError};
pub use outcome::Outcome;
pub use run::run;
pub use self_test::self_test;
pub use validate::{TargetLimits, check, preview};
