//! Answers that were had, kept in a file: a matrix takes hours, and goes on where it was interrupted. One line of JSON an answer.
//!
//! Only answers of the same program count. They are held against the truth again when they are read.

use super::cause::Cause;
use super::grade::grade;
use super::said::Said;
use super::trial::Trial;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One answer, with the state of the host that was asked for and the one that was had.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    /// Digest of the program (SHA-256).
    program: String,
    cause: String,
    load_asked: bool,
    loaded: bool,
    said: Said,
    command: String,
}

/// Answers of one program.
pub struct Answers {
    program: String,
    file: Option<File>,
    lines: Vec<Line>,
}

impl Answers {
    /// Those that a file holds; none where no file is named.
    pub fn open(file: Option<&Path>, program: &Path) -> Result<Self> {
        let program: String = Sha256::digest(std::fs::read(program)?).iter().map(|byte| format!("{byte:02x}")).collect();
        let Some(file) = file else { return Ok(Self { program, file: None, lines: Vec::new() }) };
        let text = if file.exists() { std::fs::read_to_string(file)? } else { String::new() };
        let lines = read(&text, &program).with_context(|| file.display().to_string())?;
        let opened = OpenOptions::new().create(true).append(true).open(file).with_context(|| file.display().to_string())?;
        Ok(Self { program, file: Some(opened), lines })
    }

    /// The nth answer about a cause beside a host that was asked to be in this state.
    pub fn nth(&self, cause: &Cause, load_asked: bool, nth: usize) -> Option<Trial> {
        let mut of_cause = self.lines.iter().filter(|line| line.cause == cause.name && line.load_asked == load_asked);
        of_cause.nth(nth).map(|line| trial(cause, line))
    }

    /// Keeps one more, at once.
    pub fn keep(&mut self, cause: &Cause, load_asked: bool, trial: &Trial) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let (said, command) = (trial.said.clone(), trial.command.clone());
        let line = Line { program: self.program.clone(), cause: cause.name.to_owned(), load_asked, loaded: trial.loaded, said, command };
        Ok(writeln!(file, "{}", serde_json::to_string(&line)?)?)
    }
}

fn trial(cause: &Cause, line: &Line) -> Trial {
    let graded = grade(&cause.answer, &line.said, line.loaded);
    Trial { loaded: line.loaded, said: line.said.clone(), graded, command: line.command.clone() }
}

/// The answers of a program; a line that a killed call left half written is none.
fn read(text: &str, program: &str) -> Result<Vec<Line>> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().enumerate().map(|(at, line)| serde_json::from_str::<Line>(line).with_context(|| format!("line {}", at + 1)));
    let lines = lines.collect::<Result<Vec<Line>>>()?;
    Ok(lines.into_iter().filter(|line| line.program == program).collect())
}

#[cfg(test)]
mod tests {
    use super::super::cause::CAUSE;
    use super::*;

    fn line(program: &str, cause: &str, load_asked: bool, exit: i32) -> String {
        let said = Said { exit: Some(exit), ..Said::default() };
        let line = Line { program: program.into(), cause: cause.into(), load_asked, loaded: load_asked, said, command: String::new() };
        serde_json::to_string(&line).unwrap() + "\n"
    }

    #[test]
    fn only_answers_of_the_same_program_and_state_count() {
        let text = [line("p", "a", false, 0), line("q", "a", false, 1), line("p", "a", true, 2), line("p", "a", false, 3)].concat();
        let answers = Answers { program: "p".into(), file: None, lines: read(&text, "p").unwrap() };
        let cause = Cause { name: "a", ..CAUSE };
        let exit = |loaded, nth| answers.nth(&cause, loaded, nth).map(|trial| trial.said.exit.unwrap());
        assert_eq!((exit(false, 0), exit(false, 1), exit(false, 2), exit(true, 0)), (Some(0), Some(3), None, Some(2)));
    }

    #[test]
    fn a_half_written_line_is_none_and_a_damaged_one_is_named() {
        let text = line("p", "a", false, 0) + "{\"program\":\"p\",\"cau";
        assert_eq!(read(&text, "p").unwrap().len(), 1);
        let error = read(&format!("nothing\n{}", line("p", "a", false, 0)), "p").unwrap_err();
        assert_eq!(error.to_string(), "line 1");
    }

    #[test]
    fn what_is_kept_is_there_again() {
        let folder = std::env::temp_dir().join(format!("ioproof-answers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (program, file) = (folder.join("program"), folder.join("answers"));
        std::fs::write(&program, "x").unwrap();
        let cause = Cause { name: "a", ..CAUSE };
        let had = trial(&cause, &serde_json::from_str(&line("p", "a", true, 3)).unwrap());
        Answers::open(Some(&file), &program).unwrap().keep(&cause, true, &had).unwrap();
        let again = Answers::open(Some(&file), &program).unwrap();
        assert_eq!(again.nth(&cause, true, 0).unwrap().said.exit, Some(3));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
