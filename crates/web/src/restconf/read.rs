use std::hash::{DefaultHasher, Hash, Hasher};

use varbind_engine::applications::command_responder::{NotRead, ObjectReader};

use super::error::Error;
use super::output::{Name, Output};
use super::query::{Content, Fields};
use super::resource::{Node, Resource};
use crate::schema::{self, Container, Leaf, List, Module, Schema};
use crate::value::{Form, write_key, write_value};

/// Reads data nodes and writes them at once.
pub(crate) struct Reading<'a, 'r> {
    pub(crate) reader: &'a mut ObjectReader<'r>,
    pub(crate) output: Output,
    pub(crate) content: Content,
    /// Octets that may be written.
    pub(crate) limit: usize,
    pub(crate) text: String,
    /// Entries of a list that is the outermost node.
    pub(crate) entries: usize,
    /// Scheme and authority of this server, as the client knows it.
    pub(crate) origin: &'a str,
    /// The digest of the configuration that was shown.
    pub(crate) configuration: Digest,
}

/// A digest of leaves that can be set, with their values.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    hasher: DefaultHasher,
    leaves: usize,
}

impl Digest {
    fn add(&mut self, leaf: &Leaf, instance: &[u32], text: &str) {
        (leaf.oid, instance, text).hash(&mut self.hasher);
        self.leaves += 1;
    }

    /// The digest; `None` of no leaves.
    pub(crate) fn finish(&self) -> Option<u64> {
        (self.leaves > 0).then(|| self.hasher.finish())
    }
}

/// The part of a node that is shown, and its depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<'q> {
    /// Levels, that of the node among them; at least one.
    levels: u32,
    fields: &'q Fields,
}

impl<'q> Extent<'q> {
    pub(crate) fn new(depth: Option<u16>, fields: &'q Fields) -> Self {
        Self {
            levels: depth.map_or(u32::MAX, u32::from),
            fields,
        }
    }

    /// The scope of the child with this name; `None` if it is not shown.
    fn below(self, name: &str) -> Option<Self> {
        Some(Self {
            levels: self.levels.checked_sub(1).filter(|levels| *levels > 0)?,
            fields: self.fields.below(name)?,
        })
    }

    const fn has_children(self) -> bool {
        self.levels > 1
    }
}

/// Whether there was anything to show.
type Shown = Result<bool, Error>;

fn failed(error: NotRead) -> Option<Error> {
    match error {
        NotRead::NoSuchInstance => None,
        NotRead::Failed => Some(Error::failed()),
    }
}

impl Reading<'_, '_> {
    /// Shows a resource as the outermost node.
    pub(crate) fn resource(
        &mut self,
        schema: &Schema,
        resource: &Resource<'_>,
        extent: Extent<'_>,
    ) -> Shown {
        match resource {
            Resource::Datastore(nodes) => self.datastore(schema, nodes, extent),
            Resource::Module(module) => self.module(module, extent),
            Resource::Container(module, container) => {
                self.container(None, module.name, container, extent)
            }
            Resource::List(module, list) => self.list(None, module.name, list, extent),
            Resource::Entry(module, list, instance) => {
                let name = Name::of(module.name, list.name);
                let mark = self.output.mark();
                self.output.open_list(name);
                let shown = self.entry(name, module.name, list, instance, extent)?;
                self.output.close_list();
                Ok(self.keep_if(shown, mark))
            }
            Resource::Leaf(leaf, instance) => {
                self.leaf(Name::of(leaf.module, leaf.name), leaf, instance)
            }
            Resource::Key(module, list, instance, name) => {
                self.key(Name::of(module.name, name), list, instance)
            }
            Resource::Node(node) => Ok(self.node(None, node, extent)),
        }
    }

    fn keep_if(&mut self, shown: bool, mark: super::output::Mark) -> bool {
        if !shown {
            self.output.go_back(mark);
        }
        shown
    }

