//! Jobs -> what runs when: stages that follow each other, clones that run side by side in one, and which clones share a line of the report.
//!
//! A stonewall ends a stage and a group of the report; `new_group` ends a group only. Within a group, a clone with `group_reporting` shares the line of the clone
//! before it. Clones of a job are numbered as fio numbers them: the first is 0, then come the others from the highest down.

use super::jobs::FioJob;
use super::values::Amount;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// All clones in order; their numbers are their places here and one.
    pub clones: Vec<Instance>,
    /// One after the other; each holds places in `clones`.
    pub stages: Vec<Vec<usize>>,
    pub lines: Vec<ReportLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    pub job: usize,
    /// Number among the clones of its job, from 0: it names files, chooses the directory and multiplies `offset_increment`.
    pub clone: u32,
    /// Number among all clones, from 1: it names logs.
    pub number: u32,
    pub name: String,
    pub group: u32,
    pub stage: u32,
    /// Places of the clones of the same stage that must have ended before it starts; those of earlier stages have.
    pub waits_for: Vec<usize>,
    pub files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportLine {
    pub name: String,
    pub group: u32,
    /// Place of the job whose options are shown with it: that of its last clone.
    pub job: usize,
    pub clones: Vec<usize>,
}

impl Instance {
    pub fn offset_bytes(&self, job: &FioJob, file_bytes: u64) -> u64 {
        job.settings.region.offset_bytes(self.clone, file_bytes, job.settings.blocks.least_bytes())
    }

    /// True where it begins elsewhere than the other clones of its job.
    pub fn is_set_apart(job: &FioJob) -> bool {
        job.settings.region.offset_increment != Amount::Bytes(0)
    }
}

pub fn schedule(jobs: &[FioJob]) -> Schedule {
    let mut schedule = Schedule::default();
    let (mut group, mut stage) = (0, 0);
    for (at, job) in jobs.iter().enumerate() {
        let start = &job.settings.start;
        if at > 0 && start.stonewall {
            stage += 1;
        }
        if at > 0 && (start.stonewall || start.new_group) {
            group += 1;
        }
        schedule.add(jobs, at, group, stage);
    }
    schedule
}

impl Schedule {
    fn add(&mut self, jobs: &[FioJob], at: usize, group: u32, stage: u32) {
        let waits_for = self.awaited(jobs, &jobs[at], stage);
        for clone in numbers(jobs[at].settings.start.clones) {
            let place = self.clones.len();
            let instance = Instance {
                job: at,
                clone,
                number: u32::try_from(place + 1).unwrap_or(u32::MAX),
                name: if clone == 0 { jobs[at].name.clone() } else { jobs[at].section.clone() },
                group,
                stage,
                waits_for: waits_for.clone(),
                files: jobs[at].settings.files.paths(&jobs[at].section, clone),
            };
            self.report(&jobs[at], &instance, place);
            self.clones.push(instance);
            self.stages.resize(self.stages.len().max(stage as usize + 1), Vec::new());
            self.stages[stage as usize].push(place);
        }
    }

    fn awaited(&self, jobs: &[FioJob], job: &FioJob, stage: u32) -> Vec<usize> {
        let Some(name) = &job.settings.start.wait_for else { return Vec::new() };
        let is_meant = |instance: &Instance| instance.stage == stage && jobs[instance.job].name == *name;
        let places = self.clones.iter().enumerate().filter(|(_, instance)| is_meant(instance));
        places.map(|(place, _)| place).collect()
    }

    fn report(&mut self, job: &FioJob, instance: &Instance, place: usize) {
        match self.lines.last_mut().filter(|line| job.settings.report.by_group && line.group == instance.group) {
            Some(line) => {
                line.clones.push(place);
                line.job = instance.job;
            }
            None => {
                let Instance { name, group, job, .. } = instance;
                self.lines.push(ReportLine { name: name.clone(), group: *group, job: *job, clones: vec![place] });
            }
        }
    }
}

/// Numbers of so many clones in fio's order: 0, then from the highest down to 1.
fn numbers(clones: u32) -> impl Iterator<Item = u32> {
    std::iter::once(0).chain((1..clones).rev())
}

#[cfg(test)]
mod tests;
