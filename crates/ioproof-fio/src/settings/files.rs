//! Which files a job uses, what they are called, and how they are made.

settings! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct FileSettings {
        /// `filename`: every name that was given, those of `[global]` and of the command line included; empty: names are made.
        pub names: Vec<String> = Vec::new(),
        /// `directory`: clones take them in turn; empty: the current one.
        pub directories: Vec<String> = Vec::new(),
        pub format: String = "$jobname.$jobnum.$filenum".into(),
        pub count: u32 = 1,
        pub service: Service = Service::default(),
        /// `filesize`: least and most bytes of a file; `None`: `size` divided among the files.
        pub size_bytes: Option<(u64, u64)> = None,
        pub append: bool = false,
        /// `lockfile`: I/O locks the file.
        pub locked: bool = false,
        pub fill_device: bool = false,
        /// `overwrite`: files are laid out before they are written, so that only existing blocks are written.
        pub overwrite: bool = false,
        pub fallocate: Fallocate = Fallocate::Native,
        pub may_create: bool = true,
        pub create_on_open: bool = false,
        pub create_only: bool = false,
        pub create_fsync: bool = true,
        pub pre_read: bool = false,
        pub invalidate: bool = true,
        pub unlink: bool = false,
    }
}

impl FileSettings {
    /// Paths of the files of a clone, from 0, of the section `section`. Directory and name are joined even where the name begins with `/`.
    pub fn paths(&self, section: &str, clone: u32) -> Vec<String> {
        if !self.names.is_empty() {
            return self.names.iter().map(|name| under(self.directories.first(), name)).collect();
        }
        let turn = self.directories.len().max(1);
        let directory = self.directories.get(clone as usize % turn);
        (0..self.count.max(1)).map(|file| under(directory, &self.made_name(section, clone, file))).collect()
    }

    fn made_name(&self, section: &str, clone: u32, file: u32) -> String {
        let name = self.format.replace("$jobname", section).replace("$clientuid", "localhost");
        name.replace("$jobnum", &clone.to_string()).replace("$filenum", &file.to_string())
    }
}

fn under(directory: Option<&String>, name: &str) -> String {
    directory.map_or_else(|| name.to_owned(), |directory| format!("{}/{}", directory.trim_end_matches('/'), name.trim_start_matches('/')))
}

settings! {
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Service {
        pub order: ServiceOrder = ServiceOrder::RoundRobin,
        /// I/Os of a file before the next is taken.
        pub every: u32 = 1,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ServiceOrder {
    RoundRobin,
    Sequential,
    Random,
    Zipf(f64),
    Pareto(f64),
    /// Drawn from a bell with this deviation, percent.
    Normal(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallocate {
    None,
    /// By fallocate(2) where the file system knows it.
    Native,
    /// By posix_fallocate(3).
    Posix,
    /// By fallocate(2), the size stays.
    Keep,
    /// By ftruncate(2).
    Truncate,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    // Names that fio 3.33 gave to the files of such jobs.
    #[test]
    fn names_are_made_of_section_clone_and_file() {
        let files = FileSettings { count: 2, ..FileSettings::default() };
        assert_eq!(files.paths("q", 0), ["q.0.0", "q.0.1"]);
        assert_eq!(files.paths("q", 1), ["q.1.0", "q.1.1"]);
        let files = FileSettings { format: "$jobname-$jobnum-$filenum-$foo".into(), ..FileSettings::default() };
        assert_eq!(files.paths("g", 1), ["g-1-0-$foo"]);
        assert_eq!(FileSettings::default().paths("d/e f", 0), ["d/e f.0.0"]);
    }

    #[test]
    fn clones_take_directories_in_turn_but_only_for_names_that_are_made() {
        let mut files = FileSettings { directories: list(&["/d1", "/d2"]), ..FileSettings::default() };
        let made: Vec<_> = (0..3).flat_map(|clone| files.paths("r", clone)).collect();
        assert_eq!(made, ["/d1/r.0.0", "/d2/r.1.0", "/d1/r.2.0"]);
        files.names = list(&["ff", "gg"]);
        assert_eq!(files.paths("s", 1), ["/d1/ff", "/d1/gg"]);
    }

    #[test]
    fn a_directory_goes_before_an_absolute_name_too() {
        let files = FileSettings { directories: list(&["/d1"]), names: list(&["/d2/abs"]), ..FileSettings::default() };
        assert_eq!(files.paths("x", 0), ["/d1/d2/abs"]);
        let files = FileSettings { names: list(&["/d2/abs"]), count: 3, ..FileSettings::default() };
        assert_eq!(files.paths("x", 0), ["/d2/abs"], "nrfiles counts only where names are made");
    }
}
