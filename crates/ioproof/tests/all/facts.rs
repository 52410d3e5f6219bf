//! Facts of drives and hosts, and the command line itself.

mod audit;
mod command_line;
mod docs_commands;
mod doctor;
mod foreign_text;
mod identify;
mod identify_paste;
mod identify_replay;
