//! The recordings of a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use varbind_mib::Mib;

use super::multiplex::{Played, series};
use super::{ReadingReport, Recording, RecordingFormat, read_recording, recording_name};

/// How deep folders in folders are searched.
const DEPTH: usize = 8;

/// A file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    length: u64,
    changed: Option<SystemTime>,
}

/// A recording and the file that it is from.
#[derive(Clone, Debug)]
struct Volume {
    /// The recording as it was read.
    read: Arc<Recording>,
    /// The recording as it is played, with what it has from others.
    recording: Arc<Recording>,
    /// Whether others have subtrees from it.
    is_moment: bool,
    report: ReadingReport,
    path: PathBuf,
    version: Version,
}

/// The recordings of a folder, by their names: the path below the folder, without the extension.
#[derive(Clone, Debug, Default)]
pub struct Library {
    volumes: BTreeMap<String, Volume>,
    /// Files that cannot be opened, and other problems of the folder.
    problems: Vec<String>,
}

/// A file to be read.
struct Found {
    name: String,
    path: PathBuf,
    format: RecordingFormat,
    version: Version,
}

impl Library {
    /// Reads all recordings below a folder, or one file. Those that `former` has and that have not changed are not read again.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn read(folder: &Path, mib: &Mib, former: &Self) -> io::Result<Self> {
        let mut library = Self::default();
        let mut found = Vec::new();
        if folder.is_dir() {
            library.search(folder, "", DEPTH, &mut found)?;
        } else {
            let metadata = fs::metadata(folder)?;
            let known = recording_name(folder);
            let (name, format) = known.ok_or_else(|| {
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "no recording: expected .snmprec, .snmpwalk, .sapwalk or .jsonl, or one of them packed as .bz2",
                )
            })?;
            let path = folder.to_owned();
            found.push(Found {
                name,
                path,
                format,
                version: version(&metadata),
            });
        }
        library.take(found, mib, former);
        library.combine(folder);
        Ok(library)
    }

    fn search(
        &mut self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        found: &mut Vec<Found>,
    ) -> io::Result<()> {
        let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let metadata = match fs::metadata(&path) {
                Ok(metadata) if !is_hidden => metadata,
                Ok(_) => continue,
                Err(error) => {
                    self.problems.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            if metadata.is_dir() {
                let name = entry.file_name();
                let prefix = format!("{prefix}{}/", name.to_string_lossy());
                if let Some(depth) = depth.checked_sub(1)
                    && let Err(error) = self.search(&path, &prefix, depth, found)
                {
                    self.problems.push(format!("{}: {error}", path.display()));
                }
            } else if let Some((name, format)) = recording_name(&path) {
                found.push(Found {
                    name: format!("{prefix}{name}"),
                    path,
                    format,
                    version: version(&metadata),
                });
            }
        }
        Ok(())
    }

    /// Reads files, several at a time and the largest first.
    fn take(&mut self, found: Vec<Found>, mib: &Mib, former: &Self) {
        let mut wanted = Vec::new();
        for file in found {
            match former.volumes.get(&file.name) {
                Some(volume) if volume.version == file.version && volume.path == file.path => {
                    let volume = Volume {
                        recording: Arc::clone(&volume.read),
                        is_moment: false,
                        ..volume.clone()
                    };
                    self.volumes.insert(file.name, volume);
                }
                _ => wanted.push(file),
            }
        }
        wanted.sort_by_key(|file| std::cmp::Reverse(file.version.length));
        let next = AtomicUsize::new(0);
        let read_some = || {
            let mut read = Vec::new();
            while let Some(file) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                read.push((file, read_recording(&file.path, file.format, mib)));
            }
            read
        };
        let threads = thread::available_parallelism().map_or(1, Into::into);
        let read: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.min(wanted.len()))
                .map(|_| scope.spawn(read_some))
                .collect();
            let ended = threads.into_iter().filter_map(|thread| thread.join().ok());
            ended.flatten().collect()
        });
        for (file, result) in read {
            match result {
                Ok((recording, report)) => self.keep(file, recording, report),
                Err(error) => self
                    .problems
                    .push(format!("{}: {error}", file.path.display())),
            }
        }
    }

    fn keep(&mut self, file: &Found, recording: Recording, report: ReadingReport) {
        let recording = Arc::new(recording);
        let volume = Volume {
            read: Arc::clone(&recording),
            recording,
            is_moment: false,
            report,
            path: file.path.clone(),
            version: file.version.clone(),
        };
        if let Some(other) = self.volumes.insert(file.name.clone(), volume) {
            self.problems.push(format!(
                "{}: another file has the name {}, this one counts: {}",
                other.path.display(),
                file.name,
                file.path.display()
            ));
        }
    }

    /// Gives recordings the subtrees that they have from others.
    fn combine(&mut self, folder: &Path) {
        let mut combined = Vec::new();
        for (name, volume) in &self.volumes {
            if volume.read.subtrees().is_empty() {
                continue;
            }
            match self.series(folder, &volume.read) {
                Ok((recording, moments)) => combined.push((name.clone(), recording, moments)),
                Err(problem) => {
                    let path = volume.path.display();
                    self.problems.push(format!("{path}: multiplex: {problem}"));
                }
            }
        }
        for (name, recording, moments) in combined {
            for moment in &moments {
                if let Some(volume) = self.volumes.get_mut(moment) {
                    volume.is_moment = true;
                }
            }
            if let Some(volume) = self.volumes.get_mut(&name) {
                volume.report.objects = recording.len() as u64;
                volume.report.moments = recording.moments().count() as u64;
                volume.recording = Arc::new(recording);
            }
        }
    }

    /// A recording with its subtrees, and the names of the recordings that these are from.
    fn series(&self, folder: &Path, base: &Recording) -> Result<(Recording, Vec<String>), String> {
        let mut parts: Vec<Played<'_>> = Vec::new();
        let mut names = Vec::new();
        for subtree in base.subtrees() {
            if parts
                .first()
                .is_some_and(|first| first.subtree.schedule != subtree.schedule)
            {
                return Err(
                    "all subtrees of a recording need the same period, wrap and control".to_owned(),
                );
            }
            let found = self.numbered(&folder.join(&subtree.folder));
            if found.is_empty() {
                return Err(format!(
                    "{} has no recordings with numbers as names: put 00000.snmprec, 00001.snmprec and so on there",
                    folder.join(&subtree.folder).display()
                ));
            }
            names.extend(found.iter().map(|(name, _)| (*name).to_owned()));
            let recordings = found.into_iter().map(|(_, volume)| &*volume.read);
            parts.push(Played {
                subtree,
                recordings: recordings.collect(),
            });
        }
        let played = series(base, &parts).ok_or("there is no subtree")?;
        Ok((played, names))
    }

    /// The recordings of a folder whose names are numbers, in their order.
    fn numbered(&self, folder: &Path) -> Vec<(&str, &Volume)> {
        let inside = self.volumes.iter().filter_map(|(name, volume)| {
            let last = name.rsplit('/').next()?;
            let number: u64 = last.parse().ok()?;
            (volume.path.parent() == Some(folder)).then_some((number, name.as_str(), volume))
        });
        let mut found: Vec<_> = inside.collect();
        found.sort_by_key(|(number, name, _)| (*number, *name));
        found
            .into_iter()
            .map(|(_, name, volume)| (name, volume))
            .collect()
    }

    /// The number of recordings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.volumes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.volumes.is_empty()
    }

    /// The recording of that name.
    #[must_use]
    pub fn recording(&self, name: &str) -> Option<&Arc<Recording>> {
        self.volumes.get(name).map(|volume| &volume.recording)
    }

    /// The names of the recordings that a pattern matches, in order. `*` stands for any characters; alone it leaves out those
    /// that others have their subtrees from.
    pub fn matching<'l>(
        &'l self,
        pattern: &str,
    ) -> impl Iterator<Item = (&'l str, &'l Arc<Recording>)> {
        self.volumes
            .iter()
            .filter(move |(name, volume)| {
                matches(pattern, name) && !(volume.is_moment && pattern == "*")
            })
            .map(|(name, volume)| (name.as_str(), &volume.recording))
    }

    /// The report of each recording, with its name and file.
    pub fn reports(&self) -> impl Iterator<Item = (&str, &Path, &ReadingReport)> {
        self.volumes
            .iter()
            .map(|(name, volume)| (name.as_str(), volume.path.as_path(), &volume.report))
    }

    /// The problems of files that were not read.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

