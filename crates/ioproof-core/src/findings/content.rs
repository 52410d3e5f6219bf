//! Data that is not what a drive has to read or write: caches, compression, holes, losses.

pub(super) mod cached_layer;
pub(super) mod compressed_memory;
pub(super) mod compressing;
pub(super) mod data_lost;
pub(super) mod faults_injected;
pub(super) mod file_trims;
pub(super) mod large_records;
pub(super) mod page_cache;
pub(super) mod unwritten;
