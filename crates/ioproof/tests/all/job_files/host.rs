//! Demands of jobs on the machine, seen from outside: the threads of the running program in `/proc`, and the pages of its files in the page cache.
//!
//! Nothing here depends on how fast the machine is: each test waits for what it is to see.

use crate::common::{MIB, Sandbox, wait_until};
use rustix::fs::{Advice, fadvise};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A job without I/O that goes on until it is interrupted.
const ENDLESS: [&str; 8] =
    ["run", "--name=a", "--ioengine=null", "--rw=randread", "--size=1g", "--rate_iops=200", "--time_based", "--runtime=600"];

/// A running program; killed when dropped.
struct Running(Child);

/// One of its threads, as `/proc` shows it.
#[derive(Debug, PartialEq)]
struct Thread {
    id: String,
    cpus: String,
    nice: i32,
}

impl Running {
    fn start(sandbox: &Sandbox, options: &[&str]) -> Self {
        let mut command = sandbox.command(&[&ENDLESS, options].concat());
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Where `/proc` has it.
    fn folder(&self) -> String {
        format!("/proc/{}", self.0.id())
    }

    /// Its workers, in the order in which they were started.
    fn workers(&self) -> Vec<Thread> {
        let tasks = std::fs::read_dir(format!("{}/task", self.folder())).unwrap();
        let mut ids: Vec<u32> = tasks.filter_map(|task| task.unwrap().file_name().to_str()?.parse().ok()).collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(|id| Thread::worker(&format!("{}/task/{id}", self.folder()), id)).collect()
    }

    /// Waits until what is looked at is as wanted; else shows what it was last.
    #[track_caller]
    fn becomes<T: PartialEq + std::fmt::Debug>(&self, wanted: T, look: impl Fn(&Self) -> T) {
        wait_until(&format!("{wanted:?}"), || look(self) == wanted);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Thread {
    /// Of a folder of `/proc`, where a worker of the engine is there.
    fn worker(folder: &str, id: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("{folder}/stat")).ok()?;
        let (name, fields) = stat.split_once('(')?.1.rsplit_once(')')?;
        let nice = fields.split_whitespace().nth(16)?.parse().ok()?;
        let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
        let cpus = field(&status, "Cpus_allowed_list:")?.to_owned();
        name.starts_with("worker").then(|| Self { id: id.to_string(), cpus, nice })
    }
}

/// Value behind a name.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// The CPUs that this test may use itself.
fn own_cpus() -> Vec<u32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    ioproof_fio::values::cpus(field(&status, "Cpus_allowed_list:").unwrap()).unwrap()
}

fn cpus_of(run: &Running) -> Vec<String> {
    run.workers().into_iter().map(|thread| thread.cpus).collect()
}

#[test]
fn workers_stand_on_the_cpus_that_they_were_given() {
    let (sandbox, own) = (Sandbox::new(), own_cpus());
    let (first, last) = (own[0].to_string(), own[own.len() - 1].to_string());
    Running::start(&sandbox, &[&format!("--cpus_allowed={last}")]).becomes(vec![last.clone()], cpus_of);
    // A mask holds the first sixty-four only.
    if own[0] < 31 {
        Running::start(&sandbox, &[&format!("--cpumask={}", 1u64 << own[0])]).becomes(vec![first.clone()], cpus_of);
    }
    if own.len() > 1 {
        let both = format!("--cpus_allowed={},{}", own[0], own[1]);
        let split = Running::start(&sandbox, &[&both, "--cpus_allowed_policy=split", "--numjobs=2"]);
        let each = |run: &Running| {
            let mut cpus = cpus_of(run);
            cpus.sort();
            cpus
        };
        let mut wanted = vec![own[0].to_string(), own[1].to_string()];
        wanted.sort();
        split.becomes(wanted, each);
        let together = if own[1] == own[0] + 1 { format!("{}-{}", own[0], own[1]) } else { format!("{},{}", own[0], own[1]) };
        Running::start(&sandbox, &[&both, "--numjobs=2"]).becomes(vec![together.clone(), together], cpus_of);
    }
}

#[test]
fn workers_stand_on_the_cpus_of_their_memory_node() {
    let node = std::fs::read_to_string("/sys/devices/system/node/node0/cpulist").unwrap();
    let sandbox = Sandbox::new();
    Running::start(&sandbox, &["--numa_cpu_nodes=0"]).becomes(vec![node.trim().to_owned()], cpus_of);
}

#[test]
fn workers_alone_are_nice() {
    let sandbox = Sandbox::new();
    let nice = |run: &Running| run.workers().iter().map(|thread| thread.nice).collect::<Vec<_>>();
    let run = Running::start(
        &sandbox,
        &["--nice=7", "--name=b", "--ioengine=null", "--rw=read", "--size=1g", "--time_based", "--runtime=600", "--thinktime=10ms"],
    );
    let sorted = |mut all: Vec<i32>| {
        all.sort_unstable();
        all
    };
    // The other one has what this test has.
    let own = rustix::process::getpriority_process(None).unwrap();
    run.becomes(sorted(vec![own, 7]), |run| sorted(nice(run)));
}

/// `ionice -p` of every worker.
fn priorities(run: &Running) -> Vec<String> {
    let of = |thread: Thread| {
        let output = Command::new("ionice").args(["-p", &thread.id]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run.workers().into_iter().map(of).collect()
}

#[test]
fn workers_have_the_priority_of_io_that_they_were_given() {
    let sandbox = Sandbox::new();
    for (options, wanted) in [
        (&["--prio=3"][..], "best-effort: prio 3"),
        (&["--prioclass=2", "--prio=6"], "best-effort: prio 6"),
        (&["--prioclass=2"], "best-effort: prio 0"),
        (&["--prioclass=3"], "idle"),
    ] {
        Running::start(&sandbox, options).becomes(vec![wanted.to_owned()], priorities);
    }
}

#[test]
fn memory_comes_from_the_nodes_that_were_given() {
    let sandbox = Sandbox::new();
    // The policy of a thread is shown for all memory that has none of its own.
    let policy = |run: &Running| {
        let maps = run.workers().first().and_then(|thread| std::fs::read_to_string(format!("/proc/{}/numa_maps", thread.id)).ok());
        maps.and_then(|maps| Some(maps.lines().next()?.split_whitespace().nth(1)?.to_owned()))
    };
    for (given, wanted) in
        [("bind:0", "bind:0"), ("interleave:0", "interleave:0"), ("prefer:0", "prefer:0"), ("local", "local"), ("default", "default")]
    {
        Running::start(&sandbox, &[&format!("--numa_mem_policy={given}")]).becomes(Some(wanted.to_owned()), policy);
    }
    let nowhere = sandbox.run(&["run", "--name=a", "--ioengine=null", "--size=4k", "--numa_mem_policy=bind:1000"]);
    nowhere.refuses(&["numa_mem_policy=bind:1000: this machine has no memory node 1000, only 0"]);
}

#[test]
fn memory_is_locked_away_for_each_clone() {
    let sandbox = Sandbox::new();
    let locked = |run: &Running| {
        let status = std::fs::read_to_string(format!("{}/status", run.folder())).unwrap();
        field(&status, "VmLck:").map(str::to_owned)
    };
    Running::start(&sandbox, &["--lockmem=64k", "--numjobs=3"]).becomes(Some("192 kB".to_owned()), locked);
}

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Pages of a file that can be read without the drive, by what the kernel counts for this thread.
fn in_cache(path: &Path) -> u64 {
    let file = std::fs::File::open(path).unwrap();
    // Reading a page must not bring in its neighbours.
    fadvise(&file, 0, None, Advice::Random).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    let before = fetched();
    (0..pages).for_each(|page| file.read_exact_at(&mut [0; PAGE as usize], page * PAGE).unwrap());
    pages - (fetched() - before) / PAGE
}

/// Bytes that this thread had the kernel fetch from drives.
fn fetched() -> u64 {
    let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    field(&io, "read_bytes:").unwrap().parse().unwrap()
}

/// Pages of a file of 8 MiB that are in the cache after a job of one I/O of a page; before it all are there, or none.
///
/// A kernel short of memory takes pages back from anyone: such a try says nothing of the job, and another is made.
fn left_in_cache(cached: bool, options: &[&str]) -> u64 {
    let mut left = None;
    wait_until("a file of 8 MiB in the kernel's cache", || {
        left = left_in_cache_undisturbed(cached, options);
        left.is_some()
    });
    left.unwrap()
}

/// The same of one try; none if a file that nobody touched lost its pages too. It is the older one, so the kernel takes its pages first.
fn left_in_cache_undisturbed(cached: bool, options: &[&str]) -> Option<u64> {
    let sandbox = Sandbox::new();
    let untouched = sandbox.file("untouched", 8 * MIB);
    std::fs::File::open(&untouched).unwrap().sync_all().unwrap();
    let path = sandbox.file("data", 8 * MIB);
    let file = std::fs::File::open(&path).unwrap();
    file.sync_all().unwrap();
    if !cached {
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
    }
    drop(file);
    let job = ["run", "--name=a", "--filename=data", "--bs=4k", "--size=8m", "--number_ios=1", "--output-format=json"];
    let said = sandbox.run(&[&job, options].concat());
    assert_eq!((said.status, said.json()["jobs"][0]["read"]["total_ios"].as_u64()), (0, Some(1)), "{said:?}");
    let pages = in_cache(&path);
    (in_cache(&untouched) > 8 * MIB / PAGE - FEW).then_some(pages)
}

/// Pages that a kernel short of memory may have taken back meanwhile.
const FEW: u64 = 256;

#[test]
fn the_cache_is_emptied_kept_or_filled_first() {
    let all = 8 * MIB / PAGE;
    let random = "--rw=randread";
    assert_eq!(left_in_cache(true, &[random]), 1, "invalidate is 1 by default");
    assert!(left_in_cache(true, &[random, "--invalidate=0"]) > all - FEW);
    assert_eq!(left_in_cache(false, &[random, "--invalidate=0"]), 1);
    assert!(left_in_cache(false, &[random, "--pre_read=1"]) > all - FEW);
    assert_eq!(left_in_cache(true, &[random, "--direct=1"]), 0);
}

#[test]
fn the_kernel_is_told_how_files_are_gone_through() {
    let sequential = left_in_cache(false, &["--rw=read"]);
    assert!(sequential > 1, "a job that reads in order has the kernel read ahead");
    assert_eq!(left_in_cache(false, &["--rw=read", "--fadvise_hint=random"]), 1);
    assert!(left_in_cache(false, &["--rw=read", "--fadvise_hint=0"]) > 1);
    assert_eq!(left_in_cache(false, &["--rw=randread", "--ioengine=mmap"]), 1);
    assert!(left_in_cache(false, &["--rw=randread", "--ioengine=mmap", "--fadvise_hint=0"]) > 1);
}
