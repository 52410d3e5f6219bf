//! `cargo xtask test`: everything that must hold before a change is taken, in the order of what it costs.
//!
//! Tests that need more than Rust say so by their module (`GROUPS`). Where they cannot run, CI fails.

mod programs;

use crate::debian::{self, Package};
use crate::powercut::Options;
use crate::{Verb, attack, causes, command, powercut, rig, tidy};
use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

pub const VERB: Verb = Verb {
    name: "test",
    usage: "[--full]",
    about: "all checks and tests; --full adds longer attacks and the virtual machine",
    help: "
The fast tier: the Debian packages that the tests use (installed when you are root), cargo fmt --check, cargo xtask tidy, a build of all tests with Clippy, where
warnings are errors, all tests, the short forms of attack, powercut and causes. Stops at the first failure. Tests in modules named `loops` need root, those in
`against` other programs; where they cannot run they are left out by name. With CI set in the environment that is a failure.

--full takes the long form of attack (half an hour) and the usual one of powercut, and adds the short one of powercut --machine, tests in `office` (LibreOffice),
`browser` (Chromium) and `pypi` (programs from PyPI), the fuzz targets, which must compile, and every script in rig/tests, each in a virtual machine of its own.
",
    run: main,
};

struct Group {
    prefix: &'static str,
    needs_root: bool,
    packages: &'static [Package],
    only_full: bool,
}

const GROUPS: [Group; 5] = [
    Group { prefix: "loops::", needs_root: true, packages: debian::LOOP_PACKAGES, only_full: false },
    Group { prefix: "against::", needs_root: false, packages: PEERS, only_full: false },
    Group { prefix: "office::", needs_root: false, packages: OFFICE, only_full: true },
    Group { prefix: "pypi::", needs_root: false, packages: PYPI, only_full: true },
    Group { prefix: "browser::", needs_root: false, packages: BROWSER, only_full: true },
];

const PEERS: &[Package] = &[
    Package { name: "fio", provides: "fio", why: "to run the same jobs by it" },
    Package { name: "strace", provides: "strace", why: "to see which blocks a program uses" },
    Package { name: "sysbench", provides: "sysbench", why: "to hold `sync --as sysbench` against it" },
    Package { name: "sqlite3", provides: "sqlite3", why: "to hold the commits of `layers` against those of its shell" },
    Package { name: "ansible-core", provides: "ansible-playbook", why: "to run the play of docs/fleet.md" },
    Package { name: "python3-kubernetes", provides: KUBERNETES, why: "to hold the Job of docs/fleet.md against the fields of Kubernetes" },
    Package { name: "postgresql", provides: "psql", why: "to hold `sync --as postgres-wal` and `layers` against its own programs" },
];

const KUBERNETES: &str = "/usr/lib/python3/dist-packages/kubernetes/client/__init__.py";
const OFFICE: &[Package] = &[Package { name: "libreoffice-calc", provides: "soffice", why: "to open workbooks in a spreadsheet" }];

const PYPI: &[Package] =
    &[Package { name: "virtualenv", provides: "virtualenv", why: "to read reports by DuckDB, polars and Prometheus' parser" }];

const BROWSER: &[Package] = &[Package { name: "chromium", provides: "chromium", why: "to look at the page as a reader does" }];

impl Group {
    fn obstacle(&self) -> Option<String> {
        debian::obstacle(&self.packages.iter().collect::<Vec<_>>(), self.needs_root)
    }
}

type Step = (String, Box<dyn Fn() -> Result<()>>);

fn step(name: &str, run: impl Fn() -> Result<()> + 'static) -> Step {
    (name.to_owned(), Box::new(run))
}

