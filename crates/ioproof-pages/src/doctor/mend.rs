//! A command as the user must type it who sees it. Rules write it for a shell of root.

/// Commands for the very shell in which ioproof is to run, whoever's it is: a limit or a set of CPUs that its children inherit.
const OWN_SHELL: [&str; 2] = ["sudo prlimit --pid $$ ", "taskset "];
/// Characters that a shell gives a meaning to, so that `sudo` before the first word would not cover all of it.
const SHELL: [char; 8] = ['>', '|', '&', ';', '*', '$', '<', '#'];

pub(super) fn for_user(command: String, is_root: bool) -> String {
    let own = OWN_SHELL.iter().any(|start| command.starts_with(start));
    match (is_root, own) {
        (true, true) => command.trim_start_matches("sudo ").to_owned(),
        (true, false) | (false, true) => command,
        (false, false) if command.contains(SHELL) => format!("sudo sh -c '{}'", command.replace('\'', r"'\''")),
        (false, false) => format!("sudo {command}"),
    }
}

#[cfg(test)]
mod tests {
    use super::for_user;

    fn both(command: &str) -> [String; 2] {
        [true, false].map(|is_root| for_user(command.into(), is_root))
    }

    #[test]
    fn root_types_it_as_it_is_and_others_ask_for_the_right() {
        assert_eq!(both("sysctl -w a=0"), ["sysctl -w a=0", "sudo sysctl -w a=0"]);
        assert_eq!(both("echo 0 > /sys/x"), ["echo 0 > /sys/x", "sudo sh -c 'echo 0 > /sys/x'"]);
        assert_eq!(both("echo 'a b' | tee x")[1], r"sudo sh -c 'echo '\''a b'\'' | tee x'");
    }

    #[test]
    fn what_is_about_the_own_shell_stays_in_it() {
        let limit = "sudo prlimit --pid $$ --memlock=unlimited";
        assert_eq!(both(limit), ["prlimit --pid $$ --memlock=unlimited", limit]);
        assert_eq!(both("taskset -c 4 ioproof verify /dev/sda")[1], "taskset -c 4 ioproof verify /dev/sda");
    }
}
