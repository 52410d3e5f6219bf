//! fio's job files.

mod files;
mod host;
mod layout;
mod run;
mod told;
mod verify;
