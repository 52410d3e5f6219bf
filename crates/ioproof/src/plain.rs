//! The name under which modules of this program use [`ioproof_core::text::visible`].

pub use ioproof_core::text::visible as plain;
