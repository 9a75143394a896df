//! The mounted file systems and their use. A file system that hangs delays nothing but its own figures.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::reader_threads::ReaderThreads;

/// How long a file system may take to tell its use; later it counts as hung until it answers.
const PATIENCE: Duration = Duration::from_millis(100);

/// A line of /proc/mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The number of its path among those of all mounts, from 1 on. Filters leave gaps.
    pub(crate) index: u32,
    pub(crate) device: String,
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) is_read_only: bool,
}

/// The mounts of /proc/mounts, each path once: of several mounts on one path, the last is the one that is seen.
pub(crate) fn parse_mounts(text: &str) -> Vec<Mount> {
    let mut places = HashMap::new();
    let mut mounts: Vec<Mount> = Vec::new();
    for line in text.lines() {
        let mut fields = line.split(' ');
        let (Some(device), Some(path), Some(kind), Some(options)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let place = *places.entry(path).or_insert(mounts.len());
        let mount = Mount {
            index: u32::try_from(place + 1).unwrap_or(u32::MAX),
            device: unescape(device),
            path: unescape(path),
            kind: kind.to_owned(),
            is_read_only: options.split(',').any(|option| option == "ro"),
        };
        match mounts.get_mut(place) {
            Some(covered) => *covered = mount,
            None => mounts.push(mount),
        }
    }
    mounts
}

/// Spaces and some other characters stand as `\040` in /proc/mounts.
fn unescape(text: &str) -> String {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = behind.get(..3).filter(|_| first == b'\\');
        let octet = escaped
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        octets.push(octet.unwrap_or(first));
        rest = behind
            .get(if octet.is_some() { 3 } else { 0 }..)
            .unwrap_or_default();
    }
    String::from_utf8_lossy(&octets).into_owned()
}

/// How much of a file system is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The size of a block in octets.
    pub(crate) block: u64,
    pub(crate) blocks: u64,
    pub(crate) free: u64,
    /// Free for users other than root.
    pub(crate) available: u64,
    pub(crate) files: u64,
    pub(crate) free_files: u64,
}

impl Usage {
    pub(crate) const fn used(&self) -> u64 {
        self.blocks.saturating_sub(self.free)
    }

    fn of(path: &Path) -> Option<Self> {
        let found = rustix::fs::statvfs(path).ok()?;
        Some(Self {
            block: found.f_frsize,
            blocks: found.f_blocks,
            free: found.f_bfree,
            available: found.f_bavail,
            files: found.f_files,
            free_files: found.f_ffree,
        })
    }
}

/// Asks file systems for their use, and remembers which hang.
#[derive(Default)]
pub(crate) struct Usages {
    threads: ReaderThreads,
    /// File systems that a thread still waits for.
    hung: Arc<Mutex<HashSet<PathBuf>>>,
    last: Mutex<HashMap<PathBuf, Usage>>,
}

impl Usages {
    pub(crate) fn new(threads: &ReaderThreads) -> Self {
        Self {
            threads: threads.clone(),
            ..Self::default()
        }
    }

    /// The use of each file system; of one that hangs what was last known.
    pub(crate) fn read(&self, paths: &[PathBuf]) -> Vec<Option<Usage>> {
        self.read_with(paths, Usage::of)
    }

