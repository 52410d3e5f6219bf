//! The tools that print an NVMe controller, namespace or health log.

pub(super) mod cli;
pub(super) mod cli_json;
pub(super) mod cli_list;
pub(super) mod health_rows;
pub(super) mod identify_rows;
pub(super) mod nvmecontrol;
pub(super) mod power_states;
pub(super) mod spdk;
pub(super) mod structure_fields;
