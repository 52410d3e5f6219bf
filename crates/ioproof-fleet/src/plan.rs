//! The plan of a fleet, a TOML file: which nodes, what each runs, for how long, and how many at once.

use crate::names::expanded;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_core::units::parse_duration;
use ioproof_process::complaint::complaint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// A way in which nodes are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Launcher {
    /// Job arrays of Slurm; the fleet's folder is on a filesystem that all nodes share.
    Slurm,
    /// ssh and scp.
    Ssh,
    /// Processes of this machine, each in the folder of its node.
    Local,
}

/// Moment at which nodes begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Each when it is there.
    #[default]
    Free,
    /// All at one time, as shared storage needs it.
    Together,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Flags of `ioproof verify` on every node.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Time that a node has: `4h`.
    pub limit: String,
    /// Nodes at once; all by default.
    #[serde(default)]
    pub at_once: Option<usize>,
    /// Nodes at once of one group (a switch, a chassis); all by default.
    #[serde(default)]
    pub at_once_per_group: Option<usize>,
    /// A file of serial numbers, one a line: these drives are written, and lose their data. Relative to the plan.
    #[serde(default)]
    pub consent: Option<PathBuf>,
    /// Moment at which nodes begin.
    #[serde(default)]
    pub start: Start,
    /// Time until all nodes begin, where they start together: `2m`.
    #[serde(default)]
    pub start_in: Option<String>,
    /// Path of ioproof on the nodes; by default this program goes along.
    #[serde(default)]
    pub program: Option<String>,
    /// Settings for Slurm.
    #[serde(default)]
    pub slurm: SlurmPlan,
    /// Settings for SSH.
    #[serde(default)]
    pub ssh: SshPlan,
    /// The nodes.
    pub nodes: Vec<NodePlan>,
}

/// Settings for Slurm.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlurmPlan {
    /// Partition of the nodes; Slurm's own default otherwise.
    #[serde(default)]
    pub partition: Option<String>,
    /// Further options of `sbatch`: `--account=storage`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// Settings for SSH.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SshPlan {
    /// Options of ssh and scp, each as for their `-o`: `User=root`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Folder on a node in which a fleet makes its own; `/tmp` by default.
    #[serde(default)]
    pub folder: Option<String>,
}

/// Nodes that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePlan {
    /// A name, or names as Slurm writes them: `n[01-12]`.
    pub name: String,
    /// Switch or chassis that they share.
    #[serde(default)]
    pub group: Option<String>,
    /// Drives to measure; every idle one by default.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Address for ssh, where it is not the name.
    #[serde(default)]
    pub address: Option<String>,
    /// Path of ioproof there, in place of the plan's.
    #[serde(default)]
    pub program: Option<String>,
}

impl Plan {
    /// Reads a plan; its nodes are single ones.
    ///
    /// # Errors
    /// When it is no TOML, has a key that no plan has, names no node or one twice, or a time cannot be read.
    pub fn read(text: &str) -> Result<Self> {
        let mut plan: Self = toml::from_str(text).map_err(|error| complaint(format!("the plan cannot be read: {error}"), HINT))?;
        let mut nodes = Vec::new();
        for node in &plan.nodes {
            nodes.extend(expanded(&node.name)?.into_iter().map(|name| NodePlan { name, ..node.clone() }));
        }
        plan.nodes = nodes;
        plan.check().map(|()| plan)
    }

    fn check(&self) -> Result<()> {
        let wrong = |text: String| Err(complaint(format!("the plan {text}"), HINT));
        let mut known = BTreeSet::new();
        if self.nodes.is_empty() {
            return wrong("names no node".into());
        }
        for NodePlan { name, .. } in &self.nodes {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if name.is_empty() || !name.chars().all(is_name) || name.starts_with(['.', '-']) {
                return wrong(format!("has a node with the name \"{}\"; a name has letters, digits, - _ and .", visible(name)));
            }
            if !known.insert(name) {
                return wrong(format!("names {name} twice"));
            }
        }
        if [self.at_once, self.at_once_per_group].contains(&Some(0)) {
            return wrong("lets no node run: 0 at once".into());
        }
        let fewest = self.at_once.filter(|most| *most < self.nodes.len());
        if self.start == Start::Together && (fewest.is_some() || self.at_once_per_group.is_some()) {
            return wrong("has all nodes start together, and does not let all of them run at once".into());
        }
        let times = [Some(&self.limit), self.start_in.as_ref()];
        match times
            .into_iter()
            .flatten()
            .find(|time| parse_duration(time).is_ok_and(|time| time.is_zero()) || parse_duration(time).is_err())
        {
            Some(time) => wrong(format!("has \"{}\" where a time belongs, as 90s or 4h", visible(time))),
            None => Ok(()),
        }
    }

    /// Time until all nodes begin, where they start together.
    #[must_use]
    pub fn start_in(&self) -> Option<Duration> {
        let time = self.start_in.as_deref().map_or(START_IN, |time| parse_duration(time).unwrap_or(START_IN));
        (self.start == Start::Together).then_some(time)
    }

    /// Time that a node has.
    #[must_use]
    pub fn limit(&self) -> Duration {
        parse_duration(&self.limit).unwrap_or_default()
    }
}

/// Time until all nodes begin, where the plan names none.
const START_IN: Duration = Duration::from_secs(60);

const HINT: &str = "docs/fleet.md shows a plan";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_its_nodes_one_by_one() {
        let plan = Plan::read("limit = '2h'\n[[nodes]]\nname = 'n[1-2]'\ngroup = 'a'\n[[nodes]]\nname = 'm'\n").unwrap();
        let names: Vec<(&str, Option<&str>)> = plan.nodes.iter().map(|node| (node.name.as_str(), node.group.as_deref())).collect();
        assert_eq!(names, [("n1", Some("a")), ("n2", Some("a")), ("m", None)]);
        assert_eq!(plan.limit(), Duration::from_secs(7200));
    }

    #[test]
    fn the_plan_of_the_page_is_one() {
        let page = include_str!("../../../docs/fleet.md");
        let text = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let plan = Plan::read(text).unwrap();
        assert_eq!((plan.nodes.len(), plan.nodes[11].name.as_str()), (13, "r7n12"));
        // And with all that stands in it as a remark.
        assert!(Plan::read(&text.replace("\n# ", "\n").replace("at_once", "#at_once")).is_ok());
    }

    #[test]
    fn what_is_no_plan_is_refused_with_its_reason() {
        let node = "[[nodes]]\nname = 'n1'\n";
        for (text, word) in [
            (format!("limit = '1h'\nflag = []\n{node}"), "flag"),
            (format!("limit = 'soon'\n{node}"), "soon"),
            (format!("limit = '0s'\n{node}"), "0s"),
            (format!("limit = '1h'\nat_once = 0\n{node}"), "0 at once"),
            (format!("limit = '1h'\n{node}{node}"), "twice"),
            ("limit = '1h'\nnodes = []\n".into(), "no node"),
            ("limit = '1h'\n[[nodes]]\nname = '../x'\n".into(), "../x"),
        ] {
            let error = Plan::read(&text).unwrap_err().to_string();
            assert!(error.contains(word), "{word}: {error}");
        }
    }
}
