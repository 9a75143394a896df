use std::fs;

use super::*;
use crate::fleet::Discovered;

fn plan(targets: &str, access: &str) -> Plan {
    let directory = tempfile::tempdir().unwrap();
    let modules = "auths: {public_v2: {}}\nmodules: {if_mib: {}, system: {}}";
    fs::write(directory.path().join("snmp.yml"), modules).unwrap();
    let path = directory.path().join("fleet.toml");
    let text = format!("snmp-yml = ['snmp.yml']\n[prometheus]\nlisten = [':0']\n{targets}");
    fs::write(&path, text).unwrap();
    let mut plan = Plan::read(&path, &mut Discovered::default()).unwrap();
    for device in &mut plan.devices {
        device.access = Err(access.to_owned());
    }
    plan
}

fn group(hosts: &str, modules: &str, labels: &str) -> String {
    format!(
        "[[targets]]\nhosts = [{hosts}]\nauth = 'public_v2'\nmodules = [{modules}]\nlabels = {{{labels}}}\n"
    )
}

#[tokio::test]
async fn a_reload_keeps_the_state_of_targets_that_stay() {
    let first = group(
        "'192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'",
        "'system'",
        "",
    );
    let outputs = Arc::new(Mutex::new(Outputs::none()));
    let (mut collector, _control) = Collector::new(plan(&first, "former"), outputs, true);
    for status in collector.board.lock().targets.values_mut() {
        status.restarts = 3;
    }
    let stays = collector.names["192.0.2.1"];
    let silent = collector.names["192.0.2.4"];
    let task = collector.devices[&stays].jobs[0].task;
    let now = collector.clock.now() + Duration::from_secs(120);
    for start in collector.scheduler.poll(now) {
        let ending = match start.target == silent {
            true => Ending::Silent,
            false => Ending::Responded,
        };
        collector.scheduler.finished(now, start.task, ending);
    }
    assert_eq!(collector.scheduler.back_off(silent).0, 1);

    let second = group("'192.0.2.1', '192.0.2.4'", "'system', 'if_mib'", "")
        + &group("'192.0.2.3'", "'system'", "site = 'north'")
        + &group("'192.0.2.5'", "'system'", "");
    collector.replace(plan(&second, "renewed"), true);

    let restarts = |name: &str| {
        let board = collector.board.lock();
        board.targets.get(name).map(|status| status.restarts)
    };
    assert_eq!(restarts("192.0.2.1"), Some(3));
    assert_eq!(restarts("192.0.2.2"), None);
    // Its labels changed, and its series with them.
    assert_eq!(restarts("192.0.2.3"), Some(0));
    assert_eq!(restarts("192.0.2.5"), Some(0));
    assert_eq!(collector.names["192.0.2.1"], stays);
    let device = &collector.devices[&stays];
    assert_eq!(device.jobs.len(), 2);
    assert_eq!(device.jobs[0].task, task);
    assert_eq!(device.planned.access.as_ref().unwrap_err(), "renewed");
    let silent = collector.names["192.0.2.4"];
    assert_eq!(collector.scheduler.back_off(silent).0, 0);
}
