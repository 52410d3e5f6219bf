//! The tiny writer as a prover: its programs are started, and what it was acknowledged is kept here.

use crate::powercut::found::Found;
use crate::powercut::prover::{self, Prover, Target};
use crate::powercut::step::{self, Talk};
use anyhow::{Context, Result, bail};

#[derive(Default)]
pub struct Tiny {
    seed: u64,
    acknowledged: u64,
    writer: Option<Talk>,
}

impl Tiny {
    fn writer(&mut self) -> Result<&mut Talk> {
        self.writer.as_mut().context("no writer was started")
    }
}

impl Prover for Tiny {
    fn begin(&mut self, target: &Target, seed: u64) -> Result<()> {
        (self.seed, self.acknowledged) = (seed, 0);
        let writer = self.writer.insert(Talk::start(&mut prover::tiny_write(target, seed))?);
        match writer.hear()? {
            Some(line) if line == "ready" => Ok(()),
            line => bail!("the writer is not ready: {} {}", line.unwrap_or_default(), writer.complaint()),
        }
    }

    fn go(&mut self) -> Result<()> {
        self.writer()?.say("go")
    }

    fn end(&mut self) -> Result<u64> {
        let mut end = None;
        while let Some(line) = self.writer()?.hear()? {
            match line.split_once(' ') {
                Some(("ack", groups)) => self.acknowledged = groups.parse().with_context(|| format!("no acknowledgement: {line}"))?,
                Some(("end", reason)) => end = Some(reason.to_owned()),
                _ => bail!("the writer says `{line}`"),
            }
        }
        let complaint = self.writer()?.complaint();
        self.writer = None;
        match end {
            None => bail!("the writer ended without saying why: {complaint}"),
            Some(reason) if self.acknowledged == 0 => bail!("nothing was acknowledged: {reason}"),
            Some(_) => Ok(self.acknowledged),
        }
    }

    fn check(&mut self, target: &Target) -> Result<Found> {
        let told = step::run(&mut prover::tiny_check(target, self.seed, self.acknowledged))?;
        serde_json::from_str(&told).context("the checker does not say what it found")
    }
}
