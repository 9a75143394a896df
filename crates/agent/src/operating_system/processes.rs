//! /proc/PID: what runs.

use std::path::Path;

use super::host_files::HostRoot;

/// The longest name and arguments that are read of a process.
const LONGEST_TEXT: usize = 128;
/// More processes than these are left out.
const MOST: usize = 20_000;

/// A process, or a thread of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// The path of the program, or the first argument; empty for threads of the kernel.
    pub(crate) path: String,
    /// The arguments behind the first one.
    pub(crate) arguments: String,
    /// The letter of its state in /proc/PID/stat.
    pub(crate) state: char,
    /// Processor time in user and system, in ticks of 1/100 s.
    pub(crate) processor_time: u64,
    /// Resident memory in pages.
    pub(crate) pages: u64,
}

impl Process {
    /// Of /proc/PID/stat. The name is in parentheses and may have any character, so that its end is the last one.
    pub(super) fn parse(id: u32, stat: &str) -> Option<Self> {
        let (_, rest) = stat.split_once('(')?;
        let (name, rest) = rest.rsplit_once(')')?;
        let fields: Vec<_> = rest.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            id,
            name: name.to_owned(),
            state: fields.first()?.chars().next()?,
            // utime and stime are fields 14 and 15 of proc(5), rss is 24; the state is 3.
            processor_time: number(11)?.saturating_add(number(12)?),
            pages: number(21)?,
            ..Self::default()
        })
    }

    /// Adds what /proc/PID/cmdline says: arguments, each ended by a zero.
    fn with_command_line(mut self, octets: &[u8]) -> Self {
        let text = String::from_utf8_lossy(octets);
        let mut arguments = text.split_terminator('\0');
        if let Some(first) = arguments.next() {
            first.clone_into(&mut self.path);
            self.arguments = arguments.collect::<Vec<_>>().join(" ");
        }
        self
    }

    /// Whether it is a thread of the kernel, which has no arguments.
    pub(crate) fn is_of_kernel(&self) -> bool {
        self.path.is_empty()
    }
}

/// At most so many octets of a text, to the end of a character.
pub(crate) fn shortened(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The numbers of the processes.
pub(crate) fn process_ids(root: &HostRoot) -> Vec<u32> {
    let names = root.names("proc");
    let mut ids: Vec<_> = names.iter().filter_map(|name| name.parse().ok()).collect();
    ids.sort_unstable();
    ids.truncate(MOST);
    ids
}

/// The processes; those that end meanwhile are left out.
pub(crate) fn processes(root: &HostRoot) -> Vec<Process> {
    let read = |id: u32| {
        let directory = Path::new("proc").join(id.to_string());
        let process = Process::parse(id, &root.text(directory.join("stat"))?)?;
        let command_line = root.octets(directory.join("cmdline")).unwrap_or_default();
        Some(process.with_command_line(&command_line))
    };
    process_ids(root).into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_parentheses_and_spaces_are_read() {
        let stat = "42 (a) S (b c) R 1 2 3 4 5 6 7 8 9 10 300 45 0 0 20 0 1 0 100 5000 77 18446744073709551615";
        let process = Process::parse(42, stat).unwrap();
        assert_eq!((&*process.name, process.state), ("a) S (b c", 'R'));
        assert_eq!((process.processor_time, process.pages), (345, 77));
        assert!(process.is_of_kernel());
        let process = process.with_command_line(b"/bin/x\0-a\0b c\0");
        assert_eq!((&*process.path, &*process.arguments), ("/bin/x", "-a b c"));
    }

    #[test]
    fn odd_files_are_no_processes() {
        for stat in [
            "",
            "1",
            "1 (",
            "1 )(",
            "1 (a)",
            "1 (a) R 1 2",
            "1 (a) R x x x x x x x x x x x x x",
        ] {
            assert_eq!(Process::parse(1, stat), None, "{stat}");
        }
        assert_eq!(shortened(&"ö".repeat(100)).len(), 128);
        assert_eq!(shortened(&format!("a{}", "ö".repeat(100))).len(), 127);
    }

    #[test]
    fn this_process_is_among_them() {
        let root = HostRoot::new("/".into());
        let own = std::process::id();
        let found = processes(&root);
        assert!(found.is_sorted_by_key(|process| process.id));
        let process = found.iter().find(|process| process.id == own).unwrap();
        assert!(process.pages > 0 && !process.is_of_kernel());
    }
}
