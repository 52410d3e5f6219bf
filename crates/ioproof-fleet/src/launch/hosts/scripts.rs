//! Scripts for the shell of a node (POSIX.1-2017, `sh`), and their answers. A node runs in a session of its own, so that it outlives us and ends as a whole.

use crate::launch::Seen;
use crate::launch::work::Work;
use ioproof_core::text::{shell_word, visible};
use std::time::Duration;

/// Longest time from the end of the limit, at which a node is told to report, to its kill.
const MOST_TO_REPORT: Duration = Duration::from_secs(60);

/// The folder of a node's part, where it runs.
pub struct Folder {
    pub path: String,
    /// Begins of the paths of all such folders there, and of this fleet's; none where each node has its own place.
    pub others: Option<(String, String)>,
    /// Number of the attempt, from 1.
    pub attempt: usize,
}

impl Folder {
    fn quoted(&self) -> String {
        shell_word(&self.path)
    }

    /// Makes the folder, nobody else's, and tells what is in it. Two fleets at once on one machine would measure each other.
    pub fn make(&self) -> String {
        let (path, attempt) = (self.quoted(), self.attempt);
        let others = self.others.as_ref().map_or_else(String::new, |(all, own)| {
            format!(
                "for other in {}*; do case $other in {}*) continue ;; esac\npid=$(cat \"$other/pid\" 2> /dev/null) || continue\n\
                 [ \"$(readlink /proc/$pid/cwd)\" = \"$other\" ] && {{ echo another fleet measures there, in $other >&2; exit 1; }}\ndone\n",
                shell_word(all),
                shell_word(own)
            )
        });
        format!(
            "umask 077\n{others}mkdir {path} 2>/dev/null || [ -O {path} ] || {{ echo {path} cannot be made, or is of somebody else >&2; exit 1; }}\n\
             cd {path} && mkdir -p out || exit 1\n[ -e begun-{attempt} ] && echo begun\n[ -x ioproof ] && echo program\nexit 0\n"
        )
    }

    /// Begins the work, once.
    pub fn begin(&self, work: &Work<'_>, limit: Duration) -> String {
        let (path, attempt) = (self.quoted(), self.attempt);
        let to_report = MOST_TO_REPORT.min(limit / 4).as_secs_f64();
        let run = format!(
            "echo $$ > pid || exit 1\nexport XDG_STATE_HOME={path}/state\n\
             timeout --foreground -s TERM -k {to_report:.1} {limit:.1} {command} >> out/talk.txt 2>&1\n\
             echo $? > exit-{attempt}.new; mv exit-{attempt}.new exit-{attempt}\n\
             kill -s KILL -- -$$\n",
            limit = limit.as_secs_f64(),
            command = work.command("out", "consent.txt"),
        );
        format!(
            "cd {path} || exit 1\n[ -e begun-{attempt} ] && exit 0\n\
             if [ -e ioproof.new ]; then chmod 700 ioproof.new && mv ioproof.new ioproof || exit 1; fi\n\
             rm -f pid\ncat > run.sh <<'END_OF_RUN' || exit 1\n{run}END_OF_RUN\n: > begun-{attempt} || exit 1\n\
             setsid sh run.sh < /dev/null > /dev/null 2>&1 &\nexit 0\n"
        )
    }

    /// Tells in one line how it is.
    pub fn look(&self) -> String {
        let (path, attempt) = (self.quoted(), self.attempt);
        format!(
            "cd {path} 2>/dev/null || {{ echo missing; exit 0; }}\n[ -e begun-{attempt} ] || {{ echo missing; exit 0; }}\n\
             n=0\nwhile [ $n -lt 20 ] && [ ! -s pid ]; do sleep 0.1; n=$((n + 1)); done\n\
             pid=$(cat pid 2>/dev/null)\n\
             if [ -n \"$pid\" ] && [ \"$(readlink /proc/$pid/cwd 2>/dev/null)\" = \"$(pwd -P)\" ]; then alive=1; else alive=; fi\n\
             if [ -e exit-{attempt} ]; then [ -e out/end.json ] && echo ended && exit 0\n\
             error=$(tail -n 20 out/talk.txt 2>/dev/null | grep '^error: ' | tail -n 1)\n\
             printf 'died %s %s\\n' \"$(cat exit-{attempt})\" \"${{error:-$(tail -n 1 out/talk.txt 2>/dev/null)}}\"; exit 0; fi\n\
             [ -n \"$alive\" ] && echo running && exit 0\n[ -e out/end.json ] && echo ended && exit 0\necho died killed\n"
        )
    }

    /// Ends all of its processes; the program may report before.
    pub fn end(&self) -> String {
        let path = self.quoted();
        format!(
            "cd {path} 2>/dev/null || exit 0\npid=$(cat pid 2>/dev/null) || exit 0\n\
             [ \"$(readlink /proc/$pid/cwd 2>/dev/null)\" = \"$(pwd -P)\" ] || exit 0\n\
             kill -s TERM -- -$pid 2>/dev/null\nn=0\n\
             while [ $n -lt 100 ] && kill -s 0 -- -$pid 2>/dev/null; do sleep 0.1; n=$((n + 1)); done\n\
             kill -s KILL -- -$pid 2>/dev/null\nexit 0\n"
        )
    }

    /// Removes the folder.
    pub fn remove(&self) -> String {
        format!("rm -rf {}\n", self.quoted())
    }
}

/// Reads the answer of [`Folder::look`].
pub fn seen(said: &str, limit: &str) -> Seen {
    let line = said.lines().next_back().unwrap_or_default().trim();
    let mut words = line.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some("running"), ..) => Seen::Running,
        (Some("ended"), ..) => Seen::Ended,
        (Some("missing"), ..) => Seen::Died("its folder there is gone".into()),
        (Some("died"), Some("killed"), _) => Seen::Died("its processes are gone, killed or without room for their files".into()),
        // Of timeout(1): the time is over, and over twice.
        (Some("died"), Some("124" | "137"), _) => Seen::Died(format!("it had not ended after {limit}")),
        (Some("died"), Some(status), talk) => {
            Seen::Died(format!("exit status {status}: {}", talk.map_or_else(|| "without a word".into(), visible)))
        }
        _ => Seen::Unknown(format!("the node says \"{}\"", visible(line))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(seen("running\n", "1h"), Seen::Running);
        assert_eq!(seen("a banner\nended\n", "1h"), Seen::Ended);
        assert_eq!(seen("died 2 error: no such flag\n", "1h"), Seen::Died("exit status 2: error: no such flag".into()));
        assert!(matches!(seen("died 124\n", "1h"), Seen::Died(why) if why.contains("1h")));
        assert!(matches!(seen("", "1h"), Seen::Unknown(_)));
    }
}
