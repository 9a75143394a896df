//! Walks of recorded devices: a folder of `.snmprec` files, named by `VARBIND_RECORDINGS`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use varbind_codec::pdu::{ErrorStatus, PduType};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{RetryPolicy, Walk, WalkError, WalkOptions};
use varbind_engine::clock::Instant;
use varbind_testkit::oid;
use varbind_testkit::simulator::{
    Link, Request, SimulatedAgent, Simulation, StandardAgent, WalkResult,
};

use super::generator;

/// Objects beyond this take too long in a build that is not optimised.
const MOST_OBJECTS: usize = 250_000;

fn value(tag: &str, text: &str) -> Value {
    let kind = tag.split(':').next().unwrap_or(tag);
    let (kind, is_hexadecimal) = match kind.strip_suffix('x') {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let octets = if is_hexadecimal {
        let digits: Vec<u8> = text.bytes().collect();
        let pair = |pair: &[u8]| {
            let text = std::str::from_utf8(pair).unwrap_or("0");
            u8::from_str_radix(text, 16).unwrap_or(0)
        };
        digits.chunks(2).map(pair).collect()
    } else {
        text.as_bytes().to_vec()
    };
    match kind {
        "2" => Value::Integer(text.parse().unwrap_or(0)),
        "6" => text
            .parse::<Oid>()
            .map_or(Value::Null, |oid| Value::from(&oid)),
        "65" => Value::Counter32(text.parse().unwrap_or(0)),
        "66" => Value::Gauge32(text.parse().unwrap_or(0)),
        "67" => Value::TimeTicks(text.parse().unwrap_or(0)),
        "70" => Value::Counter64(text.parse().unwrap_or(0)),
        "68" => Value::Opaque(octets),
        _ => Value::OctetString(octets),
    }
}

fn read(path: &Path) -> Vec<VarBind> {
    let octets = std::fs::read(path).expect("a readable file");
    String::from_utf8_lossy(&octets)
        .lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, '|');
            let name = fields.next()?.parse().ok()?;
            Some(VarBind::new(name, value(fields.next()?, fields.next()?)))
        })
        .filter(|object| object.name.arcs().starts_with(&[1, 3]))
        .collect()
}

/// Answers in the order of the recording, whatever it is.
struct InOrder {
    objects: Vec<VarBind>,
    places: HashMap<Oid, usize>,
}

impl SimulatedAgent for InOrder {
    fn respond(&mut self, _: Instant, message: &[u8]) -> Vec<(Duration, Vec<u8>)> {
        let request = Request::decode(message);
        let name = &request.names[0];
        let from = self.places.get(name).map_or(0, |place| place + 1);
        let count = match request.pdu_type {
            PduType::GetBulkRequest => request.max_repetitions,
            _ => 1,
        };
        let mut objects: Vec<_> = self
            .objects
            .iter()
            .skip(from)
            .take(count)
            .cloned()
            .collect();
        if objects.is_empty() {
            objects.push(VarBind::new(name.clone(), Value::EndOfMibView));
        }
        let answer = request.respond(ErrorStatus::NoError, 0, &objects);
        vec![(Duration::ZERO, answer)]
    }
}

fn walk<A: SimulatedAgent>(agent: A, options: WalkOptions) -> (WalkResult, usize) {
    let link = Link::new(Duration::from_micros(5100), 1);
    let mut simulation = Simulation::new(generator(RetryPolicy::default(), 8, 7), agent, &link);
    let result = simulation.walk(Walk::new(&[oid("1.3")], options));
    let large = simulation.answers.iter().filter(|&&octets| octets > 1472);
    let large = large.count();
    (result, large)
}

fn check_sorted(what: &str, objects: &[VarBind]) {
    let entries = objects.iter().cloned();
    let model: BTreeMap<Oid, Value> = entries
        .map(|VarBind { name, value }| (name, value))
        .collect();
    let expected: Vec<_> = model.clone().into_iter().map(VarBind::from).collect();
    let (parallel, large) = walk(StandardAgent::new(model.clone()), WalkOptions::default());
    assert!(parallel.error.is_none(), "{what}: {:?}", parallel.error);
    assert!(parallel.objects == expected, "{what} differs");
    let options = WalkOptions {
        sequential: true,
        ..WalkOptions::default()
    };
    let (sequential, large_sequential) = walk(StandardAgent::new(model), options);
    assert!(sequential.objects == expected, "{what} differs");
    eprintln!(
        "{what}: {} objects: {} requests, {} empty, {large} large, {:.2} s; sequential {} requests, {large_sequential} \
         large, {:.2} s",
        expected.len(),
        parallel.summary.requests,
        parallel.summary.empty_segments,
        parallel.elapsed.as_secs_f64(),
        sequential.summary.requests,
        sequential.elapsed.as_secs_f64(),
    );
    assert!(parallel.elapsed <= sequential.elapsed + Duration::from_millis(11));
}

fn check_unsorted(what: &str, objects: &[VarBind]) {
    let places: HashMap<Oid, usize> = objects
        .iter()
        .enumerate()
        .map(|(at, object)| (object.name.clone(), at))
        .collect();
    let agent = || InOrder {
        objects: objects.to_vec(),
        places: places.clone(),
    };
    let options = WalkOptions {
        sequential: true,
        ..WalkOptions::default()
    };
    let (strict, _) = walk(agent(), options);
    assert!(matches!(
        strict.error,
        Some(WalkError::NotIncreasing { .. })
    ));
    let options = WalkOptions {
        tolerate_non_increasing: true,
        ..WalkOptions::default()
    };
    let (tolerant, _) = walk(agent(), options);
    let end = tolerant.error.map(|error| error.to_string());
    eprintln!(
        "{what}: {} of {} objects in the order of the device, {}; strict: {}",
        tolerant.objects.len(),
        objects.len(),
        end.as_deref().unwrap_or("to the end"),
        strict
            .error
            .map_or_else(String::new, |error| error.to_string()),
    );
    if places.len() == objects.len() {
        assert!(end.is_none());
        assert!(tolerant.objects == objects, "{what} differs");
    }
}

#[test]
fn recorded_devices_are_walked_whole() {
    let Some(folder) = std::env::var_os("VARBIND_RECORDINGS") else {
        eprintln!("skipped: VARBIND_RECORDINGS names no folder of .snmprec files");
        return;
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "snmprec")
        })
        .collect();
    paths.sort();
    for path in paths {
        let what = path.file_stem().unwrap_or_default().to_string_lossy();
        let objects = read(&path);
        if objects.len() > MOST_OBJECTS {
            eprintln!("skipped: {what} has {} objects", objects.len());
            continue;
        }
        if objects.is_sorted_by(|before, object| before.name < object.name) {
            check_sorted(&what, &objects);
        } else {
            check_unsorted(&what, &objects);
            check_sorted(&what, &objects);
        }
    }
}
