//! From a request to open targets: chosen, identified, admitted, planned and permitted. Nothing is opened before all could be planned.

pub mod admit;
pub mod content;
pub mod estimate;
pub mod found;
pub mod identify;
pub mod left_out;
pub mod method;
pub mod plan;
pub mod polled;
pub mod purge;
pub mod record;
pub mod same_work;
pub mod standard;
pub mod take_over;
pub mod target;
