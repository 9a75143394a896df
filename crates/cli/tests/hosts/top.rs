//! The live view, in a pseudo-terminal of 80 columns and 24 lines.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use varbind_testkit::peers;

use super::{Fleet, HOSTS};

/// The longest that something is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The view, running.
struct Terminal {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    shown: Vec<u8>,
}

impl Terminal {
    /// `None`, and a visible skip, where the program that makes the terminal is missing.
    fn start(fleet: &Fleet, words: &str) -> Option<Self> {
        if !peers::is_installed("script") {
            return None;
        }
        let program = env!("CARGO_BIN_EXE_varbind");
        let inner = format!("stty rows 24 cols 80; exec {program} top {words}");
        let mut child = Command::new("script")
            .args(["-qefc", &inner, "/dev/null"])
            .env("VARBIND_HOSTS", fleet.directory.path().join("hosts.toml"))
            .env("TERM", "xterm")
            .env("MIBDIRS", "")
            .env_remove("VARBIND_COMMUNITY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (parts, output) = mpsc::channel();
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut part) {
                let _ = parts.send(part[..count].to_vec());
            }
        });
        Some(Self {
            input: child.stdin.take(),
            output,
            child,
            shown: Vec::new(),
        })
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.shown).into_owned()
    }

    /// Reads until the screen shows all these texts.
    fn wait_for(&mut self, texts: &[&str]) {
        let begun = Instant::now();
        while !texts.iter().all(|text| screen(&self.shown).contains(text)) {
            let part = self.output.recv_timeout(PATIENCE);
            assert!(
                begun.elapsed() < PATIENCE,
                "{texts:?}: {}",
                screen(&self.shown)
            );
            self.shown.extend(part.expect("the view goes on"));
        }
    }

    fn press(&mut self, keys: &[u8]) {
        self.input.as_mut().unwrap().write_all(keys).unwrap();
    }

    /// Reads to the end; returns the exit code and what was written.
    fn end(mut self) -> (Option<i32>, String) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(part) => self.shown.extend(part),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("{}", screen(&self.shown)),
            }
        }
        (self.child.wait().unwrap().code(), self.text())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a terminal of 80 columns shows: the cursor is placed and the screen cleared, other controls change nothing.
fn screen(written: &[u8]) -> String {
    let text = String::from_utf8_lossy(written);
    let mut cells = vec![vec![' '; 80]; 24];
    let (mut row, mut column) = (0, 0);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => {
                let mut parameters = String::new();
                let mut rest = characters
                    .by_ref()
                    .skip_while(|character| *character == '[');
                let end = rest.find(|character| {
                    let is_end = character.is_ascii_alphabetic();
                    parameters.extend((!is_end).then_some(*character));
                    is_end
                });
                let mut numbers = parameters
                    .split(';')
                    .map(|number| number.parse().unwrap_or(1));
                match end {
                    Some('H') => {
                        let mut next = || numbers.next().map_or(0, |number: usize| number - 1);
                        (row, column) = (next(), next());
                    }
                    Some('J') => cells.iter_mut().for_each(|line| line.fill(' ')),
                    _ => {}
                }
            }
            _ if character.is_control() => {}
            _ => {
                let line = cells.get_mut(row);
                if let Some(cell) = line.and_then(|line| line.get_mut(column)) {
                    *cell = character;
                }
                column += 1;
            }
        }
    }
    let lines = cells.into_iter().map(String::from_iter);
    lines.collect::<Vec<_>>().join("\n")
}

/// Leaves the alternate screen.
const RESTORED: &str = "\u{1b}[?1049l";

#[test]
fn top_shows_rates_in_a_terminal_and_records_them() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let record = fleet.directory.path().join("seen.csv");
    let words = format!("-i 0.2 --record {} @old,d1", record.display());
    let Some(mut terminal) = Terminal::start(&fleet, &words) else {
        return;
    };
    terminal.wait_for(&["eth2", "1 do not answer", "d1", "no answer"]);
    terminal.press(b"q");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(RESTORED), "{shown}");
    let seen = fs::read_to_string(record).unwrap();
    let mut lines = seen.lines();
    let heading = lines.next().unwrap();
    assert!(
        heading.starts_with("time,host,interface,in_octets,"),
        "{seen}"
    );
    assert!(lines.any(|line| line.contains(",s1,eth2,")), "{seen}");
    assert_eq!(fleet.run("top @old").2, 1);
}

#[test]
fn keys_of_top_sort_filter_choose_and_end() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let Some(mut terminal) = Terminal::start(&fleet, "-i 0.1 @old,r1") else {
        return;
    };
    terminal.wait_for(&["r1 eth1: b/s, both directions", "sorted by host"]);
    terminal.press(b"\x1b[B");
    terminal.wait_for(&["r1 eth2: b/s, both directions"]);
    terminal.press(b"/ETH2\r");
    terminal.wait_for(&["filter: ETH2"]);
    assert!(
        !screen(&terminal.shown).contains("eth1"),
        "{}",
        screen(&terminal.shown)
    );
    terminal.press(b"s");
    terminal.wait_for(&["sorted by in"]);
    // In raw mode this is a key.
    terminal.press(b"\x03");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(RESTORED), "{shown}");
}

#[test]
fn a_signal_ends_top_and_the_terminal_is_as_before() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let pid = fleet.directory.path().join("pid");
    let record = fleet.directory.path().join("seen.jsonl");
    // In the background, the shell gives it no keyboard.
    let words = format!(
        "-i 0.1 --record {} @old < /dev/tty & echo $! > {}; wait $!",
        record.display(),
        pid.display()
    );
    let Some(mut terminal) = Terminal::start(&fleet, &words) else {
        return;
    };
    terminal.wait_for(&["eth2"]);
    let process = fs::read_to_string(&pid).unwrap();
    let killed = Command::new("kill")
        .args(["-TERM", process.trim()])
        .status()
        .unwrap();
    assert!(killed.success());
    let (_, shown) = terminal.end();
    assert!(shown.contains(RESTORED), "{shown}");
    let seen = fs::read_to_string(record).unwrap();
    assert!(
        seen.ends_with("}\n") && seen.contains("\"host\":\"s1\""),
        "{seen}"
    );
}

#[test]
fn a_full_disk_ends_top_with_an_error() {
    let fleet = Fleet::start();
    fleet.inventory(HOSTS);
    let Some(mut terminal) = Terminal::start(&fleet, "-i 0.2 --record /dev/full @old") else {
        return;
    };
    terminal.wait_for(&["eth2"]);
    terminal.press(b"q");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(
        shown.contains(RESTORED) && shown.contains("No space left"),
        "{shown}"
    );
}
