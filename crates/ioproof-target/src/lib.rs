//! What a path is, what stands on it, the write rule, and every open of what is under test.

pub mod handle;
pub mod mark;
pub mod system;

pub use handle::Handle;
pub use system::System;
