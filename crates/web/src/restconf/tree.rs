//! Data nodes in the body of a request.

use super::error::Error;
use super::output::{Encoding, namespace};
use crate::value::Form;
use crate::xml::{self, Element};

/// A node, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The module, or in XML the namespace, where it is given.
    module: Option<Module>,
    pub(crate) name: String,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Module {
    Name(String),
    Namespace(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// The text of a leaf, and its form in JSON; XML has text alone.
    Text(String, Option<Form>),
    Children(Vec<Tree>),
}

impl Tree {
    /// Whether it is the node of that name; without a module, that of the node around it counts.
    pub(crate) fn is(&self, module: &str, name: &str) -> bool {
        let is_of = match &self.module {
            None => true,
            Some(Module::Name(named)) => named == module,
            Some(Module::Namespace(named)) => *named == namespace(module),
        };
        is_of && self.name == name
    }

    pub(crate) fn children(&self) -> Result<&[Self], Error> {
        match &self.content {
            Content::Children(children) => Ok(children),
            // An element of XML without content.
            Content::Text(text, _) if text.is_empty() => Ok(&[]),
            Content::Text(..) => Err(Error::invalid_value(format!("{} is not a leaf", self.name))),
        }
    }

    pub(crate) fn text(&self) -> Result<&str, Error> {
        match &self.content {
            Content::Text(text, _) => Ok(text),
            Content::Children(_) => Err(Error::invalid_value(format!("{} is a leaf", self.name))),
        }
    }

    /// Checks that a leaf has the form in JSON that its values have (RFC 7951 section 6).
    pub(crate) fn check_form(&self, wanted: Form) -> Result<(), Error> {
        match self.content {
            Content::Text(_, Some(form)) if form != wanted => {
                let wanted = match wanted {
                    Form::Number => "a number",
                    Form::String => "a string",
                };
                let why = format!("the value of {} is {wanted} in JSON", self.name);
                Err(Error::invalid_value(why))
            }
            _ => Ok(()),
        }
    }

    /// Reads the one node that a body consists of; a list with entries in JSON is as many nodes.
    pub(crate) fn parse(encoding: Encoding, body: &[u8]) -> Result<Vec<Self>, Error> {
        match encoding {
            Encoding::Xml => {
                let root = xml::parse(body).map_err(|error| Error::malformed(error.0))?;
                Ok(vec![of_element(root)])
            }
            Encoding::Json => {
                let value: serde_json::Value = serde_json::from_slice(body)
                    .map_err(|error| Error::malformed(error.to_string()))?;
                match value {
                    serde_json::Value::Object(members) if members.len() == 1 => of_members(members),
                    _ => Err(Error::malformed("the body is an object with one member")),
                }
            }
        }
    }
}

fn of_element(element: Element) -> Tree {
    let content = if element.children.is_empty() {
        Content::Text(element.text, None)
    } else {
        Content::Children(element.children.into_iter().map(of_element).collect())
    };
    Tree {
        module: Some(Module::Namespace(element.namespace)),
        name: element.name,
        content,
    }
}

fn of_members(members: serde_json::Map<String, serde_json::Value>) -> Result<Vec<Tree>, Error> {
    let mut nodes = Vec::new();
    for (name, value) in members {
        let (module, name) = match name.split_once(':') {
            Some((module, name)) => (Some(Module::Name(module.to_owned())), name.to_owned()),
            None => (None, name),
        };
        let values = match value {
            // Only lists have several values: no leaf-list can be set.
            serde_json::Value::Array(values) if values.iter().all(serde_json::Value::is_object) => {
                values
            }
            value => vec![value],
        };
        for value in values {
            nodes.push(Tree {
                module: module.clone(),
                name: name.clone(),
                content: of_value(value)?,
            });
        }
    }
    Ok(nodes)
}

fn of_value(value: serde_json::Value) -> Result<Content, Error> {
    Ok(match value {
        serde_json::Value::Object(members) => Content::Children(of_members(members)?),
        serde_json::Value::String(text) => Content::Text(text, Some(Form::String)),
        serde_json::Value::Number(number) => Content::Text(number.to_string(), Some(Form::Number)),
        _ => {
            return Err(Error::invalid_value(
                "a value is of no type that is used here",
            ));
        }
    })
}
