//! This process: its standard streams, signals and memory, its own folders, and errors as they are told to a user.

#![forbid(unsafe_code)]

pub mod colors;
pub mod complaint;
pub mod digest;
pub mod folders;
pub mod interrupt;
mod locale;
pub mod memory_room;
pub mod messages;
pub mod named_pipe;
pub mod output;
pub mod stamp;
pub mod stream;
pub mod written_file;
pub mod zone;
