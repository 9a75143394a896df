//! A line of the log, for people and for the journal of systemd.

use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;

use env_logger::fmt::Formatter;
use log::{Level, Record};
use varbind_mib::escape_controls;

/// The variable in which systemd names the journal behind standard error, as DEVICE:INODE (systemd.exec(5)).
const JOURNAL_STREAM: &str = "JOURNAL_STREAM";

type Format = Box<dyn Fn(&mut Formatter, &Record<'_>) -> io::Result<()> + Send + Sync>;

/// The form in which lines are written: the journal has the time of each line, and takes its level from a number in front.
pub(super) fn format() -> Format {
    if is_journal() {
        Box::new(|line, record| writeln!(line, "<{}>{}", priority(record.level()), Text(record)))
    } else {
        Box::new(|line, record| {
            let time = line.timestamp();
            writeln!(line, "{time} {:<5} {}", record.level(), Text(record))
        })
    }
}

/// The text of a record; at detailed levels with its module, as VARBIND_LOG names it.
struct Text<'r>(&'r Record<'r>);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.level() > Level::Info {
            write!(f, "{}: ", self.0.target())?;
        }
        // Peers can put text into the log.
        f.write_str(&escape_controls(&self.0.args().to_string()))
    }
}

/// The priorities of syslog (sd-daemon(3)).
const fn priority(level: Level) -> u8 {
    match level {
        Level::Error => 3,
        Level::Warn => 4,
        Level::Info => 6,
        Level::Debug | Level::Trace => 7,
    }
}

/// Whether standard error is the journal itself, and not a file or a terminal to which it was redirected.
fn is_journal() -> bool {
    let Ok(stream) = std::env::var(JOURNAL_STREAM) else {
        return false;
    };
    std::fs::metadata("/proc/self/fd/2")
        .is_ok_and(|metadata| stream == format!("{}:{}", metadata.dev(), metadata.ino()))
}
