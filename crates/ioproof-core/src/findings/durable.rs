//! Writes that are to be durable, and databases.

pub(super) mod commits_unsynced;
pub(super) mod data_journal;
pub(super) mod database_compressed;
pub(super) mod fast_flush;
pub(super) mod few_syncs;
pub(super) mod frequent_checkpoints;
pub(super) mod full_page_writes;
pub(super) mod hidden_cache;
pub(super) mod unflushed;
