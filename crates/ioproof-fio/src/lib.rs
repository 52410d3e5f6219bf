//! fio's language: job files and command line in, jobs out; and measurements in fio's terms, printed as fio prints them.
//!
//! People own thousands of fio job files and the scripts that read fio's output; both work here unchanged. Everything in this crate is a function
//! of its arguments: the text of included files and the values of variables are passed in.

#![forbid(unsafe_code)]

pub mod assemble;
pub mod audit;
pub mod command_line;
pub mod compile;
pub mod complaint;
pub mod document;
pub mod grammar;
pub mod iolog;
pub mod jobs;
pub mod limits;
pub mod options;
pub mod print;
pub mod region;
pub mod results;
#[cfg(test)]
#[path = "../../ioproof-core/src/tests/rule_pages.rs"]
mod rule_pages;
pub mod samples;
pub mod schedule;
pub mod settings;
pub mod showcmd;
pub mod steady;
pub mod values;
pub mod windows;
