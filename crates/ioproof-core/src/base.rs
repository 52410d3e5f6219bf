//! Numbers, texts and draws that everything else is made of.

pub mod counts;
pub(crate) mod distinct;
pub mod faults;
pub mod finding;
pub mod histogram;
pub mod io_log;
pub mod metric;
pub mod moment;
pub mod places;
pub(crate) mod serde_skip;
pub mod splitmix;
pub mod stats;
pub mod text;
pub mod units;
pub mod warm_up;
