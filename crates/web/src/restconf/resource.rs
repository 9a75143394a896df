use axum::http::{HeaderValue, Method};

use super::error::Error;
use super::path::Step;
use crate::schema::{Container, Content, Leaf, List, Module, Schema};
use crate::value::read_key;

/// A data node that does not change.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Leaf {
        module: &'static str,
        name: &'static str,
        text: String,
    },
    /// A leaf with the URL of a path of this server.
    Url {
        module: &'static str,
        name: &'static str,
        path: String,
    },
    LeafList {
        module: &'static str,
        name: &'static str,
        texts: Vec<String>,
    },
    Container {
        module: &'static str,
        name: &'static str,
        children: Vec<Node>,
    },
    /// Each entry begins with its keys.
    List {
        module: &'static str,
        name: &'static str,
        keys: usize,
        entries: Vec<Vec<Node>>,
    },
}

impl Node {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Leaf { name, .. }
            | Self::Url { name, .. }
            | Self::LeafList { name, .. }
            | Self::Container { name, .. }
            | Self::List { name, .. } => name,
        }
    }

    pub(crate) const fn module(&self) -> &'static str {
        match self {
            Self::Leaf { module, .. }
            | Self::Url { module, .. }
            | Self::LeafList { module, .. }
            | Self::Container { module, .. }
            | Self::List { module, .. } => module,
        }
    }
}

/// The methods that a resource supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Methods {
    Read,
    /// Some of what is in it can be set; it cannot be replaced as a whole.
    ReadPatch,
    ReadPutPatch,
}

impl Methods {
    pub(crate) const fn has_patch(self) -> bool {
        !matches!(self, Self::Read)
    }

    pub(crate) fn include(self, method: &Method) -> bool {
        match *method {
            Method::GET | Method::HEAD | Method::OPTIONS => true,
            Method::PATCH => self.has_patch(),
            Method::PUT => self == Self::ReadPutPatch,
            _ => false,
        }
    }

    /// As the header Allow lists them.
    pub(crate) const fn allow(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Read => "GET, HEAD, OPTIONS",
            Self::ReadPatch => "GET, HEAD, OPTIONS, PATCH",
            Self::ReadPutPatch => "GET, HEAD, OPTIONS, PUT, PATCH",
        })
    }
}