fn main(args: &[String]) -> Result<ExitCode> {
    let full = match args {
        [] => false,
        [flag] if flag == "--full" => true,
        _ => bail!("usage: cargo xtask test {}", VERB.usage),
    };
    // Debian's packages are fetched and unpacked while cargo builds.
    let packages = Mutex::new(Some(std::thread::spawn(move || check_packages(full))));
    let have_come =
        move || command::locked(&packages).take().map_or(Ok(()), |thread| thread.join().unwrap_or_else(|_| bail!("it panicked")));
    let mut steps = vec![
        step("fmt", || command::run(command::cargo().args(["fmt", "--all", "--check"])).context("hint: cargo fmt")),
        step("tidy", tidy::check_workspace),
        step("clippy and build", || command::run(command::linting_cargo().args(["test", "--workspace", "--no-run", "--quiet"]))),
        step("packages", have_come),
        step("cargo test", move || cargo_test(full)),
    ];
    if full {
        steps.push(step("fuzz targets", || command::run(command::cargo().args(["check", "--manifest-path", "fuzz/Cargo.toml"]))));
        steps.push(step("attack --full", || attack::step(&["--full"])));
        steps.push(step("powercut", || powercut::step(&Options::usual())));
        steps.push(step("powercut --machine", || powercut::step(&Options::step(true))));
        steps.extend(rig_steps()?);
    } else {
        steps.push(step("attack", || attack::step(&["--seed", "1"])));
        steps.push(step("powercut", || powercut::step(&Options::step(false))));
    }
    steps.push(step("causes", causes::short_form));
    run_all(&steps)?;
    let but = left_out(full)?.map(|text| format!(", but {text}")).unwrap_or_default();
    println!("xtask test: all {} steps passed{but}", steps.len());
    Ok(ExitCode::SUCCESS)
}

fn groups(full: bool) -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().filter(move |group| full || !group.only_full)
}

/// One step for each script, so that each shows its own time and failure.
fn rig_steps() -> Result<Vec<Step>> {
    let scripts = rig::test_scripts()?;
    let steps = scripts.into_iter().map(|script| {
        let name = format!("rig {}", script.file_stem().unwrap_or_default().to_string_lossy());
        step(&name, move || rig::run_test(&script))
    });
    Ok(steps.collect())
}

fn run_all(steps: &[Step]) -> Result<()> {
    let (begun, mut times, mut result) = (Instant::now(), String::new(), Ok(()));
    for (index, (name, run)) in steps.iter().enumerate() {
        println!("\n==> {name} ({} of {})", index + 1, steps.len());
        let start = Instant::now();
        result = run().with_context(|| format!("FAILED at step `{name}`"));
        let seconds = start.elapsed().as_secs_f64();
        println!("<== {name}: {} in {seconds:.1} s", if result.is_ok() { "passed" } else { "FAILED" });
        times += &format!("{name:<24} {seconds:>7.1} s\n");
        if result.is_err() {
            break;
        }
    }
    println!("\n{times}{:<24} {:>7.1} s", "total", begun.elapsed().as_secs_f64());
    result
}

fn check_packages(full: bool) -> Result<()> {
    let packages: Vec<&Package> = groups(full).flat_map(|group| group.packages).collect();
    debian::ensure(&packages)?;
    match left_out(full)? {
        None => println!("all {} packages are here", packages.len()),
        Some(text) if command::is_ci() => bail!("CI must run every test, and cannot: {text}"),
        Some(text) => println!("{text}"),
    }
    Ok(())
}

fn left_out(full: bool) -> Result<Option<String>> {
    let obstacles = groups(full).filter_map(|group| Some((group.prefix, group.obstacle()?)));
    let told: Vec<String> = obstacles.map(|(prefix, reason)| format!("{reason}, so tests in {prefix} do not run")).collect();
    Ok((!told.is_empty()).then(|| told.join("; ")))
}

fn cargo_test(full: bool) -> Result<()> {
    let is_blocked = |group: &&Group| group.only_full && !full || group.obstacle().is_some();
    let blocked: Vec<&str> = GROUPS.iter().filter(is_blocked).map(|group| group.prefix).collect();
    programs::run(&["test", "--workspace"], &blocked)?;
    command::take_tested();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_its_module_in_the_programs_tests() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/ioproof/tests/all");
        assert!(GROUPS.iter().all(|group| folder.join(group.prefix.trim_end_matches(':')).with_extension("rs").exists()));
    }
}
