//! Others have the file behind a loop device open. What they read or write takes a part of what the file can do, and where the drive below cannot be told no
//! counter shows it.

use crate::findings::prelude::*;

rule! {
    name: "backing-file-used",
    about: "others have the file behind a loop device open",
    check: Check::EachCounted(of_job),
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let users: Vec<&str> = context.record.targets_of(measured.job).flat_map(|target| &target.opened_by).map(String::as_str).collect();
    let first = users.first()?;
    let title = format!("{first} has the file behind the loop device open, and may take a part of what it can do");
    let figure = Evidence::text("open in", users.join(", ")).read_at("/proc/*/fd");
    let remedy = "end what uses the file, and measure again";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::Harder, title, vec![figure], remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: record().with(|record| record.targets[0].opened_by = vec!["process 42 (dd)".into()]), silent: record() }

    #[test]
    fn missing_is_no_verdict_then() {
        RULE.says(&fires(), Effect::Harder, |title| title.starts_with("process 42 (dd) has"));
    }
}