/// The resource that a path identifies.
#[derive(Clone, Debug)]
pub(crate) enum Resource<'s> {
    Datastore(&'s [Node]),
    Module(&'s Module),
    Container(&'s Module, &'s Container),
    /// All rows of a table.
    List(&'s Module, &'s List),
    /// One row.
    Entry(&'s Module, &'s List, Vec<u32>),
    Leaf(&'s Leaf, Vec<u32>),
    /// A key of a row.
    Key(&'s Module, &'s List, Vec<u32>, &'s str),
    Node(Node),
}

impl<'s> Resource<'s> {
    /// Follows a path.
    pub(crate) fn find(
        schema: &'s Schema,
        nodes: &'s [Node],
        steps: &[Step],
    ) -> Result<Self, Error> {
        let mut at = Self::Datastore(nodes);
        for step in steps {
            at = at.step(schema, step)?;
        }
        Ok(at)
    }

    pub(crate) fn methods(&self, schema: &Schema) -> Methods {
        let patch = |is_writable: bool| match is_writable {
            true => Methods::ReadPatch,
            false => Methods::Read,
        };
        match self {
            Self::Datastore(_) => patch(schema.modules.iter().any(Module::is_writable)),
            Self::Module(module) => patch(module.is_writable()),
            Self::Container(_, container) => patch(container.is_writable()),
            Self::Entry(_, list, _) => patch(list.is_writable()),
            Self::Leaf(leaf, _) if leaf.is_writable => Methods::ReadPutPatch,
            Self::Leaf(..) | Self::List(..) | Self::Key(..) | Self::Node(_) => Methods::Read,
        }
    }

    /// The node of the schema that a name of `fields` means (RFC 8040 section 4.8.3).
    pub(crate) fn field(&self, schema: &'s Schema, step: &Step) -> Option<Self> {
        match self {
            Self::Datastore(nodes) => {
                let mut modules = schema.modules.iter().map(|module| module.name);
                let mut nodes = nodes.iter();
                let module = match &step.module {
                    Some(module) => module.as_str(),
                    None => modules.find(|name| *name == step.name).or_else(|| {
                        let node = nodes.find(|node| node.name() == step.name);
                        node.map(Node::module)
                    })?,
                };
                let step = Step {
                    module: Some(module.to_owned()),
                    ..step.clone()
                };
                self.clone().step(schema, &step).ok()
            }
            // All entries have the same nodes.
            Self::List(module, list) => {
                let entry = Self::Entry(module, list, Vec::new());
                entry.step(schema, step).ok()
            }
            Self::Node(Node::List { entries, .. }) => entries
                .iter()
                .flatten()
                .find(|node| node.name() == step.name)
                .map(|node| Self::Node(node.clone())),
            other => other.clone().step(schema, step).ok(),
        }
    }

    fn step(self, schema: &'s Schema, step: &Step) -> Result<Self, Error> {
        let is_of = |module: &str| step.module.as_deref().is_none_or(|named| named == module);
        let is_plain = step.keys.is_none();
        match self {
            Self::Datastore(nodes) => {
                // RFC 8040 3.5.3: the first step names its module.
                let named = step.module.as_deref().ok_or_else(|| {
                    Error::invalid_value(
                        "the first step of the path needs its module, as IF-MIB:IF-MIB",
                    )
                })?;
                let node = nodes
                    .iter()
                    .find(|node| node.name() == step.name && node.module() == named);
                match (node, schema.module(named)) {
                    (Some(node), _) if is_plain => Ok(Self::Node(node.clone())),
                    (_, Some(module)) if is_plain && step.name == module.name => {
                        Ok(Self::Module(module))
                    }
                    _ => Err(Error::not_found()),
                }
            }
            Self::Module(module) if is_of(module.name) && is_plain => module
                .containers
                .iter()
                .find(|container| container.name == step.name)
                .map(|container| Self::Container(module, container))
                .ok_or_else(Error::not_found),
            Self::Container(module, container) if is_of(module.name) => match &container.content {
                Content::Scalars(leaves) if is_plain => leaves
                    .iter()
                    .find(|leaf| leaf.name == step.name)
                    .map(|leaf| Self::Leaf(leaf, vec![0]))
                    .ok_or_else(Error::not_found),
                Content::Table(list) if list.name == step.name => match &step.keys {
                    None => Ok(Self::List(module, list)),
                    Some(keys) => Ok(Self::Entry(module, list, instance(list, keys)?)),
                },
                _ => Err(Error::not_found()),
            },
            Self::Entry(module, list, instance) if is_plain => {
                if let Some(leaf) = list.column(&step.name).filter(|leaf| is_of(leaf.module)) {
                    return Ok(Self::Leaf(leaf, instance));
                }
                let mut keys = list.keys.iter();
                match keys.find(|key| key.name() == step.name) {
                    Some(key) if is_of(module.name) => {
                        Ok(Self::Key(module, list, instance, key.name()))
                    }
                    _ => Err(Error::not_found()),
                }
            }
            Self::Node(node) if is_of(node.module()) => child(node, step)
                .map(Self::Node)
                .ok_or_else(Error::not_found),
            _ => Err(Error::not_found()),
        }
    }
}

/// The sub-identifiers behind the columns of a row that has these keys.
pub(crate) fn instance(list: &List, keys: &[String]) -> Result<Vec<u32>, Error> {
    let wrong = || {
        let names: Vec<_> = list.keys.iter().map(|key| key.name()).collect();
        Error::invalid_value(format!("the keys of {} are {}", list.name, names.join(",")))
    };
    if keys.len() != list.keys.len() {
        return Err(wrong());
    }
    let parts = list.keys.iter().zip(keys);
    let values: Result<Vec<_>, _> = parts.map(|(part, key)| read_key(part, key)).collect();
    let values = values.map_err(|_| wrong())?;
    list.index.encode(&values).map_err(|_| wrong())
}

fn child(node: Node, step: &Step) -> Option<Node> {
    let Node::Container { children, .. } = node else {
        return None;
    };
    let found = children
        .into_iter()
        .find(|child| child.name() == step.name)?;
    let Some(wanted) = &step.keys else {
        return Some(found);
    };
    match found {
        Node::List {
            module,
            name,
            keys,
            entries,
        } => {
            let has_keys = |entry: &Vec<Node>| {
                wanted.len() == keys
                    && entry.iter().zip(wanted).all(|pair| match pair {
                        (Node::Leaf { text, .. }, wanted) => text == wanted,
                        _ => false,
                    })
            };
            let entry = entries.into_iter().find(has_keys)?;
            Some(Node::List {
                module,
                name,
                keys,
                entries: vec![entry],
            })
        }
        _ => None,
    }
}
