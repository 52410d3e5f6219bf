//! Structures as the specification has them: registers, commands, completions, identify pages. Clauses are of NVM Express Base Specification 1.4.

pub mod command;
pub mod completion;
pub mod identify;
pub mod registers;

pub use command::Command;
pub use completion::{Completion, Status};
pub use identify::{ControllerPage, NamespacePage};
