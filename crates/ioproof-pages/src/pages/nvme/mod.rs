//! NVMe: the structures that Identify, Get Log Page and Get Features return.
//!
//! One file a structure, each a table with its clause; lists, whose entries have no fixed place, are code. The tables follow the Base Specification 2.0c and the
//! NVM Command Set Specification 1.0c; places that later revisions gave a meaning are zero on older drives, which reads as "does not have it".

mod capabilities;
mod controller;
mod errors;
mod features;
mod firmware;
mod lists;
mod namespace;
mod nvm_command_set;
mod power;
mod self_test;
mod smart;
mod status;
#[cfg(test)]
mod tests;
mod words;

pub use capabilities::{Capabilities, capabilities};
pub use controller::CONTROLLER;
pub use errors::{ERROR_ENTRY_BYTES, error_log};
pub use features::{FEATURE_DATA_BYTES, Feature, feature};
pub use firmware::FIRMWARE_LOG;
pub use lists::{descriptors, namespace_ids, namespace_list, supported_log_ids, supported_logs};
pub(crate) use namespace::NAMESPACE;
pub use namespace::namespace;
pub use nvm_command_set::{CONTROLLER_NVM, NAMESPACE_NVM};
pub use self_test::SELF_TEST_LOG;
pub use smart::smart_log;
pub use status::status_text;

const BASE: &str = "NVM Express Base Specification 2.0c";

const NVM_COMMAND_SET: &str = "NVM Command Set Specification 1.0c";

/// The smallest memory page of a controller (CAP.MPSMIN), in which several limits are counted. It stands in a register, which no command reads; every drive on
/// PCI Express uses this one.
const MEMORY_PAGE_BYTES: u64 = 4096;
