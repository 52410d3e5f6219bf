//! The thread that draws: the newest state, a few times a second, and as soon as the window has another size; and the keys. It ends, and the picture with
//! it, when the run does or is to end.

use super::state::LiveState;
use super::{ansi, frame, terminal};
use ioproof_process::interrupt;
use ioproof_target::threads;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two looks at keys, size and signals.
const LOOK: Duration = Duration::from_millis(100);

/// Time between two pictures.
const PICTURE: Duration = Duration::from_millis(250);

/// The newest state and when it was so; whoever brings a newer one never waits.
type Mailbox = Arc<Mutex<Option<(LiveState, Instant)>>>;

#[derive(Debug)]
pub struct Drawing {
    mailbox: Mailbox,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drawing {
    /// Begins to draw on the terminal, which is in its state for it.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn begin(is_colored: bool) -> io::Result<Self> {
        let (mailbox, over) = (Mailbox::default(), Arc::<AtomicBool>::default());
        let (letters, ends) = (Arc::clone(&mailbox), Arc::clone(&over));
        let thread = threads::spawn("live view", move || {
            let mut painter = Painter { mailbox: letters, is_colored, state: None, shown: None, drawn: None };
            while !ends.load(Relaxed) && !interrupt::is_ending() {
                painter.look();
                let Some(keys) = terminal::keys(LOOK) else { break };
                if keys.iter().any(|key| KEYS_THAT_END.contains(key)) {
                    interrupt::end_run();
                }
            }
            terminal::leave();
        })?;
        Ok(Self { mailbox, over, thread: Some(thread) })
    }

    /// Brings a newer state, if nobody is looking at the last one at this moment; gives whether it was brought.
    pub fn bring(&self, state: &LiveState) -> bool {
        match self.mailbox.try_lock() {
            Ok(mut slot) => *slot = Some((state.clone(), Instant::now())),
            Err(TryLockError::Poisoned(_) | TryLockError::WouldBlock) => return false,
        }
        true
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        // One that panicked has put the terminal back.
        let _ = self.thread.take().map(JoinHandle::join);
        terminal::leave();
    }
}

/// `q`, and Ctrl-C where the terminal makes no signal of it.
const KEYS_THAT_END: [u8; 3] = [b'q', b'Q', 3];

struct Painter {
    mailbox: Mailbox,
    is_colored: bool,
    state: Option<(LiveState, Instant)>,
    shown: Option<Buffer>,
    /// When it was drawn, and the size of the window then.
    drawn: Option<(Instant, Rect)>,
}

impl Painter {
    fn look(&mut self) {
        let Some(area) = terminal::area() else { return };
        let resized = self.drawn.is_some_and(|(_, of)| of != area);
        let due = self.drawn.is_none_or(|(at, _)| at.elapsed() >= PICTURE);
        if resized {
            self.shown = None;
        }
        // What the terminal has not taken stays in its order; a picture that comes later is newer.
        if (due || resized) && terminal::is_ready() {
            self.draw(area);
        }
    }

    fn draw(&mut self, area: Rect) {
        if let Some(newest) = self.mailbox.lock().ok().and_then(|mut slot| slot.take()) {
            self.state = Some(newest);
        }
        let Some((state, at)) = &self.state else { return };
        let picture = frame::draw(&state.later(at.elapsed()), area, self.is_colored);
        let bytes = ansi::bytes(self.shown.as_ref(), &picture);
        self.shown = terminal::show(&bytes).then_some(picture);
        self.drawn = Some((Instant::now(), area));
    }
}
