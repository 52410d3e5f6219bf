//! The stages of a measurement, one file each. What they decide is decided in `ioproof-core`; here they are only connected to the machine.

pub mod admit;
pub mod bench;
pub mod check;
pub mod clock;
pub mod dry_run;
pub mod identify;
pub mod measure;
pub mod prepare;
pub mod presence;
pub mod record;
pub mod rounds;
pub mod search;
pub mod self_test;
pub mod target;
