//! One section on top of what it takes over.

use super::amounts::kept_bytes;
use super::job::{FioJob, Note};
use super::order::{engine_last, in_file_order};
use crate::complaint::{Complaint, SourcePlace, shortened};
use crate::grammar::{JobSection, TypedOption};
use crate::options::{self, OptionRow, OptionTreatment};
use crate::settings::{EngineName, JobSettings};
use crate::values::{ValueContext, keywords, loses_fraction, surprises};

#[derive(Debug, Clone)]
pub(super) struct Base<'a> {
    context: &'a ValueContext,
    settings: JobSettings,
    globals: Vec<(String, String)>,
    defaults: usize,
    notes: Vec<Note>,
}

impl<'a> Base<'a> {
    pub(super) fn new(context: &'a ValueContext) -> Self {
        Self { context, settings: JobSettings::default(), globals: Vec::new(), defaults: 0, notes: Vec::new() }
    }

    pub(super) fn with_defaults(mut self, options: &[TypedOption], wrong: &mut Vec<Complaint>) -> Self {
        let options: Vec<&TypedOption> = options.iter().collect();
        self.take(&options, wrong);
        self.defaults = self.globals.len();
        self
    }

    pub(super) fn with_globals(mut self, section: &JobSection, wrong: &mut Vec<Complaint>) -> Self {
        self.take(&in_file_order(&section.options), wrong);
        self
    }

