//! Numbered steps with their times, on standard error: line by line, and in a terminal with a clock that runs meanwhile.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A step that still runs says so at this interval.
const TICK: Duration = Duration::from_secs(30);

/// One step of a plan: what it is called, and the work, which answers with a short note.
type Step<'a> = (String, Box<dyn FnOnce() -> Result<String> + 'a>);

/// Steps to be done in order, announced as `[3/7] name … note, 12 s`.
#[derive(Default)]
pub struct Plan<'a> {
    steps: Vec<Step<'a>>,
}

impl<'a> Plan<'a> {
    /// Adds a step. `work` answers with a note such as "already there", or with nothing.
    pub fn step(&mut self, name: impl Into<String>, work: impl FnOnce() -> Result<String> + 'a) {
        self.steps.push((name.into(), Box::new(work)));
    }

    /// Does the steps; the first failure ends the plan.
    pub fn run(self) -> Result<()> {
        let all = self.steps.len();
        for (at, (name, work)) in self.steps.into_iter().enumerate() {
            let title = format!("[{}/{all}] {name} …", at + 1);
            let bar = running(&title);
            let clock = Clock::start();
            let outcome = work();
            bar.finish_and_clear();
            // Where nothing is drawn, it stands there already.
            let title = if is_plain() { "" } else { &title };
            match outcome {
                Ok(note) if note.is_empty() => say(format_args!("{title} {clock}\n")),
                Ok(note) => say(format_args!("{title} {note}, {clock}\n")),
                Err(fault) => {
                    say(format_args!("{title} failed after {clock}\n"));
                    return Err(fault);
                }
            }
        }
        Ok(())
    }
}

/// A step that runs: its title with a clock, drawn anew in a terminal, printed once elsewhere.
fn running(title: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(
        None,
        if is_plain() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        },
    );
    if is_plain() {
        say(format_args!("{title}"));
    } else {
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(title.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

/// True if lines are only ever added: in a CI, in a file, in a pipe.
fn is_plain() -> bool {
    std::env::var_os("CI").is_some() || !std::io::stderr().is_terminal()
}

/// Prints at once, without a line break of its own. Nothing can be done when that fails.
pub fn say(text: std::fmt::Arguments<'_>) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_fmt(text);
    let _ = out.flush();
}

/// Wall time since its start; displays as whole seconds, or tenths below ten.
#[derive(Clone, Copy)]
pub struct Clock {
    start: Instant,
    ticks: u32,
}

impl Clock {
    /// Starts counting.
    #[expect(
        clippy::disallowed_methods,
        reason = "a build tool times its steps; nothing here reaches the ledger"
    )]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            ticks: 0,
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Prints the time once per [`TICK`] where nothing is drawn, so that a long step is seen to be alive.
    pub fn tick(&mut self) {
        if is_plain() && self.elapsed() >= TICK * (self.ticks + 1) {
            self.ticks += 1;
            say(format_args!(" {self} …"));
        }
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.elapsed().as_secs_f64();
        if seconds < 10.0 {
            write!(f, "{seconds:.1} s")
        } else {
            write!(f, "{seconds:.0} s")
        }
    }
}
