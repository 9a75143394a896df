//! Tasks that only builds with the feature `experiments` can do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod programs;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use varbind_lab::measurement::TransportKind;
use varbind_lab::request::Request;
use varbind_lab::security::Scheme;
use varbind_lab::study::{
    CompressedTask, MessageCompression, SessionTask, Setting, SiteProgram, SubjectName, Task,
    WebQuestion, WebTask, observe,
};
use varbind_lab::subject::SshHandicap;

fn tasks() -> Vec<(Task, SubjectName)> {
    let compressed = CompressedTask {
        setting: Setting::Host,
        compression: MessageCompression::Odc,
        objects: 1,
        exchanges: 1,
    };
    let get = Request::Get {
        names: vec!["1.3.6.1.2.1.1.1.0".parse().unwrap()],
    };
    let mut slow = SessionTask::new(Scheme::V2c, TransportKind::Ssh, get);
    slow.ssh_handicap = SshHandicap::new("nagle=always,packets=each");
    let table = WebTask::new(WebQuestion::SoapTable);
    let column = WebTask::new(WebQuestion::SoapColumn {
        name: "ifDescr".to_owned(),
    });
    [compressed.into(), table.into(), column.into(), slow.into()]
        .map(|task| (task, SubjectName::Varbind))
        .into()
}

/// What became of each of the tasks with this program varbind: why it failed, if it did.
fn troubles(varbind: PathBuf) -> Vec<Option<String>> {
    let program = SiteProgram {
        executable: programs::laboratory().into(),
        site: vec!["study-site".into()],
        holder: vec!["hold-sessions".into()],
        echo: vec!["echo".into()],
        varbind,
    };
    let observations = observe(&program, Setting::Host, &tasks(), 7).unwrap();
    observations.into_iter().map(|one| one.trouble).collect()
}

#[test]
fn tasks_of_experiments_are_done_or_tell_which_build_does_them() {
    for trouble in troubles(programs::varbind()) {
        if cfg!(feature = "experiments") {
            assert_eq!(trouble, None);
        } else {
            let trouble = trouble.unwrap();
            let reason = "this program has no experiments: build it and varbind with the feature";
            assert!(trouble.contains(reason), "{trouble}");
        }
    }
}

#[test]
fn a_varbind_without_experiments_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let varbind = directory.path().join("varbind");
    fs::write(&varbind, "#!/bin/sh\necho varbind 0.1.0\n").unwrap();
    fs::set_permissions(&varbind, fs::Permissions::from_mode(0o755)).unwrap();
    for trouble in troubles(varbind) {
        let trouble = trouble.unwrap();
        let reason = if cfg!(feature = "experiments") {
            "/varbind has no experiments: build it with the feature experiments"
        } else {
            "this program has no experiments"
        };
        assert!(trouble.contains(reason), "{trouble}");
    }
}
