//! Faults were injected by request: nothing in the run is about a drive.

use crate::findings::prelude::*;

rule! {
    name: "faults-injected",
    about: "faults were injected by request",
    check: Check::Run(check),
    limit: RuleLimit::not_the_drive(Place::InjectedFaults, |_, _| "injected faults".into()),
}

fn check(context: &Context) -> Vec<Finding> {
    let Some(faults) = &context.record.config.faults else { return Vec::new() };
    let title = "faults were injected by request: this run shows nothing about the drive".to_owned();
    vec![finding(&RULE, Severity::Block, Effect::Invalid, title, vec![Evidence::text("faults", faults.clone())], "")]
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: record().with(|record| record.config.faults = Some("errors=0.1".into())), silent: record() }

    #[test]
    fn fires_only_with_faults() {
        assert_eq!(RULE.found(&fires()).len(), 1);
    }
}
