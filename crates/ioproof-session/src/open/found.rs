//! A target on its way: looked at and planned, and then open under a permit.

use super::identify::{Facts, identify};
use super::target::{self, Chosen};
use super::{admit, plan, polled, standard};
use crate::request::PlanRequest;
use anyhow::Result;
use ioproof_core::plan::Plan;
use ioproof_target::{Handle, System, Target};
use std::ops::Deref;

/// A target as it was found; nothing is opened or made for it.
pub struct FoundTarget {
    pub chosen: Chosen,
    pub facts: Facts,
    pub plan: Plan,
}

impl FoundTarget {
    /// Identifies what was chosen, and plans the work on it. Each of the steps of a turn has its share of the time.
    ///
    /// # Errors
    /// When it is not admitted, cannot be polled, or nothing can be run on it.
    pub fn new(system: &System, request: &PlanRequest, chosen: Chosen, steps: usize) -> Result<Self> {
        let facts = identify(system, &chosen, request)?;
        admit::admit(system, request.admit, &facts)?;
        polled::check(system, &request.load, chosen.facts())?;
        let time = plan::time(request, &chosen);
        let share = if request.is_time_limited() { time / steps.max(1) as u32 } else { time };
        let plan = Plan { time_ns: time.as_nanos() as u64, ..plan::plan(request, &chosen, &facts, share)? };
        let plan = match request.kind.standard() {
            Some(request) => standard::planned(plan, request, &chosen)?,
            None => plan,
        };
        Ok(Self { chosen, facts, plan })
    }

    /// Opens it with all files that the load needs.
    ///
    /// # Errors
    /// A refusal of the write rule, what the kernel says, or when nothing is left of the plan.
    pub fn open<'h>(self, system: &System, request: &PlanRequest) -> Result<OpenTarget<'h>> {
        let Self { chosen, facts, plan, .. } = self;
        let scratch_in = chosen.directory();
        let (target, handle) = target::permit(system, &request.load, chosen)?;
        let plan = plan::possible(plan, &target, &handle)?;
        let handles = target::open_rest(system, &request.load, scratch_in.as_deref(), handle)?;
        Ok(OpenTarget { target, handles: handles.into_iter().map(HeldHandle::Own).collect(), facts, plan })
    }
}

pub struct OpenTarget<'h> {
    pub target: Target,
    /// Its files, the first foremost; at least one.
    pub handles: Vec<HeldHandle<'h>>,
    pub facts: Facts,
    pub plan: Plan,
}

impl OpenTarget<'_> {
    pub fn handle(&self) -> &Handle {
        &self.handles[0]
    }
}

/// A handle that ends with the session, or one that somebody else goes on with.
pub enum HeldHandle<'h> {
    Own(Handle),
    Lent(&'h Handle),
}

impl Deref for HeldHandle<'_> {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        match self {
            Self::Own(handle) => handle,
            Self::Lent(handle) => handle,
        }
    }
}
