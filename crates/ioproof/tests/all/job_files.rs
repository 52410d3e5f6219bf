//! fio's job files.

mod buffers;
mod by_name;
mod files;
mod host;
mod layout;
mod run;
mod told;
mod verify;
