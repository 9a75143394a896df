use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};
#[cfg(feature = "experiments")]
use varbind::manager::Manager;
use varbind::transport::TransportAddress;

/// How long an agent may be silent before the line is shown.
const FIRST: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

/// A line on a terminal that says how long an agent is silent. It is removed with the session.
pub(crate) struct SilenceLine {
    target: String,
    is_shown: bool,
}

impl SilenceLine {
    /// `None` if standard error is not a terminal.
    pub(crate) fn new(target: &TransportAddress) -> Option<Self> {
        io::stderr().is_terminal().then(|| Self {
            target: target.to_string(),
            is_shown: false,
        })
    }

    /// Waits for an outcome. `received` counts what has come from the agent.
    pub(crate) async fn observe<T, R: PartialEq>(
        &mut self,
        received: impl Fn() -> R,
        outcome: impl Future<Output = T>,
    ) -> T {
        let mut outcome = pin!(outcome);
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let (mut since, mut last) = (Instant::now(), received());
        loop {
            tokio::select! {
                biased;
                outcome = &mut outcome => {
                    self.remove();
                    return outcome;
                }
                _ = ticks.tick() => {}
            }
            let now = received();
            if now != last {
                (since, last) = (Instant::now(), now);
            }
            self.show(since.elapsed());
        }
    }

    #[cfg(feature = "experiments")]
    pub(crate) fn observe_manager(mut self, manager: &mut Manager) {
        manager.observe_silence(INTERVAL, move |silence| self.show(silence));
    }

    fn show(&mut self, silence: Duration) {
        if silence < FIRST {
            return self.remove();
        }
        self.is_shown = true;
        let seconds = silence.as_secs_f64();
        let target = &self.target;
        // What cannot be shown is not a failure.
        let _ = write!(io::stderr(), "\r{target} is silent for {seconds:.1} s ");
    }

    fn remove(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for SilenceLine {
    fn drop(&mut self) {
        self.remove();
    }
}
