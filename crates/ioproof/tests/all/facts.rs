//! What ioproof says of drives and hosts, and of its own command line.

mod command_line;
mod doctor;
mod foreign_text;
mod identify;
mod identify_paste;
mod identify_replay;
