//! Signals that ask a program to end which has something to put in order before.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};

const KINDS: [fn() -> SignalKind; 3] = [
    SignalKind::interrupt,
    SignalKind::terminate,
    SignalKind::hangup,
];

/// SIGINT, SIGTERM and SIGHUP, but those that are ignored since the program began, as by nohup.
#[derive(Debug)]
pub(crate) struct EndingSignals {
    received: Arc<AtomicI32>,
}

impl EndingSignals {
    /// From now on, `act` is called for each signal, in another thread, in place of the end of the program.
    pub(crate) fn handle(mut act: impl FnMut(i32) + Send + 'static) -> io::Result<Self> {
        let ignored = ignored();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let mut signals = Vec::new();
        for kind in KINDS.map(|kind| kind()) {
            let number = kind.as_raw_value();
            if ignored & (1 << (number - 1)) == 0 {
                signals.push((number, signal(kind)?));
            }
        }
        drop(inside);
        let received = Arc::new(AtomicI32::new(0));
        let noted = Arc::clone(&received);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                while let Some(number) = runtime.block_on(next(&mut signals)) {
                    noted.store(number, Ordering::SeqCst);
                    act(number);
                }
            })?;
        Ok(Self { received })
    }

    /// The exit code that shells have for the signal that came.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        match self.received.load(Ordering::SeqCst) {
            0 => None,
            number => u8::try_from(128 + number).ok(),
        }
    }
}

async fn next(signals: &mut [(i32, Signal)]) -> Option<i32> {
    std::future::poll_fn(|context| {
        for (number, signal) in signals.iter_mut() {
            if signal.poll_recv(context).is_ready() {
                return std::task::Poll::Ready(Some(*number));
            }
        }
        std::task::Poll::Pending
    })
    .await
}

/// A bit for each signal that is ignored (`proc_pid_status(5)`).
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    lines
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}
