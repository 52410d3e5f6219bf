//! The hot path: a job and an open handle in, counts and histograms out.
//!
//! `run` starts the workers and watches them, `post` is a worker's thread, `worker` the one loop in it, `backend` submits and reaps, `offsets` says where, `buffers`
//! what is written, `clock` when. The engine opens nothing by path, writes nothing to the terminal and judges nothing; it works on
//! the handle that `ioproof-target` permitted.

mod api;
mod backend;
mod buffers;
mod check;
mod clock;
mod crew;
mod data;
mod fit;
mod ledger;
mod live;
mod offsets;
mod outcome;
mod pace;
mod place;
mod post;
mod requests;
mod run;
mod sampler;
mod self_test;
mod sizes;
mod slot;
mod tally;
mod usage;
mod worker;

pub use api::{Control, EngineError, Options, Snapshot};
pub use backend::BackendChoice;
pub use clock::{Clock, ClockChoice};
pub use fit::check;
pub use ledger::{Ledger, LedgerError};
pub use outcome::Outcome;
pub use run::run;
pub use self_test::self_test;
