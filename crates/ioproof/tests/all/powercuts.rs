//! Power cuts and their witness.

mod check;
mod faults;
mod show_loss;
mod verbs;
mod write;