    pub(super) fn kept_bytes(&self) -> usize {
        kept_bytes(self.globals.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    }

    fn take(&mut self, options: &[&TypedOption], wrong: &mut Vec<Complaint>) {
        self.apply(options, wrong);
        self.globals.extend(shown(options, self.context));
    }

    pub(super) fn file_job(&self, section: &JobSection, file: u32, wrong: &mut Vec<Complaint>) -> FioJob {
        self.job(section, &in_file_order(&section.options), Some(file), wrong)
    }

    pub(super) fn command_line_job(&self, section: &JobSection, wrong: &mut Vec<Complaint>) -> FioJob {
        let options: Vec<&TypedOption> = section.options.iter().filter(|typed| typed.key != "name").collect();
        let mut job = self.job(section, &options, None, wrong);
        job.typed.insert(0, ("name".into(), section.name.clone()));
        job
    }

    fn job(&self, section: &JobSection, options: &[&TypedOption], file_number: Option<u32>, wrong: &mut Vec<Complaint>) -> FioJob {
        let mut own = self.clone();
        own.settings.name = None;
        own.apply(options, wrong);
        wrong.extend(too_deep(&own.settings, section, options));
        wrong.extend(offloaded(&own.settings, section, options));
        wrong.extend(locked(&own.settings, section, options));
        if !own.settings.access.writes() {
            own.notes.retain(|note| !options::is_of_writes(note.option));
        }
        FioJob {
            name: own.settings.name.clone().unwrap_or_else(|| section.name.clone()),
            section: section.name.clone(),
            place: section.place.clone(),
            settings: own.settings,
            typed: shown(options, self.context),
            globals: self.globals.clone(),
            defaults: self.defaults,
            file_number,
            notes: own.notes,
        }
    }

    fn apply(&mut self, options: &[&TypedOption], wrong: &mut Vec<Complaint>) {
        let names_before = self.settings.files.names.len();
        for typed in engine_last(options.to_vec()) {
            if let Err(complaint) = self.apply_one(typed, wrong.len() < HINTS_MAX) {
                wrong.push(complaint);
            }
        }
        self.note_more_files(options, names_before);
    }

    fn apply_one(&mut self, typed: &TypedOption, with_hint: bool) -> Result<(), Complaint> {
        let row = options::find(&typed.key).ok_or_else(|| unknown(typed, with_hint))?;
        self.is_known_to_engine(row, typed)?;
        let context = ValueContext { kb_base: self.settings.kb_base(), ..*self.context };
        let text = typed.value.as_deref();
        row.apply(&mut self.settings, text, &context).map_err(|error| refusal(row, typed, error))?;
        self.notes.retain(|note| note.option != row.name);
        let texts = [row.differs_with(text, &context).map(str::to_owned), unit_trap(row, text, &context), fraction_lost(row, text)];
        let note = |text| Note { place: typed.place.clone(), option: row.name, text };
        self.notes.extend(texts.into_iter().flatten().map(note));
        Ok(())
    }

    fn is_known_to_engine(&self, row: &OptionRow, typed: &TypedOption) -> Result<(), Complaint> {
        let engine = self.settings.engine.name;
        if row.engines.is_empty() || row.engines.contains(&engine.word()) {
            return Ok(());
        }
        let known: Vec<_> = row.engines.iter().filter(|name| EngineName::ALL.iter().any(|(word, _)| word == *name)).copied().collect();
        let text = format!("{} is an option of {}, but the job's ioengine is {}", typed.key, known.join(", "), engine.word());
        Err(Complaint::at(&typed.place, text))
    }

    /// fio adds the files of a job to those that it took over, which few expect.
    fn note_more_files(&mut self, options: &[&TypedOption], before: usize) {
        let Some(typed) = options.iter().rfind(|typed| typed.key == "filename") else { return };
        if before > 0 {
            let text = format!(
                "the job uses these files and also {}, which it took over, as in fio",
                self.settings.files.names[..before].join(", ")
            );
            self.notes.push(Note { place: typed.place.clone(), option: "filename", text });
        }
    }
}

/// Complaints that get a hint: no more are read, and looking for a name that is like one costs as much as reading a hundred lines.
const HINTS_MAX: usize = 100;

fn too_deep(settings: &JobSettings, section: &JobSection, options: &[&TypedOption]) -> Option<Complaint> {
    let most = most_depth(settings.engine.name)?;
    let depth = settings.submission.depth;
    let place = place_of("iodepth", section, options);
    let text = format!("iodepth={depth} of job {}: ioengine={} takes at most {most}", section.name, settings.engine.name.word());
    (depth > most).then(|| Complaint::at(place, text).with_hint("lower iodepth, and make more depth with numjobs"))
}

/// Threads of fio's keep `iodepth` calls of a synchronous engine under way; a clone is one thread here.
fn offloaded(settings: &JobSettings, section: &JobSection, options: &[&TypedOption]) -> Option<Complaint> {
    let (submission, engine) = (settings.submission, settings.engine.name);
    let is_lost = submission.offload && engine.is_synchronous() && submission.depth > 1;
    let text = format!(
        "io_submit_mode=offload of job {}: with ioengine={} one I/O is outstanding, not iodepth={}",
        section.name,
        engine.word(),
        submission.depth
    );
    let place = place_of("io_submit_mode", section, options);
    is_lost.then(|| Complaint::at(place, text).with_hint("use ioengine=io_uring or libaio, or numjobs with iodepth=1"))
}

/// A lock keeps clones from a file that they share; one of its own needs none.
fn locked(settings: &JobSettings, section: &JobSection, options: &[&TypedOption]) -> Option<Complaint> {
    let files = &settings.files;
    let may_share = !files.names.is_empty() || !files.format.contains("$jobnum");
    let text = format!("lockfile= of job {}: files are not locked around I/O, and other jobs or clones may use these too", section.name);
    let hint = "give each clone files of its own, or run the jobs one after the other with stonewall, and leave out lockfile";
    (files.locked && may_share).then(|| Complaint::at(place_of("lockfile", section, options), text).with_hint(hint))
}

/// Where an option of this name stands last in the section; the section's own place where it was taken over.
fn place_of<'a>(name: &str, section: &'a JobSection, options: &[&'a TypedOption]) -> &'a SourcePlace {
    let typed = options.iter().rfind(|typed| options::find(&typed.key).is_some_and(|row| row.name == name));
    typed.map_or(&section.place, |typed| &typed.place)
}

/// I/Os that one clone can keep outstanding; `None`: it keeps one, whatever `iodepth` says.
fn most_depth(engine: EngineName) -> Option<u32> {
    match engine {
        EngineName::IoUring | EngineName::IoUringCmd => Some(32_768),
        _ if engine.is_synchronous() => None,
        _ => Some(65_536),
    }
}

/// Options as reports show them: `$ncpus` and its like as numbers.
fn shown(options: &[&TypedOption], context: &ValueContext) -> Vec<(String, String)> {
    let one = |typed: &&TypedOption| {
        let name = options::find(&typed.key).map_or(typed.key.as_str(), |row| row.name);
        let value = |value: &String| keywords(value, context).unwrap_or_else(|_| value.clone());
        typed.value.as_ref().map(|typed| (name.to_owned(), value(typed)))
    };
    options.iter().filter_map(one).collect()
}

fn unknown(typed: &TypedOption, with_hint: bool) -> Complaint {
    let complaint = Complaint::at(&typed.place, format!("the option {} is not known", shortened(&typed.key)));
    match with_hint.then(|| options::nearest_name(&typed.key)).flatten() {
        Some(name) => complaint.with_hint(format!("did you mean {name}?")),
        None => complaint,
    }
}

fn refusal(row: &OptionRow, typed: &TypedOption, error: String) -> Complaint {
    let given = typed.value.as_ref().map_or_else(|| typed.key.clone(), |value| format!("{}={}", typed.key, shortened(value)));
    if let OptionTreatment::Refused(why) = row.treatment
        && error == why
    {
        return Complaint::at(&typed.place, format!("{given} is not honoured: {why}"));
    }
    Complaint::at(&typed.place, format!("{given}: {error}"))
}

/// `runtime=1.5` is one second in fio.
fn fraction_lost(row: &OptionRow, text: Option<&str>) -> Option<String> {
    let text = text.filter(|text| row.kind.is_time() && loses_fraction(text))?;
    Some(format!("of {text} only the whole number counts, as in fio; give a smaller unit, such as 1500ms"))
}

/// `4KiB` is 4000 bytes in fio.
fn unit_trap(row: &OptionRow, text: Option<&str>, context: &ValueContext) -> Option<String> {
    let text = text.filter(|text| row.kind.is_size() && surprises(text, context))?;
    Some(format!("{text} is read as fio reads it, with KiB as 1000 bytes; write k for 1024 bytes, or set kb_base=1000"))
}
