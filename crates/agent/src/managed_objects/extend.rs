//! NET-SNMP-EXTEND-MIB and extTable of UCD-SNMP-MIB: extensions and their output.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(any(test, fuzzing))]
use varbind_codec::ber::Writer;
use varbind_codec::smi::{Oid, Value};
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};

use super::{Instances, Objects};
use crate::extensions::{Extension, ExtensionKind, Extensions, RunResult, Task as _};

/// Below it NET-SNMP-EXTEND-MIB has its objects; an extension may have them below another name.
const NS_EXTEND_OBJECTS: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2];
const NS_EXTEND_NUM_ENTRIES: u32 = 1;
const NS_EXTEND_CONFIG_TABLE: u32 = 2;
const NS_EXTEND_OUTPUT1_TABLE: u32 = 3;
const NS_EXTEND_OUTPUT2_TABLE: u32 = 4;
/// nsExtendExecType exec(1), nsExtendRunType run-on-read(1), nsExtendStorage permanent(4), nsExtendStatus active(1).
const EXEC: i32 = 1;
const RUN_ON_READ: i32 = 1;
const PERMANENT: i32 = 4;
const ACTIVE: i32 = 1;
/// extTable of UCD-SNMP-MIB.
const EXT_TABLE: &[u32] = &[1, 3, 6, 1, 4, 1, 2021, 8];
/// extErrFix noError(0).
const NO_ERROR: i32 = 0;

/// Registers the tables of extensions, where there are any.
pub(crate) fn extend(objects: &mut Objects, extensions: &Arc<Extensions>) {
    let tasks = extensions.tasks();
    let roots: BTreeSet<_> = tasks.iter().map(|extension| &extension.root).collect();
    for root in roots {
        let arcs = root.as_ref().map_or(NS_EXTEND_OBJECTS, Oid::arcs);
        register(objects, arcs, Served::NsExtend(root.clone()), extensions);
    }
    if tasks.iter().any(|extension| extension.is_exec) {
        register(objects, EXT_TABLE, Served::ExtTable, extensions);
    }
}

fn register(objects: &mut Objects, root: &[u32], served: Served, extensions: &Arc<Extensions>) {
    let extensions = Arc::clone(extensions);
    objects.register(root, |root| {
        Arc::new(ExtendObjects {
            root: root.clone(),
            served,
            extensions,
            known: Mutex::default(),
        })
    });
}

/// What is served below a name.
enum Served {
    /// The objects of NET-SNMP-EXTEND-MIB, of the extensions with this root.
    NsExtend(Option<Oid>),
    /// The extensions that are rows of extTable.
    ExtTable,
}

struct ExtendObjects {
    root: Oid,
    served: Served,
    extensions: Arc<Extensions>,
    /// The instances of the results with this number.
    known: Mutex<(u64, Arc<Instances>)>,
}

impl ExtendObjects {
    fn instances(&self) -> Arc<Instances> {
        let version = self.extensions.version();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != version {
            *known = (version, Arc::new(self.read()));
        }
        Arc::clone(&known.1)
    }

    fn read(&self) -> Instances {
        let mut instances = Instances::default();
        let results = self.extensions.results();
        match &self.served {
            Served::NsExtend(root) => {
                let mut count = 0;
                for (extension, result) in results.filter(|(one, _)| one.root == *root) {
                    count += 1;
                    self.add(&mut instances, extension, result.as_deref());
                }
                instances.scalar(&self.object(NS_EXTEND_NUM_ENTRIES), Value::Integer(count));
            }
            Served::ExtTable => {
                let rows = results.filter(|(extension, _)| extension.is_exec);
                for (number, (extension, result)) in (1..).zip(rows) {
                    let columns = ext_columns(number, extension, result.as_deref());
                    let index = [number.cast_unsigned()];
                    instances.row(&self.object(1), &index, columns);
                }
            }
        }
        instances.sort();
        instances
    }

    fn object(&self, number: u32) -> Vec<u32> {
        [self.root.arcs(), &[number]].concat()
    }

    fn entry(&self, table: u32) -> Vec<u32> {
        [self.root.arcs(), &[table, 1]].concat()
    }

