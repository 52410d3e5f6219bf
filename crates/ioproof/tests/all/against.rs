//! ioproof against other programs of its kind.

mod fio;
mod fio_both;
mod fio_differential;
mod fio_parsing;
mod fio_priorities;
mod fio_replay;
mod fio_tools;
mod fio_verify_state;
mod fleet_docs;
mod given_server;
mod layers;
mod syncs;
