//! The terminal of standard error while a picture is on it: its modes, its keys, and bytes that nobody waits for.
//!
//! There is one, so it is a static: a panic anywhere puts the terminal back before it says anything. Signals keep coming from the keyboard, so Ctrl-C is
//! what it is without a picture; only Ctrl-Z and Ctrl-S do nothing. Deliberately absent: the picture (`frame`) and the thread that draws (`drawing`).

use anyhow::Result;
use ioproof_process::complaint::complaint;
use ioproof_process::stream::PatientStream;
use ioproof_process::{interrupt, messages, output};
use ratatui_core::layout::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{Action, InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios};
use std::io::stderr;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// The alternate screen, no cursor, no line that wraps at the edge, an empty screen (xterm, "Control Sequences"; ECMA-48).
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";

const LEAVE: &[u8] = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Time for a terminal that takes nothing to take the last bytes.
const PATIENCE: Duration = Duration::from_millis(500);

const HINT: &str = "leave out --live: progress is told on standard error, and `kill -USR1` asks for what was measured so far";

static SCREEN: Mutex<Option<Screen>> = Mutex::new(None);

struct Screen {
    device: OwnedFd,
    before: Termios,
    stream: PatientStream,
}

/// Says what keeps a picture from being shown here.
///
/// # Errors
/// Where standard error is no terminal, one that cannot be drawn on, or another job has it.
pub fn check() -> Result<()> {
    device().map(drop)
}

/// Opens the terminal, once more, so that neither writing nor reading waits for anybody.
fn device() -> Result<OwnedFd> {
    if !rustix::termios::isatty(stderr()) {
        return Err(complaint("--live needs a terminal, and standard error is none", HINT));
    }
    let kind = std::env::var("TERM").unwrap_or_default();
    if ["", "dumb"].contains(&kind.as_str()) {
        return Err(complaint(format!("--live needs a terminal that can be drawn on (TERM={kind})"), HINT));
    }
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let device = rustix::fs::open("/proc/self/fd/2", flags, Mode::empty());
    let device = device.map_err(|error| complaint(format!("--live: the terminal cannot be opened: {error}"), HINT))?;
    if is_in_background(&device) {
        return Err(complaint("--live needs to be in the foreground of its terminal", HINT));
    }
    Ok(device)
}

/// True where another job has the terminal: changing its modes or reading would stop this one (termios(3)).
fn is_in_background(device: &OwnedFd) -> bool {
    rustix::termios::tcgetpgrp(device).is_ok_and(|group| group != rustix::process::getpgrp())
}

/// Puts the terminal into the state for a picture.
pub fn enter() -> Result<()> {
    let device = device()?;
    let refused = |error| complaint(format!("--live: the terminal does not change its modes: {error}"), HINT);
    let before = rustix::termios::tcgetattr(&device).map_err(refused)?;
    messages::hold(true);
    output::hold(true);
    interrupt::picture_comes();
    put_back_on_panic();
    if let Ok(mut screen) = SCREEN.lock() {
        let _ = rustix::termios::tcsetattr(&device, OptionalActions::Now, &for_pictures(before.clone()));
        let mut stream = PatientStream::new();
        let _ = stream.put(&device, ENTER);
        *screen = Some(Screen { device, before, stream });
    }
    Ok(())
}

fn for_pictures(mut modes: Termios) -> Termios {
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    modes.input_modes.remove(InputModes::IXON);
    modes.special_codes[SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    // _POSIX_VDISABLE.
    modes.special_codes[SpecialCodeIndex::VSUSP] = 0;
    modes
}

/// Puts the terminal back, and says what was held. Nothing happens where it has been done. What a terminal does not take in time goes before all that is said from
/// then on, so that whoever comes back to it finds no picture.
pub fn leave() {
    let Some(Screen { device, before, mut stream }) = taken() else { return };
    restart(&device);
    let _ = stream.put(&device, LEAVE);
    let _ = stream.write_on(&device, PATIENCE);
    if !is_in_background(&device) {
        let _ = rustix::termios::tcsetattr(&device, OptionalActions::Now, &before);
    }
    messages::say_first(stream.into_pending());
    interrupt::picture_is_gone();
    output::hold(false);
    messages::hold(false);
}

/// Lets a terminal go on whose output was stopped (tcflow(3); a Ctrl-S that came by another way than its keyboard): no key would do it while the picture is there.
fn restart(device: &OwnedFd) {
    if !is_in_background(device) {
        let _ = rustix::termios::tcflow(device, Action::OOn);
    }
}

fn taken() -> Option<Screen> {
    // The hook of a panic must not wait for its own thread, where that is the one that holds it.
    const LOOKS: u32 = 100;
    for _ in 0..LOOKS {
        match SCREEN.try_lock() {
            Ok(mut screen) => return screen.take(),
            Err(TryLockError::Poisoned(screen)) => return screen.into_inner().take(),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// A panic ends the program without any destructor where it aborts, so the terminal is put back before it is told.
fn put_back_on_panic() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        leave();
        usual(panic);
    }));
}

/// Draws, if the terminal has taken all that came before; gives whether it is drawn.
pub fn show(bytes: &[u8]) -> bool {
    with(|screen| screen.stream.put(&screen.device, bytes).is_ok()).unwrap_or(false)
}

/// True where the terminal has taken all; what it has not is tried again.
pub fn is_ready() -> bool {
    with(|screen| screen.stream.put(&screen.device, &[]).is_ok() && screen.stream.pending_bytes() == 0).unwrap_or(false)
}

/// Its size; one that does not know says 0, and is taken for 80 x 24.
pub fn area() -> Option<Rect> {
    let size = with(|screen| rustix::termios::tcgetwinsize(&screen.device).ok()).flatten();
    let size = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
    with(|_| size.map_or(Rect::new(0, 0, 80, 24), |size| Rect::new(0, 0, size.ws_col.min(MOST), size.ws_row.min(MOST))))
}

/// No window is drawn on further than this in either direction, whatever it says of itself.
const MOST: u16 = 500;

/// Waits for a key for so long; gives the ones that were pressed, or nothing where the picture is gone.
pub fn keys(patience: Duration) -> Option<Vec<u8>> {
    let device = with(|screen| rustix::io::fcntl_dupfd_cloexec(&screen.device, 0).ok())??;
    let began = Instant::now();
    let patience_left = Timespec::try_from(patience).ok();
    let pressed = poll(&mut [PollFd::new(&device, PollFlags::IN)], patience_left.as_ref()).is_ok_and(|count| count > 0);
    let mut keys = [0; 64];
    let count = if pressed && !is_in_background(&device) { rustix::io::read(&device, &mut keys).unwrap_or(0) } else { 0 };
    if count == 0 {
        // A terminal that is gone says at once that there is something.
        std::thread::sleep(patience.saturating_sub(began.elapsed()));
    }
    Some(keys[..count].to_vec())
}

fn with<T>(act: impl FnOnce(&mut Screen) -> T) -> Option<T> {
    SCREEN.lock().ok()?.as_mut().map(act)
}
