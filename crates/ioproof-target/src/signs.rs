//! Signs by which content is known: marks of ours, signatures of others, pages of an image.

pub(crate) mod image;
pub mod laid_out;
pub mod mark;
pub mod signature;
