//! A drive as it describes itself, and as its maker promises it.

pub mod claim;
pub mod datasheet;
pub mod facts;
pub mod identity;
