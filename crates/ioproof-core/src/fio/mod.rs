//! fio's language: job files and command line in, jobs out; and what was measured, in fio's terms.
//!
//! People own thousands of fio job files and the scripts that read fio's output; both work here unchanged. Everything in this folder is a function
//! of its arguments: the text of included files and the values of variables are passed in.

pub mod assemble;
pub mod audit;
pub mod command_line;
pub mod compile;
pub mod complaint;
pub mod document;
pub mod grammar;
pub mod jobs;
pub mod latency_goal;
pub mod options;
pub mod region;
pub mod results;
pub mod samples;
pub mod schedule;
pub mod settings;
pub mod showcmd;
pub mod steady;
pub mod values;
pub mod windows;
