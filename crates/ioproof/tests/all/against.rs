//! ioproof against other programs of its kind.

mod fio;
mod fio_differential;
mod fio_parsing;
mod fio_replay;
mod fio_tools;
mod given_server;
mod layers;
mod syncs;
