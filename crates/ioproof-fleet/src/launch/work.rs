//! Work of a node: the command that it runs, the same for every launcher.

use ioproof_core::text::shell_word;

/// Work of a node.
pub struct Work<'a> {
    /// Path of an ioproof that is there; none for the one that went along.
    pub installed: Option<String>,
    pub flags: &'a [String],
    pub targets: &'a [String],
    pub fleet: &'a str,
    pub has_consent: bool,
    /// When it begins by its own clock. Nanoseconds since 1970.
    pub start_at_ns: Option<i64>,
}

impl Work<'_> {
    /// The command line of the node, with results in `out` of the folder where it runs.
    pub fn command(&self, out: &str, consent: &str) -> String {
        let mut words = vec![self.installed.clone().unwrap_or_else(|| "./ioproof".into()), "verify".into(), "--all-idle-drives".into()];
        words.extend(["--out", out, "--fleet", self.fleet].map(str::to_owned));
        if self.has_consent {
            words.extend(["--consent", consent].map(str::to_owned));
        }
        words.extend(self.start_at_ns.into_iter().flat_map(|at| ["--start-at".to_owned(), at.to_string()]));
        words.extend(self.flags.iter().chain(self.targets).cloned());
        words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_plan_stay_words() {
        let work = Work {
            installed: None,
            flags: &["--rw".into(), "a b; c".into()],
            targets: &["/dev/x'y".into()],
            fleet: "f",
            has_consent: true,
            start_at_ns: None,
        };
        let command = work.command("out", "consent.txt");
        assert_eq!(command, r"./ioproof verify --all-idle-drives --out out --fleet f --consent consent.txt --rw 'a b; c' '/dev/x'\''y'");
    }
}
