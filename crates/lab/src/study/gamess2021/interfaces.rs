use super::super::names::{IF_TABLE, IF_TABLE_COLUMNS, walk};
use super::super::{
    Cell, Experiment, Measure, NetworkName, Scope, SessionTask, Setting, WebQuestion, WebTask,
};
use super::{DTLS, RESTCONF, USM, V1, models};
use crate::subject::Storage;

/// Numbers of interfaces.
fn numbers(scope: Scope) -> &'static [u32] {
    match scope {
        Scope::Quick => &[FEW, 8, MANY, 500],
        Scope::Full => &[FEW, 4, 8, 16, 32, MANY, 250, 2000],
    }
}

/// Those of the paper at either end.
pub(super) const FEW: u32 = 2;
pub(super) const MANY: u32 = 64;
/// Between them.
const SOME: u32 = 16;

/// ifTable by RESTCONF.
fn table_by_restconf() -> WebTask {
    WebTask::new(WebQuestion::Restconf {
        path: "IF-MIB:IF-MIB/ifTable".to_owned(),
        fields: Some(format!("ifEntry({})", IF_TABLE_COLUMNS.join(";"))),
        is_json: true,
    })
}

/// What a walk takes without a network between, and with the paper's: the rest is transmission.
pub(super) fn transmission(scope: Scope) -> Experiment {
    let numbers: &[u32] = match scope {
        Scope::Quick => &[FEW, SOME],
        Scope::Full => &[FEW, SOME, MANY],
    };
    let walk = walk(IF_TABLE);
    let compared = models(&walk).filter(|(model, _)| [V1, USM, DTLS].contains(model));
    let compared: Vec<(&str, SessionTask)> = compared.collect();
    let mut cells = Vec::new();
    for &interfaces in numbers {
        let here = Setting::Interfaces(interfaces);
        let at = format!("{interfaces} interfaces");
        let places = [
            (at.clone(), here),
            (at + ", Wi-Fi", here.across(NetworkName::Wifi)),
        ];
        for (model, task) in &compared {
            cells.extend(places.iter().map(|(at, setting)| {
                let task = task.clone().in_setting(*setting);
                let cell = Cell::new(model, at.as_str(), task, Measure::SessionTime);
                cell.repeated(scope.choose(6, 10))
            }));
        }
    }
    Experiment::new("transmission", cells)
}

/// Experiment F: walks by interfaces.
pub(super) fn walks(scope: Scope) -> Experiment {
    let mut cells = Vec::new();
    for &interfaces in numbers(scope) {
        let repetitions = match interfaces {
            0..=MANY => scope.choose(6, 30),
            65..=250 => scope.choose(1, 10),
            _ => scope.choose(1, 3),
        };
        for (model, task) in models(&walk(IF_TABLE)) {
            let task = SessionTask {
                storage: if interfaces > MANY {
                    Storage::Memory
                } else {
                    Storage::Disk
                },
                ..task.in_setting(Setting::Interfaces(interfaces))
            };
            let cell = Cell::new(model, interfaces, task, Measure::SessionTime);
            cells.push(cell.repeated(repetitions));
        }
        let task = table_by_restconf().in_setting(Setting::Interfaces(interfaces));
        let cell = Cell::new(RESTCONF, interfaces, task, Measure::SessionTime);
        cells.push(cell.repeated(repetitions));
    }
    Experiment::new("interfaces", cells)
}
