//! A drive whose write cache is on by its own account while the kernel takes it for write through, and so sends no flush (`queue/write_cache`,
//! Documentation/ABI/stable/sysfs-block): what is synced stays in the cache.

use crate::findings::prelude::*;

rule! {
    name: "hidden-cache",
    about: "the drive's write cache is on, and the kernel takes it for off and sends no flush",
    check: Check::Run(check),
}

fn check(context: &Context) -> Vec<Finding> {
    let syncs = context.counted().any(|measured| measured.workload().durability != Durability::None);
    let drives = context.record.drives().into_iter().filter(|drive| syncs && is_hidden(context, drive));
    drives.map(of_drive).collect()
}

fn is_hidden(context: &Context, drive: &DeviceFacts) -> bool {
    let kernel_says_off = drive.write_cache.as_ref().is_some_and(|cache| cache.value == "write through");
    let own = context.record.health.iter().find(|bracket| bracket.name == drive.name).and_then(|bracket| bracket.before.write_cache_on);
    kernel_says_off && own == Some(true)
}

fn of_drive(drive: &DeviceFacts) -> Finding {
    let title = format!("{} says that its write cache is on, and the kernel takes it for off: no flush is sent", drive.name);
    let evidence = vec![Evidence::text("write cache by the kernel", "write through"), Evidence::text("by the drive", "on")];
    let remedy = format!("echo write back > /sys/block/{}/queue/write_cache, unless the cache is protected against power loss", drive.name);
    Finding { subject: Subject::Drive(drive.name.clone()), ..finding(&RULE, Severity::Warn, Effect::Easier, title, evidence, &remedy) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::durable::unflushed::tests::flushed;

    records! { fires: with_cache(true), silent: with_cache(false) }

    fn with_cache(is_on: bool) -> RunRecord {
        let state = DriveState { write_cache_on: Some(is_on), ..DriveState::default() };
        flushed(0, "write through").with_health(state.clone(), state)
    }
}