    fn datastore(&mut self, schema: &Schema, nodes: &[Node], extent: Extent<'_>) -> Shown {
        let name = Name::of("ietf-restconf", "data");
        self.output.open(name);
        for module in &schema.modules {
            if let Some(extent) = extent.below(module.name) {
                self.module(module, extent)?;
            }
        }
        if self.content != Content::Config {
            for node in nodes {
                if let Some(extent) = extent.below(node.name()) {
                    self.node(None, node, extent);
                }
            }
        }
        self.output.close(name);
        Ok(true)
    }

    fn module(&mut self, module: &Module, extent: Extent<'_>) -> Shown {
        let mark = self.output.mark();
        let name = Name::of(module.name, module.name);
        let mut shown = !extent.has_children();
        self.output.open(name);
        for container in &module.containers {
            if let Some(extent) = extent.below(container.name) {
                shown |= self.container(Some(module.name), module.name, container, extent)?;
            }
        }
        self.output.close(name);
        Ok(self.keep_if(shown, mark))
    }

    fn container(
        &mut self,
        parent: Option<&str>,
        module: &str,
        container: &Container,
        extent: Extent<'_>,
    ) -> Shown {
        let mark = self.output.mark();
        let name = Name::within(parent, module, container.name);
        let mut shown = !extent.has_children();
        self.output.open(name);
        match &container.content {
            schema::Content::Scalars(leaves) => {
                for leaf in leaves {
                    if extent.below(leaf.name).is_some() {
                        shown |= self.leaf(
                            Name::within(Some(module), leaf.module, leaf.name),
                            leaf,
                            &[0],
                        )?;
                    }
                }
            }
            schema::Content::Table(list) => {
                if let Some(extent) = extent.below(list.name) {
                    shown |= self.list(Some(module), module, list, extent)?;
                }
            }
        }
        self.output.close(name);
        Ok(self.keep_if(shown, mark))
    }

    fn list(
        &mut self,
        parent: Option<&str>,
        module: &str,
        list: &List,
        extent: Extent<'_>,
    ) -> Shown {
        let mark = self.output.mark();
        let name = Name::within(parent, module, list.name);
        let mut shown = false;
        let mut instance = Vec::new();
        self.output.open_list(name);
        while self.next_instance(list, &mut instance)? {
            let is_shown = self.entry(name, module, list, &instance, extent)?;
            shown |= is_shown;
            self.entries += usize::from(is_shown && parent.is_none());
        }
        self.output.close_list();
        Ok(self.keep_if(shown, mark))
    }

