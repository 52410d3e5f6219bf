//! Room, and files of the program that need some.

pub(crate) mod compressed;
pub(crate) mod free_space;
pub(crate) mod scratch;
pub(crate) mod work_folder;
