//! The batch script of a job array, and how its nodes are divided into arrays so that no limit of the plan is passed.

use crate::folder::FleetFolder;
use crate::launch::Part;
use crate::launch::work::Work;
use crate::plan::Plan;
use ioproof_core::text::shell_word;
use std::collections::BTreeMap;
use std::path::Path;

/// Files that a script names.
pub struct Files<'a> {
    pub folder: &'a FleetFolder,
    pub program: &'a Path,
    pub consent: Option<&'a Path>,
}

/// The script whose task of number *i* measures the *i*-th node.
///
/// Slurm sends USR1 to the shell before the limit, and TERM to all when the job is cancelled: the shell has ioproof report, and waits for it.
pub fn script(plan: &Plan, id: &str, start_at_ns: Option<i64>, files: &Files<'_>, parts: &[Part<'_>]) -> String {
    let consent = files.consent.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let case = |(index, part): (usize, &Part<'_>)| {
        let installed = part.node.program.clone().or_else(|| plan.program.clone());
        let program = installed.unwrap_or_else(|| files.program.to_string_lossy().into_owned());
        let out = files.folder.node(&part.node.name).to_string_lossy().into_owned();
        let work = Work {
            installed: Some(program),
            flags: &plan.flags,
            targets: &part.node.targets,
            fleet: id,
            has_consent: files.consent.is_some(),
            start_at_ns,
        };
        format!("{index}) node={}; out={}; set -- {} ;;\n", shell_word(&part.node.name), shell_word(&out), work.command(&out, &consent))
    };
    let cases: String = parts.iter().enumerate().map(case).collect();
    format!(
        "#!/bin/sh\n# A part of a fleet of ioproof.\ncase $SLURM_ARRAY_TASK_ID in\n{cases}*) exit 64 ;;\nesac\n\
         cd \"$out\" || exit 65\nexec >> talk.txt 2>&1\n\
         if [ \"$SLURMD_NODENAME\" != \"$node\" ]; then echo \"error: this is $SLURMD_NODENAME and not $node\"; exit 66; fi\n\
         export XDG_STATE_HOME=\"$out/work\"\nchild=\ntrap '[ -n \"$child\" ] && kill -TERM $child 2> /dev/null' USR1 TERM INT\n\
         \"$@\" &\nchild=$!\nwait $child\nstatus=$?\n\
         while kill -0 $child 2> /dev/null; do wait $child; status=$?; done\n\
         rm -rf work\nexit $status\n"
    )
}

/// Divides nodes into arrays, each with its most at once.
pub fn arrays<'a>(plan: &Plan, parts: &[Part<'a>]) -> Vec<(Vec<Part<'a>>, Option<usize>)> {
    let mut groups: BTreeMap<Option<&str>, Vec<Part<'a>>> = BTreeMap::new();
    for part in parts {
        groups.entry(part.node.group.as_deref()).or_default().push(*part);
    }
    let count = groups.len().max(1);
    match (plan.at_once, plan.at_once_per_group) {
        (at_once, None) => vec![(parts.to_vec(), at_once)],
        (None, Some(most)) => groups.into_values().map(|group| (group, Some(most))).collect(),
        // One array keeps both limits where it has no more at once than a group may.
        (Some(all), Some(most)) if all <= most || all < count => vec![(parts.to_vec(), Some(all.min(most)))],
        (Some(all), Some(most)) => groups.into_values().map(|group| (group, Some(most.min(all / count)))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_division_passes_a_limit_of_the_plan() {
        let nodes: String = (0..9).map(|at| format!("[[nodes]]\nname = 'n{at}'\ngroup = 'g{}'\n", at % 3)).collect();
        for (at_once, per_group) in [(1, 2), (2, 1), (3, 2), (4, 2), (7, 2), (9, 9)] {
            let plan = Plan::read(&format!("limit = '1h'\nat_once = {at_once}\nat_once_per_group = {per_group}\n{nodes}")).unwrap();
            let parts: Vec<Part<'_>> = plan.nodes.iter().map(|node| Part { node, attempt: 1, handle: "" }).collect();
            let arrays = arrays(&plan, &parts);
            let most = |of: &dyn Fn(&Part<'_>) -> bool| -> usize {
                arrays.iter().map(|(parts, most)| parts.iter().filter(|part| of(part)).count().min(most.unwrap_or(9))).sum()
            };
            assert_eq!(arrays.iter().map(|(parts, _)| parts.len()).sum::<usize>(), 9);
            assert!(most(&|_| true) <= at_once, "{at_once} {per_group}");
            assert!(most(&|part| part.node.group.as_deref() == Some("g1")) <= per_group, "{at_once} {per_group}");
        }
    }

    #[test]
    fn each_task_measures_its_own_node() {
        let plan = Plan::read("limit = '1h'\n[[nodes]]\nname = 'n[1-2]'\ntargets = ['/dev/a b']\n").unwrap();
        let parts: Vec<Part<'_>> = plan.nodes.iter().map(|node| Part { node, attempt: 1, handle: "" }).collect();
        let folder = FleetFolder::at(Path::new("/f"));
        let files = Files { folder: &folder, program: Path::new("/f/ioproof"), consent: None };
        let text = script(&plan, "id", None, &files, &parts);
        let line = "1) node=n2; out=/f/nodes/n2; set -- /f/ioproof verify --all-idle-drives --out /f/nodes/n2 --fleet id '/dev/a b' ;;";
        assert!(text.lines().any(|own| own == line), "{text}");
    }
}