fn version(metadata: &fs::Metadata) -> Version {
    Version {
        length: metadata.len(),
        changed: metadata.modified().ok(),
    }
}

/// Whether a name matches a pattern; the extension of a recording may stand at the end of the pattern.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern = recording_name(Path::new(pattern)).map_or(pattern.to_owned(), |(stem, _)| {
        let folder = pattern
            .rsplit_once('/')
            .map(|(folder, _)| format!("{folder}/"));
        folder.unwrap_or_default() + &stem
    });
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, is_match) in [
            ("*", "a/b", true),
            ("switch*", "switch-3560", true),
            ("switch*", "my-switch", false),
            ("*switch", "my-switch", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("ab*ba", "aba", false),
            ("router", "router", true),
            ("router", "router2", false),
            ("router.snmprec", "router", true),
            ("dc1/router.snmprec.bz2", "dc1/router", true),
            ("dc1/*.snmprec", "dc1/router", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }

    #[test]
    fn a_folder_is_read_once_and_only_what_changed_again() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("dc1");
        fs::create_dir(&inside).unwrap();
        fs::write(folder.path().join("a.snmprec"), "1.3.1|2|1\n").unwrap();
        fs::write(inside.join("b.snmpwalk"), ".1.3.6.1 = INTEGER: 2\n").unwrap();
        fs::write(folder.path().join("notes.txt"), "no recording").unwrap();
        fs::write(folder.path().join(".hidden.snmprec"), "1.3.1|2|1\n").unwrap();
        let mib = Mib::builtin();
        let library = Library::read(folder.path(), &mib, &Library::default()).unwrap();
        let names: Vec<_> = library.matching("*").map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "dc1/b"]);
        assert!(library.problems().is_empty());
        fs::write(folder.path().join("a.snmprec"), "1.3.1|2|1\n1.3.2|2|2\n").unwrap();
        let again = Library::read(folder.path(), &mib, &library).unwrap();
        assert_eq!(
            again.recording("a").map(|recording| recording.len()),
            Some(2)
        );
        let former = library.recording("dc1/b").unwrap();
        assert!(Arc::ptr_eq(former, again.recording("dc1/b").unwrap()));
    }
}