    /// Adds the rows of an extension to the tables of NET-SNMP-EXTEND-MIB.
    fn add(&self, instances: &mut Instances, extension: &Extension, result: Option<&RunResult>) {
        let name = extension.name.as_bytes();
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        let octets = name.iter().copied().map(u32::from);
        let index: Vec<u32> = std::iter::once(length).chain(octets).collect();
        let (command, arguments) = command_line(extension);
        let seconds = extension
            .interval()
            .map_or(0, |interval| interval.as_secs());
        let columns = [
            // nsExtendCommand, nsExtendArgs, nsExtendInput, nsExtendCacheTime
            (2, text(&command)),
            (3, text(&arguments)),
            (4, text("")),
            (
                5,
                Value::Integer(i32::try_from(seconds).unwrap_or(i32::MAX)),
            ),
            // nsExtendExecType, nsExtendRunType, nsExtendStorage, nsExtendStatus
            (6, Value::Integer(EXEC)),
            (7, Value::Integer(RUN_ON_READ)),
            (20, Value::Integer(PERMANENT)),
            (21, Value::Integer(ACTIVE)),
        ];
        instances.row(&self.entry(NS_EXTEND_CONFIG_TABLE), &index, columns);
        // Before the first result there is no output.
        let Some(result) = result else { return };
        let lines: Vec<_> = result.lines().collect();
        let count = i32::try_from(lines.len()).unwrap_or(i32::MAX);
        let columns = [
            // nsExtendOutput1Line, nsExtendOutputFull, nsExtendOutNumLines, nsExtendResult
            (1, octets_of(lines.first().copied().unwrap_or_default())),
            (2, octets_of(&lines.join(&b'\n'))),
            (3, Value::Integer(count)),
            (4, Value::Integer(result.status)),
        ];
        instances.row(&self.entry(NS_EXTEND_OUTPUT1_TABLE), &index, columns);
        let of_lines = self.entry(NS_EXTEND_OUTPUT2_TABLE);
        for (number, line) in (1_u32..).zip(&lines) {
            // nsExtendOutLine
            let index = [&index[..], &[number]].concat();
            instances.row(&of_lines, &index, [(2, octets_of(line))]);
        }
    }
}

/// extIndex, extNames, extCommand, extResult, extOutput, extErrFix and extErrFixCmd.
fn ext_columns(
    number: i32,
    extension: &Extension,
    result: Option<&RunResult>,
) -> Vec<(u32, Value)> {
    let (command, arguments) = command_line(extension);
    let line = format!("{command} {arguments}");
    let mut columns = vec![
        (1, Value::Integer(number)),
        (2, text(&extension.name)),
        (3, text(line.trim_end())),
        (102, Value::Integer(NO_ERROR)),
        (103, text("")),
    ];
    if let Some(result) = result {
        let first = result.lines().next().unwrap_or_default();
        columns.push((100, Value::Integer(result.status)));
        columns.push((101, octets_of(first)));
    }
    columns
}

/// The program of an extension and its arguments.
fn command_line(extension: &Extension) -> (String, String) {
    match &extension.kind {
        ExtensionKind::Program { program, .. } => (
            program.command.first().cloned().unwrap_or_default(),
            program.command.get(1..).unwrap_or_default().join(" "),
        ),
        ExtensionKind::Fixed(_) => <(String, String)>::default(),
    }
}

fn text(text: &str) -> Value {
    octets_of(text.as_bytes())
}

fn octets_of(octets: &[u8]) -> Value {
    Value::OctetString(octets.to_vec())
}

impl ManagedObject for ExtendObjects {
    fn get(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.instances().answer(name, reply)
    }

    fn get_next(
        &self,
        _request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.instances().answer_next(self.root.arcs(), name, reply);
        Ok(())
    }
}

/// What must hold of anything that a program of an extension writes: each line has a row, and each object can be in a response.
#[cfg(any(test, fuzzing))]
#[allow(
    clippy::unwrap_used,
    reason = "it is there to fail, and in no ordinary build"
)]
pub fn extend_output(octets: &[u8]) {
    let extension = Extension {
        name: "any".to_owned(),
        kind: ExtensionKind::Fixed(String::new()),
        root: None,
        is_exec: true,
    };
    let objects = ExtendObjects {
        root: Oid::new(NS_EXTEND_OBJECTS).unwrap(),
        served: Served::NsExtend(None),
        extensions: Arc::new(Extensions::new(vec![extension.clone()], None)),
        known: Mutex::default(),
    };
    let result = RunResult {
        output: octets.to_vec(),
        ..RunResult::default()
    };
    let mut instances = Instances::default();
    objects.add(&mut instances, &extension, Some(&result));
    let columns = ext_columns(1, &extension, Some(&result));
    instances.row(EXT_TABLE, &[1], columns);
    instances.sort();
    let of_lines = objects.entry(NS_EXTEND_OUTPUT2_TABLE);
    let mut rows = 0;
    for (name, value) in instances.iter() {
        let mut buffer = vec![0; 1024 + octets.len()];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        let written = writer.append_var_bind(name, value.as_value_ref());
        assert!(written.is_ok(), "{name:?}: {value:?}");
        rows += usize::from(name.starts_with(&of_lines));
    }
    assert_eq!(rows, result.lines().count());
}
