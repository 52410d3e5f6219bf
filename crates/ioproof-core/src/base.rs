//! Numbers, texts and draws that everything else is made of.

pub mod faults;
pub mod histogram;
pub mod io_log;
pub mod metric;
pub mod splitmix;
pub mod stats;
pub mod text;
pub mod units;
