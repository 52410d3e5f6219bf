//! Bytes at the drive against those of the run: caches, compression, holes, losses, others.

pub(super) mod backing_file_used;
pub(super) mod cached_layer;
pub(super) mod compressed_memory;
pub(super) mod compressing;
pub(super) mod data_lost;
pub(super) mod faults_injected;
pub(super) mod file_trims;
pub(super) mod foreign_io;
pub(super) mod large_records;
pub(super) mod page_cache;
pub(super) mod unseen_drive;
pub(super) mod unwritten;
