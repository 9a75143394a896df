//! The description of the server itself: ietf-yang-library (RFC 7895) and ietf-restconf-monitoring (RFC 8040 section 9).

use std::hash::{DefaultHasher, Hash, Hasher};

use super::deviations::{self, Deviations};
use super::output::namespace;
use super::resource::Node;
use crate::schema::Schema;

const LIBRARY: &str = "ietf-yang-library";
const MONITORING: &str = "ietf-restconf-monitoring";
/// Below this path are the texts of modules.
pub(crate) const PATH: &str = "/yang";
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

/// An entry of the list of modules.
struct ModuleEntry<'m> {
    name: &'m str,
    revision: &'m str,
    namespace: String,
    /// The path of its text, if the server has it.
    path: Option<String>,
    deviations: Option<&'m Deviations>,
}

impl ModuleEntry<'_> {
    fn nodes(&self) -> Vec<Node> {
        let mut nodes = vec![
            leaf(LIBRARY, "name", self.name.to_owned()),
            leaf(LIBRARY, "revision", self.revision.to_owned()),
        ];
        nodes.extend(self.path.clone().map(|path| Node::Url {
            module: LIBRARY,
            name: "schema",
            path,
        }));
        nodes.push(leaf(LIBRARY, "namespace", self.namespace.clone()));
        nodes.extend(self.deviations.map(|deviations| Node::List {
            module: LIBRARY,
            name: "deviation",
            keys: 2,
            entries: vec![vec![
                leaf(LIBRARY, "name", deviations.name.clone()),
                leaf(LIBRARY, "revision", deviations::REVISION.to_owned()),
            ]],
        }));
        let conformance = "implement".to_owned();
        nodes.push(leaf(LIBRARY, "conformance-type", conformance));
        nodes
    }
}

/// The nodes of the datastore that are not managed objects.
pub(crate) fn nodes(schema: &Schema, deviations: &[Deviations]) -> Vec<Node> {
    let served = schema.modules.iter();
    let served = served.map(|module| (module.name, module.revision.as_str()));
    let entry = |(name, revision)| ModuleEntry {
        name,
        revision,
        namespace: namespace(name),
        path: None,
        deviations: deviations
            .iter()
            .find(|deviations| deviations.module == name),
    };
    let mut modules: Vec<_> = OWN.into_iter().chain(served).map(entry).collect();
    modules.extend(deviations.iter().map(|deviations| ModuleEntry {
        name: &deviations.name,
        revision: deviations::REVISION,
        namespace: deviations.namespace(),
        path: Some(format!("{PATH}/{}", deviations.file())),
        deviations: None,
    }));
    // The identifier changes with the set.
    let mut hasher = DefaultHasher::new();
    for module in &modules {
        (module.name, module.revision).hash(&mut hasher);
    }
    let identifier = format!("{:016x}", hasher.finish());
    let entries = modules.iter().map(ModuleEntry::nodes).collect();
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