    fn read_with(
        &self,
        paths: &[PathBuf],
        ask: impl Fn(&Path) -> Option<Usage> + Copy + Send + 'static,
    ) -> Vec<Option<Usage>> {
        let mut found: HashMap<PathBuf, Usage> = HashMap::new();
        let mut to_ask: Vec<_> = {
            let hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
            let paths = paths.iter().filter(|path| !hung.contains(*path));
            paths.cloned().collect()
        };
        while !to_ask.is_empty() {
            let Ok(answers) = self.start(&to_ask, ask) else {
                break;
            };
            let mut answered = 0;
            loop {
                match answers.recv_timeout(PATIENCE) {
                    Ok((path, usage)) => {
                        answered += 1;
                        found.extend(usage.map(|usage| (path, usage)));
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        to_ask.clear();
                        break;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if let Some(path) = to_ask.get(answered) {
                            log::warn!("the file system at {} does not answer", path.display());
                        }
                        // The thread goes on waiting; another one asks the rest.
                        to_ask.drain(..(answered + 1).min(to_ask.len()));
                        break;
                    }
                }
            }
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.extend(found);
        last.retain(|path, _| paths.contains(path));
        paths.iter().map(|path| last.get(path).copied()).collect()
    }

    /// Has a thread query these file systems in turn, until no request waits for it.
    fn start(
        &self,
        paths: &[PathBuf],
        ask: impl Fn(&Path) -> Option<Usage> + Send + 'static,
    ) -> std::io::Result<Receiver<(PathBuf, Option<Usage>)>> {
        let (answer, answers) = mpsc::channel();
        let hung = Arc::clone(&self.hung);
        let paths = paths.to_vec();
        self.threads.run(move || {
            let hung = || hung.lock().unwrap_or_else(PoisonError::into_inner);
            for path in paths {
                hung().insert(path.clone());
                let usage = ask(&path);
                hung().remove(&path);
                if answer.send((path, usage)).is_err() {
                    break;
                }
            }
        })?;
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn mounts_are_numbered_by_path_and_the_last_on_a_path_counts() {
        let text = "proc /proc proc rw 0 0\nsystemd-1 /nas autofs rw 0 0\n/dev/sda1 / ext4 rw,relatime 0 0\n\
                    nas:/x /nas nfs4 rw 0 0\nproc /proc proc rw 0 0\nbroken\n\
                    tmpfs /mnt/with\\040space\\303\\266 tmpfs ro,size=4k 0 0\n/dev/x /a\\0 ext4 rw\n";
        let found = parse_mounts(text);
        let names: Vec<_> = found
            .iter()
            .map(|mount| (mount.index, &*mount.path, &*mount.kind))
            .collect();
        assert_eq!(
            names,
            [
                (1, "/proc", "proc"),
                (2, "/nas", "nfs4"),
                (3, "/", "ext4"),
                (4, "/mnt/with spaceö", "tmpfs"),
                (5, "/a\\0", "ext4")
            ]
        );
        assert!(found[3].is_read_only && !found[2].is_read_only);
    }

    fn usage(blocks: u64) -> Usage {
        Usage {
            blocks,
            ..Usage::default()
        }
    }

    #[test]
    fn a_file_system_that_hangs_costs_its_own_figures_alone() {
        use std::sync::atomic::{AtomicBool, Ordering};
        static HANGS: AtomicBool = AtomicBool::new(false);
        let ask = |path: &Path| {
            while path == Path::new("/hangs") && HANGS.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            path.to_str().map(|path| usage(path.len() as u64))
        };
        let usages = Usages::default();
        let paths = ["/a", "/hangs", "/abc"].map(PathBuf::from);
        let expected = [Some(usage(2)), Some(usage(6)), Some(usage(4))];
        assert_eq!(usages.read_with(&paths, ask), expected);
        HANGS.store(true, Ordering::SeqCst);
        // What was known of it stays; the second time it is not asked any more.
        for _ in 0..2 {
            assert_eq!(usages.read_with(&paths, ask), expected);
        }
        assert!(usages.hung.lock().unwrap().contains(Path::new("/hangs")));
        HANGS.store(false, Ordering::SeqCst);
        while !usages.hung.lock().unwrap().is_empty() {
            thread::yield_now();
        }
        assert_eq!(usages.read_with(&paths, ask), expected);
    }

    #[test]
    fn a_file_system_that_is_gone_has_no_usage() {
        let usages = Usages::default();
        let paths = ["/", "/no such directory"].map(PathBuf::from);
        let found = usages.read(&paths);
        assert!(found[0].is_some_and(|usage| usage.blocks >= usage.free));
        assert_eq!(found[1], None);
    }
}
