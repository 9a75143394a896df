//! The deviations of the agent from the translation of its MIB modules.
//!
//! RFC 6643 makes all nodes read-only, and leaves it to a module of deviations to say which ones can be set (section 11). It
//! also says which nodes of such a module the agent does not have: they would become configuration otherwise.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::schema::{Container, Content, Leaf, List, Module, Schema};

/// The date of the last change of this file: the name of a module changes with its content.
pub(crate) const REVISION: &str = "2026-11-22";

/// The deviations from one module, themselves a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deviations {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The module from which it deviates.
    pub(crate) module: &'static str,
}

impl Deviations {
    /// The deviations from the modules with writable nodes.
    pub(crate) fn of_schema(served: &Schema) -> Vec<Self> {
        let complete = Schema::new(&[vec![1]], &|_| false);
        let writable = served.modules.iter().filter(|module| module.is_writable());
        writable
            .filter_map(|module| Some(Self::new(module, complete.module(module.name)?)))
            .collect()
    }

    fn new(served: &Module, complete: &Module) -> Self {
        let mut writer = Writer::default();
        writer.module(served, complete);
        let mut hasher = DefaultHasher::new();
        writer.deviations.hash(&mut hasher);
        let name = format!(
            "varbind-deviations-{}-{:016x}",
            served.name,
            hasher.finish()
        );
        Self {
            text: writer.finish(&name),
            name,
            module: served.name,
        }
    }

    /// The namespace of the module.
    pub(crate) fn namespace(&self) -> String {
        format!("urn:varbind:{}", self.name)
    }

    /// The name of its file (RFC 7950 section 5.2).
    pub(crate) fn file(&self) -> String {
        format!("{}@{REVISION}.yang", self.name)
    }
}

/// The deviation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deviation {
    /// The node and all below it are writable, except for deviations below it.
    Configuration,
    ReadOnly,
    NotSupported,
}

impl Deviation {
    const fn text(self) -> &'static str {
        match self {
            Self::Configuration => "replace { config true; }",
            Self::ReadOnly => "add { config false; }",
            Self::NotSupported => "not-supported;",
        }
    }

    /// The deviation of a leaf; `None` as argument is a leaf that the agent does not have.
    fn of_leaf(leaf: Option<&Leaf>) -> Option<Self> {
        match leaf {
            None => Some(Self::NotSupported),
            Some(leaf) if leaf.is_writable => None,
            Some(_) => Some(Self::ReadOnly),
        }
    }
}

#[derive(Debug, Default)]
struct Writer {
    /// Modules that are named, each with a prefix by its place.
    imports: Vec<&'static str>,
    deviations: String,
}

impl Writer {
    /// Appends a step to a path.
    fn step(&mut self, path: &str, module: &'static str, name: &str) -> String {
        let known = self.imports.iter().position(|known| *known == module);
        let at = known.unwrap_or_else(|| {
            self.imports.push(module);
            self.imports.len() - 1
        });
        format!("{path}/m{at}:{name}")
    }

    fn deviate(&mut self, path: &str, deviation: Deviation) {
        let _ = writeln!(
            self.deviations,
            "  deviation \"{path}\" {{\n    deviate {}\n  }}",
            deviation.text()
        );
    }

    fn module(&mut self, served: &Module, complete: &Module) {
        let path = self.step("", served.name, served.name);
        self.deviate(&path, Deviation::Configuration);
        for complete in &complete.containers {
            let mut known = served.containers.iter();
            let container = known.find(|container| container.name == complete.name);
            let path = self.step(&path, served.name, complete.name);
            match container {
                None => self.deviate(&path, Deviation::NotSupported),
                Some(container) if !container.is_writable() => {
                    self.deviate(&path, Deviation::ReadOnly);
                    self.container(&path, served.name, container, complete, false);
                }
                Some(container) => self.container(&path, served.name, container, complete, true),
            }
        }
    }

    fn container(
        &mut self,
        path: &str,
        module: &'static str,
        served: &Container,
        complete: &Container,
        is_writable: bool,
    ) {
        match (&served.content, &complete.content) {
            (Content::Scalars(served), Content::Scalars(complete)) => {
                self.leaves(path, served, complete.iter(), is_writable);
            }
            (Content::Table(served), Content::Table(complete)) => {
                let path = self.step(path, module, served.name);
                self.leaves(&path, &served.columns, own(complete, served), is_writable);
            }
            _ => {}
        }
    }

    fn leaves<'l>(
        &mut self,
        path: &str,
        served: &[Leaf],
        complete: impl Iterator<Item = &'l Leaf>,
        is_writable: bool,
    ) {
        for leaf in complete {
            let mut known = served.iter();
            let known = known.find(|known| known.oid == leaf.oid);
            let deviation = Deviation::of_leaf(known)
                .filter(|deviation| is_writable || *deviation == Deviation::NotSupported);
            if let Some(deviation) = deviation {
                let path = self.step(path, leaf.module, leaf.name);
                self.deviate(&path, deviation);
            }
        }
    }

    fn finish(&self, name: &str) -> String {
        let mut text =
            format!("module {name} {{\n  namespace \"urn:varbind:{name}\";\n  prefix d;\n\n");
        for (at, module) in self.imports.iter().enumerate() {
            let _ = writeln!(text, "  import {module} {{\n    prefix m{at};\n  }}");
        }
        let _ = write!(
            text,
            "\n  organization \"varbind\";\n  contact \"The operator of the agent\";\n  description\n    \"What this agent lets \
             be set, and what it does not have, of MIB modules as\n     RFC 6643 translates them.\";\n\n  revision {REVISION} \
             {{\n    description \"Written by the agent.\";\n  }}\n\n{}}}\n",
            self.deviations
        );
        text
    }
}

/// The columns of a table, with those that a module which the agent has adds to it.
fn own<'l>(complete: &'l List, served: &'l List) -> impl Iterator<Item = &'l Leaf> {
    complete.columns.iter().filter(|column| {
        column.oid.starts_with(complete.entry)
            || served
                .columns
                .iter()
                .any(|served| served.module == column.module)
    })
}