    /// Goes on to the next row, whichever of its columns may be seen.
    fn next_instance(&mut self, list: &List, instance: &mut Vec<u32>) -> Result<bool, Error> {
        let mut next: Option<Vec<u32>> = None;
        let mut name = Vec::new();
        let columns = list.key_columns.iter().chain(&list.columns);
        for leaf in columns.filter(|leaf| self.content.includes(leaf)) {
            name.clear();
            name.extend_from_slice(leaf.oid);
            name.extend_from_slice(instance);
            let least = next.as_deref();
            let found = self.reader.get_next(leaf.oid, &name, |found, _| {
                let found = found.get(leaf.oid.len()..).unwrap_or(&[]);
                least
                    .is_none_or(|least| found < least)
                    .then(|| found.to_vec())
            });
            match found {
                Ok(Some(Some(found))) => next = Some(found),
                Ok(_) => {}
                Err(error) => {
                    if let Some(error) = failed(error) {
                        return Err(error);
                    }
                }
            }
        }
        match next {
            Some(next) => {
                *instance = next;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn entry(
        &mut self,
        name: Name<'_>,
        module: &str,
        list: &List,
        instance: &[u32],
        extent: Extent<'_>,
    ) -> Shown {
        if self.output.len() > self.limit {
            return Err(Error::new(
                axum::http::StatusCode::PAYLOAD_TOO_LARGE,
                "too-big",
                "the response is too large: request less",
            ));
        }
        let mark = self.output.mark();
        self.output.open_entry(name);
        let Ok(keys) = list.index.decode(instance) else {
            // The agent has a row whose index is not one: there is no name for it.
            self.output.go_back(mark);
            return Ok(false);
        };
        for (part, key) in list.keys.iter().zip(&keys) {
            let form = write_key(&part.syntax(), key, &mut self.text);
            self.output.leaf(Name::plain(part.name()), &self.text, form);
        }
        let mut shown = false;
        for leaf in &list.columns {
            if extent.below(leaf.name).is_some() {
                shown |= self.leaf(
                    Name::within(Some(module), leaf.module, leaf.name),
                    leaf,
                    instance,
                )?;
            }
        }
        let shown = shown || self.exists(list, instance)?;
        self.output.close_entry(name);
        Ok(self.keep_if(shown, mark))
    }

    /// Whether any column of a row may be seen.
    fn exists(&mut self, list: &List, instance: &[u32]) -> Result<bool, Error> {
        let columns = list.key_columns.iter().chain(&list.columns);
        for leaf in columns.filter(|leaf| self.content.includes(leaf)) {
            match self.reader.get(&[leaf.oid, instance].concat(), |_| ()) {
                Ok(()) => return Ok(true),
                Err(NotRead::NoSuchInstance) => {}
                Err(NotRead::Failed) => return Err(Error::failed()),
            }
        }
        Ok(false)
    }

    fn leaf(&mut self, name: Name<'_>, leaf: &Leaf, instance: &[u32]) -> Shown {
        if !self.content.includes(leaf) {
            return Ok(false);
        }
        let Self {
            reader,
            output,
            text,
            configuration,
            ..
        } = self;
        let read = reader.get_below(leaf.oid, instance, |value| {
            let form = write_value(&leaf.syntax, &value, text);
            output.leaf(name, text, form);
            if leaf.is_writable {
                configuration.add(leaf, instance, text);
            }
        });
        match read {
            Ok(()) => Ok(true),
            Err(NotRead::NoSuchInstance) => Ok(false),
            Err(NotRead::Failed) => Err(Error::failed()),
        }
    }

    /// Shows the key of a row that exists.
    fn key(&mut self, name: Name<'_>, list: &List, instance: &[u32]) -> Shown {
        if !self.exists(list, instance)? {
            return Ok(false);
        }
        let keys = list.index.decode(instance).unwrap_or_default();
        for (part, key) in list.keys.iter().zip(&keys) {
            if part.name() == name.name {
                let form = write_key(&part.syntax(), key, &mut self.text);
                self.output.leaf(name, &self.text, form);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn node(&mut self, parent: Option<&str>, node: &Node, extent: Extent<'_>) -> bool {
        match node {
            Node::Leaf { module, name, text } => {
                self.output
                    .leaf(Name::within(parent, module, name), text, Form::String);
            }
            Node::Url { module, name, path } => {
                let url = format!("{}{path}", self.origin);
                let name = Name::within(parent, module, name);
                self.output.leaf(name, &url, Form::String);
            }
            Node::LeafList {
                module,
                name,
                texts,
            } => self
                .output
                .leaf_list(Name::within(parent, module, name), texts),
            Node::Container {
                module,
                name,
                children,
            } => {
                let name = Name::within(parent, module, name);
                self.output.open(name);
                self.nodes(module, children, extent);
                self.output.close(name);
            }
            Node::List {
                module,
                name,
                entries,
                ..
            } => {
                let name = Name::within(parent, module, name);
                self.output.open_list(name);
                for entry in entries {
                    self.output.open_entry(name);
                    self.nodes(module, entry, extent);
                    self.output.close_entry(name);
                }
                self.output.close_list();
            }
        }
        true
    }

    fn nodes(&mut self, module: &str, children: &[Node], extent: Extent<'_>) {
        for child in children {
            if let Some(extent) = extent.below(child.name()) {
                self.node(Some(module), child, extent);
            }
        }
    }
}
