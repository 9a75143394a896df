//! What the server says of itself: ietf-yang-library (RFC 7895) and ietf-restconf-monitoring (RFC 8040 section 9).

use std::hash::{DefaultHasher, Hash, Hasher};

use super::output::namespace;
use super::resource::Node;
use crate::schema::Schema;

const LIBRARY: &str = "ietf-yang-library";
const MONITORING: &str = "ietf-restconf-monitoring";
/// The revision of ietf-yang-library that is served.
pub(crate) const LIBRARY_REVISION: &str = "2016-06-21";
/// The modules behind the server's own resources, with their revisions.
const OWN: [(&str, &str); 3] = [
    ("ietf-restconf", "2017-01-26"),
    (MONITORING, "2017-01-26"),
    (LIBRARY, LIBRARY_REVISION),
];
const CAPABILITIES: [&str; 3] = [
    "urn:ietf:params:restconf:capability:defaults:1.0?basic-mode=explicit",
    "urn:ietf:params:restconf:capability:depth:1.0",
    "urn:ietf:params:restconf:capability:fields:1.0",
];

const fn leaf(module: &'static str, name: &'static str, text: String) -> Node {
    Node::Leaf { module, name, text }
}

fn module_entry(name: &str, revision: &str) -> Vec<Node> {
    vec![
        leaf(LIBRARY, "name", name.to_owned()),
        leaf(LIBRARY, "revision", revision.to_owned()),
        leaf(LIBRARY, "namespace", namespace(name)),
        leaf(LIBRARY, "conformance-type", "implement".to_owned()),
    ]
}

/// The nodes of the datastore that are no managed objects.
pub(crate) fn nodes(schema: &Schema) -> Vec<Node> {
    let served = schema.modules.iter();
    let served = served.map(|module| (module.name, module.revision.as_str()));
    let modules: Vec<_> = OWN.into_iter().chain(served).collect();
    // The identifier tells whether the set has changed.
    let mut hasher = DefaultHasher::new();
    modules.hash(&mut hasher);
    let identifier = format!("{:016x}", hasher.finish());
    let entries = modules
        .iter()
        .map(|(name, revision)| module_entry(name, revision))
        .collect();
    let module_list = Node::List {
        module: LIBRARY,
        name: "module",
        keys: 2,
        entries,
    };
    let capabilities = Node::Container {
        module: MONITORING,
        name: "capabilities",
        children: vec![Node::LeafList {
            module: MONITORING,
            name: "capability",
            texts: CAPABILITIES.map(str::to_owned).to_vec(),
        }],
    };
    vec![
        Node::Container {
            module: LIBRARY,
            name: "modules-state",
            children: vec![leaf(LIBRARY, "module-set-id", identifier), module_list],
        },
        Node::Container {
            module: MONITORING,
            name: "restconf-state",
            children: vec![capabilities],
        },
    ]
}
