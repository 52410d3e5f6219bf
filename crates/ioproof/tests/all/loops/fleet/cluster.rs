//! A Slurm of the test's own: munged, slurmctld and several slurmd on this machine, ended when dropped.

use crate::common::{Sandbox, wait_until};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

pub struct Cluster {
    folder: PathBuf,
    controller: Mutex<Child>,
    others: Vec<Child>,
}

impl Cluster {
    /// So many nodes in a partition, of which so many run.
    pub fn new(sandbox: &Sandbox, nodes: u16, running: u16) -> Self {
        let folder = sandbox.state().join("slurm");
        for name in ["state", "spool"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        std::fs::write(folder.join("key"), crate::common::noise(128)).unwrap();
        Command::new("chmod").args(["600"]).arg(folder.join("key")).status().unwrap();
        let at = |name: &str| folder.join(name).display().to_string();
        let munge = [
            "--foreground".to_owned(),
            "--force".to_owned(),
            format!("--socket={}", at("munge")),
            format!("--key-file={}", at("key")),
            format!("--pid-file={}", at("munge.pid")),
            format!("--log-file={}", at("munge.log")),
            format!("--seed-file={}", at("munge.seed")),
        ];
        std::fs::write(folder.join("slurm.conf"), config(&folder, nodes)).unwrap();
        let munged = begun("munged", &munge, &folder);
        wait_until("munged", || folder.join("munge").exists());
        let controller = Mutex::new(begun("slurmctld", &["-D".into(), "-c".into()], &folder));
        let slurmd = |number: u16| begun("slurmd", &["-D".into(), "-N".into(), format!("n{number}")], &folder);
        let others = (1..=running).map(slurmd).chain([munged]).collect();
        let cluster = Self { folder, controller, others };
        let idle = || cluster.ask("sinfo", &["-h", "-N", "-o", "%N %T"]).lines().filter(|line| line.ends_with(" idle")).count();
        wait_until("idle nodes", || idle() == usize::from(running));
        // The others are told to be away, which the controller finds out by itself only after a while.
        for number in running + 1..=nodes {
            cluster.ask("scontrol", &["update", &format!("NodeName=n{number}"), "State=DOWN", "Reason=test"]);
        }
        cluster
    }

    pub fn ask(&self, program: &str, words: &[&str]) -> String {
        let output = Command::new(program).args(words).env("SLURM_CONF", self.folder.join("slurm.conf")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// ioproof where it finds this Slurm.
    pub fn command(&self, sandbox: &Sandbox, words: &[&str]) -> Command {
        let mut command = sandbox.command(words);
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    pub fn restart_controller(&self) {
        let mut controller = self.controller.lock().unwrap();
        end(&mut controller);
        *controller = begun("slurmctld", &["-D".into()], &self.folder);
    }

    /// Kills whatever a node runs of a job.
    pub fn kill_jobs_on(&self, node: &str) {
        let is_of = |path: &PathBuf| {
            let environment = std::fs::read(path.join("environ")).unwrap_or_default();
            let has = |word: &str| environment.split(|byte| *byte == 0).any(|entry| entry == word.as_bytes());
            has(&format!("SLURMD_NODENAME={node}")) && has(&format!("SLURM_CONF={}", self.folder.join("slurm.conf").display()))
        };
        let found: Vec<PathBuf> = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()).filter(is_of).collect();
        assert!(!found.is_empty(), "nothing runs on {node}");
        for path in found {
            let _ = Command::new("kill").arg("-KILL").arg(path.file_name().unwrap()).stderr(Stdio::null()).status();
        }
    }

    /// Jobs that wait or run.
    pub fn jobs(&self) -> Vec<String> {
        self.ask("squeue", &["-h", "-r", "-o", "%i %T"]).lines().map(str::to_owned).collect()
    }

    pub fn log(&self) -> String {
        let text = std::fs::read_to_string(self.folder.join("ctld.log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.ask("scancel", &["--user=root"]);
        let quiet = || self.jobs().is_empty();
        (0..50).take_while(|_| !quiet()).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(100)));
        end(&mut self.controller.lock().unwrap());
        self.others.iter_mut().for_each(end);
    }
}

fn begun(program: &str, words: &[String], folder: &Path) -> Child {
    let log = std::fs::File::create(folder.join(format!("{program}.out"))).unwrap();
    let mut command = Command::new(program);
    command.args(words).env("SLURM_CONF", folder.join("slurm.conf")).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn end(child: &mut Child) {
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    for _ in 0..50 {
        if child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Ports that no other cluster of these tests has.
fn config(folder: &Path, nodes: u16) -> String {
    let own = match nodes {
        2 => 0,
        4 => 4,
        _ => 12,
    };
    let first = 21000 + (std::process::id() % 1000) as u16 * 32 + own;
    let (place, host) = (folder.display(), rustix::system::uname().nodename().to_string_lossy().into_owned());
    let host = host.split('.').next().unwrap_or_default().to_owned();
    format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nAuthType=auth/munge\nAuthInfo=socket={place}/munge\nCredType=cred/munge\n\
         SlurmctldPort={first}\nSlurmctldPidFile={place}/ctld.pid\nSlurmdPidFile={place}/slurmd-%n.pid\nSlurmdSpoolDir={place}/spool/%n\n\
         StateSaveLocation={place}/state\nSlurmctldLogFile={place}/ctld.log\nSlurmdLogFile={place}/slurmd-%n.log\nProctrackType=proctrack/pgid\n\
         TaskPlugin=task/none\nMpiDefault=none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSlurmdParameters=config_overrides\n\
         ReturnToService=1\nSwitchType=switch/none\nJobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
         PropagateResourceLimits=NONE\nKillWait=3\nSchedulerParameters=batch_sched_delay=0,sched_interval=2\n\
         NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{from}-{to}] CPUs=2 RealMemory=500 State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP\n",
        from = first + 1,
        to = first + nodes
    )
}
