//! A part of the processor for an agent, as on a slower machine: by a control group.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A control group that gives its processes a part of one core. It is removed when this goes away, after its processes.
#[derive(Debug)]
pub struct CpuShare(PathBuf);

/// Why an agent cannot be slowed down.
#[derive(Debug, thiserror::Error)]
#[error(
    "no control group with a share of the processor can be made ({0}): run as root, or within `systemd-run --user --scope` on a \
     system with cgroup v2 whose user slice has the controller cpu"
)]
pub struct NoCpuShare(String);

/// The shortest time for which the kernel gives a share (CONFIG_CFS_BANDWIDTH), in microseconds: the agent runs for it, then it
/// waits.
const QUOTA: u32 = 1000;

/// Where control groups of both versions are.
const ROOT: &str = "/sys/fs/cgroup";
/// The names of these groups tell who made them.
const PREFIX: &str = "varbind-lab-";

impl CpuShare {
    /// A group whose processes get so many hundredths of a core.
    ///
    /// # Errors
    /// If there are no control groups, or they may not be made.
    pub fn new(percent: u32) -> Result<Self, NoCpuShare> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let period = QUOTA * 100 / percent.clamp(1, 100);
        let memberships = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut reason = "this system has no control groups with the controller cpu".to_owned();
        for place in places(&memberships) {
            match place.make(&name, period) {
                Ok(group) => return Ok(group),
                Err(error) => reason = format!("{}: {error}", place.parent.display()),
            }
        }
        Err(NoCpuShare(reason))
    }

    /// Takes a process in, with what it will start.
    ///
    /// # Errors
    /// If the process has ended, or may not be moved.
    pub fn take_in(&self, pid: u32) -> io::Result<()> {
        fs::write(self.0.join("cgroup.procs"), pid.to_string())
    }
}

impl Drop for CpuShare {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// A place where a group may be made.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    parent: PathBuf,
    /// Version 2 has one hierarchy for all controllers.
    is_unified: bool,
}

impl Place {
    fn make(&self, name: &str, period: u32) -> io::Result<CpuShare> {
        if self.is_unified {
            // It may be there already; if it is not to be had, the file below is missing.
            let _ = fs::write(self.parent.join("cgroup.subtree_control"), "+cpu");
        }
        let directory = self.parent.join(name);
        fs::create_dir(&directory)?;
        let group = CpuShare(directory);
        let set = |file: &str, value: String| {
            let path = group.0.join(file);
            // A file that a group lacks cannot be made.
            fs::OpenOptions::new().write(true).open(&path)?;
            fs::write(path, value)
        };
        if self.is_unified {
            set("cpu.max", format!("{QUOTA} {period}"))?;
        } else {
            set("cpu.cfs_period_us", period.to_string())?;
            set("cpu.cfs_quota_us", QUOTA.to_string())?;
        }
        Ok(group)
    }
}

/// Beside what this process belongs to, and above: in version 2, only a group without processes of its own gives shares to others.
fn places(memberships: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for line in memberships.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else {
            continue;
        };
        let group = group.trim_start_matches('/');
        if controllers.is_empty() {
            let own = Path::new(ROOT).join(group);
            let above = own.ancestors().take_while(|one| one.starts_with(ROOT));
            places.extend(above.map(|parent| Place {
                parent: parent.to_owned(),
                is_unified: true,
            }));
        } else if controllers.split(',').any(|one| one == "cpu") {
            places.push(Place {
                parent: Path::new(ROOT).join("cpu").join(group),
                is_unified: false,
            });
        }
    }
    places
}

/// Removes the groups of a process that was killed.
pub(crate) fn remove_shares_of(process: u32) {
    let prefix = format!("{PREFIX}{process}-");
    let memberships = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for place in places(&memberships) {
        let entries = fs::read_dir(place.parent).into_iter().flatten().flatten();
        for entry in entries {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                remove(&entry.path());
            }
        }
    }
}

/// A process that was killed stays in its group for a moment.
fn remove(group: &Path) {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        match fs::remove_dir(group) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(()) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Instant;

    use super::*;
    use crate::process::cpu_time;

    #[test]
    fn groups_are_made_where_this_process_is_and_above() {
        let parents = |text| -> Vec<(String, bool)> {
            let places = places(text).into_iter();
            let told = places.map(|one| (one.parent.display().to_string(), one.is_unified));
            told.collect()
        };
        let of = |path: &str, is_unified| (format!("/sys/fs/cgroup{path}"), is_unified);
        assert_eq!(
            parents("0::/user.slice/a.scope\n"),
            [
                of("/user.slice/a.scope", true),
                of("/user.slice", true),
                of("", true)
            ]
        );
        assert_eq!(
            parents("9:name=systemd:/\n3:cpu,cpuacct:/x\n"),
            [of("/cpu/x", false)]
        );
        assert!(parents("").is_empty());
    }

    #[test]
    fn a_process_gets_its_share_and_no_more() {
        let share = match CpuShare::new(20) {
            Ok(share) => share,
            Err(error) => {
                varbind_testkit::peers::skip(&error.to_string());
                return;
            }
        };
        let mut child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        share.take_in(child.id()).unwrap();
        let before = cpu_time(child.id()).unwrap();
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(500));
        let used = cpu_time(child.id()).unwrap().since(&before).total;
        let part = used / (begun.elapsed().as_secs_f64() * 1e6);
        child.kill().unwrap();
        child.wait().unwrap();
        // A busy machine may give less.
        assert!(part < 0.3, "{part}");
        let directory = share.0.clone();
        drop(share);
        assert!(!directory.exists());
    }
}
