//! Runs smartctl where smartmontools is installed, for the maker's own meanings of SMART attributes; where it is not, nothing is missed but those.
//!
//! It is looked for at fixed places rather than in `PATH`, because ioproof mostly runs as root, and it is asked for the attributes only, which costs the drive
//! commands that read. A smartctl that does not end is ended.

use ioproof_pages::field::Page;
use ioproof_pages::pages::ata::smartctl_attributes;
use ioproof_target::threads;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PLACES: [&str; 3] = ["/usr/sbin/smartctl", "/usr/local/sbin/smartctl", "/usr/bin/smartctl"];

const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The page `smartctl` of a node; `None` where smartmontools is not installed.
pub(crate) fn smartctl_page(node: &Path) -> Option<Page> {
    let program = PLACES.iter().map(Path::new).find(|device| device.is_file())?;
    Some(page_of(Command::new(program).args(["--json=c", "--attributes"]).arg(node), node, PATIENCE))
}

fn page_of(command: &mut Command, node: &Path, patience: Duration) -> Page {
    let source = format!("smartctl --json --attributes {}", node.display());
    let failed = |problem: String| Page { name: "smartctl".to_owned(), source: source.clone(), problems: vec![problem], ..Page::default() };
    match output(command, patience) {
        Ok(Some(text)) => smartctl_attributes(&text, &*source),
        Ok(None) => failed(format!("smartctl did not end within {} s", patience.as_secs())),
        Err(error) => failed(format!("smartctl cannot be run: {error}")),
    }
}

/// Standard output of a command; `None` where it had to be ended. The exit status of smartctl tells about the drive's health, so it is no failure.
fn output(command: &mut Command, patience: Duration) -> std::io::Result<Option<String>> {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut pipe = child.stdout.take();
    // Read aside, so that a full pipe cannot keep it from ending.
    let reading = threads::spawn("smartctl", move || {
        let mut bytes = Vec::new();
        pipe.as_mut().map(|pipe| pipe.read_to_end(&mut bytes)).transpose().map(|_| bytes)
    });
    let reading = reading.or_else(|error| {
        child.kill()?;
        child.wait()?;
        Err(error)
    })?;
    if !has_ended(&mut child, patience)? {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    }
    let bytes = reading.join().map_err(|_| std::io::Error::other("its output could not be read"))??;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn has_ended(child: &mut Child, patience: Duration) -> std::io::Result<bool> {
    let since = Instant::now();
    while child.try_wait()?.is_none() {
        if since.elapsed() > patience {
            return Ok(false);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(program: &str, arguments: &[&str], patience: Duration) -> Page {
        page_of(Command::new(program).args(arguments), Path::new("/dev/sdq"), patience)
    }

    #[test]
    fn what_it_prints_is_read_whatever_its_exit_status() {
        let script = r#"echo '{"smartctl":{"version":[7,4]},"power_cycle_count":9}'; exit 4"#;
        let page = page("/bin/sh", &["-c", script], PATIENCE);
        assert_eq!((page.number("power_cycles"), page.source.as_str()), (Some(9), "smartctl --json --attributes /dev/sdq"));
    }

    #[test]
    fn more_than_a_pipe_holds_is_read_too() {
        let page = page("/bin/sh", &["-c", r#"printf '{"smartctl":"%0200000d","power_cycle_count":1}' 0"#], PATIENCE);
        assert_eq!(page.number("power_cycles"), Some(1));
    }

    #[test]
    fn one_that_does_not_end_is_ended() {
        let page = page("/bin/sh", &["-c", "exec sleep 600"], Duration::from_millis(30));
        assert_eq!(page.problems, ["smartctl did not end within 0 s"]);
    }

    #[test]
    fn one_that_cannot_be_run_is_named() {
        assert!(page("/no/such/program", &[], PATIENCE).problems[0].starts_with("smartctl cannot be run"));
    }
}
