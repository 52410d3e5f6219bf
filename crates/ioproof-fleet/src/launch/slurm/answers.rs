//! Lines of `squeue` and `sacct`, as tasks of job arrays.

/// A task of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Name of its job.
    pub name: String,
    /// Its number in the array.
    pub index: usize,
    /// Id of the array: `17`.
    pub job: String,
    /// State in Slurm's word: `PENDING`.
    pub state: String,
    /// When it began, in UTC without a zone.
    pub start: String,
    /// Reason of its wait.
    pub reason: String,
}

impl Task {
    pub fn is(&self, name: &str, index: usize) -> bool {
        self.name == name && self.index == index
    }
}

/// Lines of `squeue --format=%j|%K|%F|%T|%S|%r`.
pub fn queued(said: &str) -> Vec<Task> {
    let task = |line: &str| {
        let [name, index, job, state, start, reason] = line.splitn(6, '|').collect::<Vec<_>>()[..] else { return None };
        let of = |text: &str| text.trim().to_owned();
        Some(Task {
            name: of(name),
            index: index.trim().parse().ok()?,
            job: of(job),
            state: of(state),
            start: of(start),
            reason: of(reason),
        })
    };
    said.lines().filter_map(task).collect()
}

/// Lines of `sacct --parsable2 --format=JobName,JobID,State,Start`: a task is `17_3`, and a state may say more than its word.
pub fn accounted(said: &str) -> Vec<Task> {
    let task = |line: &str| {
        let [name, id, state, start] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        let (job, index) = id.split_once('_')?;
        let state = state.split(' ').next().unwrap_or_default();
        Some(Task {
            name: name.to_owned(),
            index: index.parse().ok()?,
            job: job.to_owned(),
            state: state.to_owned(),
            start: start.to_owned(),
            reason: String::new(),
        })
    };
    said.lines().filter_map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of Slurm 22.05 with slurmdbd: tasks that ended, one whose node was lost, one that was cancelled while it waited, tasks that wait, and a job.
    const OF_SACCT: &str = "ioproof-20261128-222259-178-1d16-n1-1|30_0|COMPLETED|2026-11-28T22:23:00
ioproof-20261128-222259-178-1d16-n1-1|30_1|FAILED|2026-11-28T22:23:00
ioproof-20261128-222259-178-1d16-n3-2|33_0|NODE_FAIL|2026-11-28T22:23:53
ioproof-20261128-222359-814-a7b0-n1-1|34_0|CANCELLED by 0|None
arr|6_[0-2]|PENDING|Unknown
single2|10|RUNNING|2026-11-28T22:16:05
";

    #[test]
    fn tasks_are_read_from_both_programs() {
        let line = "ioproof-x-1-0|3|17|PENDING|N/A|(ReqNodeNotAvail, UnavailableNodes:n4)\n";
        let task = &queued(line)[0];
        assert!(task.is("ioproof-x-1-0", 3) && !task.is("ioproof-x-1-0", 1));
        assert_eq!((task.job.as_str(), task.reason.as_str()), ("17", "(ReqNodeNotAvail, UnavailableNodes:n4)"));
        let tasks = accounted(OF_SACCT);
        let told: Vec<(usize, &str, &str)> = tasks.iter().map(|task| (task.index, task.state.as_str(), task.start.as_str())).collect();
        let began = "2026-11-28T22:23:00";
        assert_eq!(
            told,
            [(0, "COMPLETED", began), (1, "FAILED", began), (0, "NODE_FAIL", "2026-11-28T22:23:53"), (0, "CANCELLED", "None")]
        );
        assert!(tasks[2].is("ioproof-20261128-222259-178-1d16-n3-2", 0) && tasks[2].job == "33");
    }
}
