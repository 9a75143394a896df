//! NET-SNMP-EXTEND-MIB: extensions and their output.

use std::sync::{Arc, Mutex, PoisonError};

use varbind_codec::smi::{Oid, Value};
use varbind_engine::instrumentation::{ManagedObject, ReadError, Reply, RequestContext};

use super::Objects;
use super::host::Instances;
use crate::extensions::{Extension, ExtensionKind, Extensions, RunResult};

/// nsExtendObjects.
const NS_EXTEND_OBJECTS: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2];
const NS_EXTEND_NUM_ENTRIES: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 1];
const NS_EXTEND_CONFIG_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2, 1];
const NS_EXTEND_OUTPUT1_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1];
const NS_EXTEND_OUTPUT2_ENTRY: &[u32] = &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4, 1];
/// nsExtendExecType exec(1), nsExtendRunType run-on-read(1), nsExtendStorage permanent(4), nsExtendStatus active(1).
const EXEC: i32 = 1;
const RUN_ON_READ: i32 = 1;
const PERMANENT: i32 = 4;
const ACTIVE: i32 = 1;

/// Registers the tables of extensions, where there are any.
pub(crate) fn extend(objects: &mut Objects, extensions: &Arc<Extensions>) {
    let extensions = Arc::clone(extensions);
    objects.register(NS_EXTEND_OBJECTS, |root| {
        Arc::new(ExtendObjects {
            root: root.clone(),
            extensions,
            known: Mutex::default(),
        })
    });
}

struct ExtendObjects {
    root: Oid,
    extensions: Arc<Extensions>,
    /// The instances of the results with this number.
    known: Mutex<(u64, Arc<Instances>)>,
}

impl ExtendObjects {
    fn instances(&self) -> Arc<Instances> {
        let version = self.extensions.version();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != version {
            *known = (version, Arc::new(instances(&self.extensions)));
        }
        Arc::clone(&known.1)
    }
}

fn instances(extensions: &Extensions) -> Instances {
    let mut instances = Instances::default();
    let mut count = 0;
    for (extension, result) in extensions.results() {
        count += 1;
        add(&mut instances, extension, result.as_deref());
    }
    instances.scalar(NS_EXTEND_NUM_ENTRIES, Value::Integer(count));
    instances.sort();
    instances
}

fn add(instances: &mut Instances, extension: &Extension, result: Option<&RunResult>) {
    let name = extension.name.as_bytes();
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let octets = name.iter().copied().map(u32::from);
    let index: Vec<u32> = std::iter::once(length).chain(octets).collect();
    let (command, arguments, seconds) = match &extension.kind {
        ExtensionKind::Program { program, interval } => {
            let command = program.command.first().cloned().unwrap_or_default();
            let arguments = program.command.get(1..).unwrap_or_default().join(" ");
            (command, arguments, interval.as_secs())
        }
        ExtensionKind::Fixed(_) => (String::new(), String::new(), 0),
    };
    let text = |text: &str| Value::OctetString(text.as_bytes().to_vec());
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
    instances.row(NS_EXTEND_CONFIG_ENTRY, &index, columns);
    // Before the first result there is no output.
    let Some(result) = result else { return };
    let lines: Vec<_> = result.lines().collect();
    let line = |line: &[u8]| Value::OctetString(line.to_vec());
    let count = i32::try_from(lines.len()).unwrap_or(i32::MAX);
    let columns = [
        // nsExtendOutput1Line, nsExtendOutputFull, nsExtendOutNumLines, nsExtendResult
        (1, line(lines.first().copied().unwrap_or_default())),
        (2, line(&lines.join(&b'\n'))),
        (3, Value::Integer(count)),
        (4, Value::Integer(result.status)),
    ];
    instances.row(NS_EXTEND_OUTPUT1_ENTRY, &index, columns);
    for (number, of_line) in (1_u32..).zip(&lines) {
        // nsExtendOutLine
        let index = [&index[..], &[number]].concat();
        instances.row(NS_EXTEND_OUTPUT2_ENTRY, &index, [(2, line(of_line))]);
    }
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
