//! Lines of fio's logs: `write_bw_log`, `write_iops_log`, `write_lat_log` and, in `histogram`, `write_hist_log`.
//!
//! A line is `time, value, direction, block size, offset, priority`; the offset only with `log_offset`. Latencies are nanoseconds, throughput
//! KiB/s, IOPS a number. Everything works on iterators, so that a log of any length needs no memory.

mod entry;
mod histogram;
mod rates;
mod window;

pub use entry::{LogDirection, LogEntry, LogShape, log_line, log_lines};
pub use histogram::{HistogramLog, LOG_BINS};
pub use rates::{LogKind, Throughput, value_of_one};
pub use window::Averaged;
