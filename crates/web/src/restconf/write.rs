use varbind_codec::smi::{Oid, VarBind};
use varbind_mib::IndexPart;

use super::error::Error;
use super::resource::{Resource, instance};
use super::tree::Tree;
use crate::schema::{Container, Content, Leaf, List, Module, Schema};
use crate::value::{Form, read_key, read_value, write_key, write_value};

/// Reads the assignments in the body of a PATCH or PUT to a resource.
pub(crate) fn assignments(
    schema: &Schema,
    resource: &Resource<'_>,
    body: &[Tree],
) -> Result<Vec<VarBind>, Error> {
    let mut found = Vec::new();
    for tree in body {
        let is_target = match resource {
            Resource::Datastore(_) => tree.is("ietf-restconf", "data"),
            Resource::Module(module) => tree.is(module.name, module.name),
            Resource::Container(module, container) => tree.is(module.name, container.name),
            Resource::Entry(module, list, _) => tree.is(module.name, list.name),
            Resource::Leaf(leaf, _) => tree.is(leaf.module, leaf.name),
            // No method changes them.
            Resource::List(..) | Resource::Key(..) | Resource::Node(_) => false,
        };
        if !is_target {
            return Err(Error::invalid_value(format!(
                "{} is not the resource that the path names",
                tree.name
            )));
        }
        match resource {
            Resource::Datastore(_) => {
                for tree in tree.children()? {
                    let mut modules = schema.modules.iter();
                    let module = modules
                        .find(|module| tree.is(module.name, module.name))
                        .ok_or_else(|| unknown(tree))?;
                    of_module(module, tree, &mut found)?;
                }
            }
            Resource::Module(module) => of_module(module, tree, &mut found)?,
            Resource::Container(module, container) => {
                of_container(module, container, tree, &mut found)?;
            }
            Resource::Entry(module, list, wanted) => {
                of_entry(module, list, Some(wanted), tree, &mut found)?;
            }
            Resource::Leaf(leaf, instance) => of_leaf(leaf, instance, tree, &mut found)?,
            Resource::List(..) | Resource::Key(..) | Resource::Node(_) => {}
        }
    }
    Ok(found)
}

fn unknown(tree: &Tree) -> Error {
    Error::new(
        axum::http::StatusCode::BAD_REQUEST,
        "unknown-element",
        format!("there is no {} there", tree.name),
    )
}

fn of_module(module: &Module, tree: &Tree, found: &mut Vec<VarBind>) -> Result<(), Error> {
    for tree in tree.children()? {
        let mut containers = module.containers.iter();
        let container = containers
            .find(|container| tree.is(module.name, container.name))
            .ok_or_else(|| unknown(tree))?;
        of_container(module, container, tree, found)?;
    }
    Ok(())
}

fn of_container(
    module: &Module,
    container: &Container,
    tree: &Tree,
    found: &mut Vec<VarBind>,
) -> Result<(), Error> {
    for tree in tree.children()? {
        match &container.content {
            Content::Scalars(leaves) => {
                let leaf = leaves
                    .iter()
                    .find(|leaf| tree.is(leaf.module, leaf.name))
                    .ok_or_else(|| unknown(tree))?;
                of_leaf(leaf, &[0], tree, found)?;
            }
            Content::Table(list) if tree.is(module.name, list.name) => {
                of_entry(module, list, None, tree, found)?;
            }
            Content::Table(_) => return Err(unknown(tree)),
        }
    }
    Ok(())
}

fn of_entry(
    module: &Module,
    list: &List,
    wanted: Option<&[u32]>,
    tree: &Tree,
    found: &mut Vec<VarBind>,
) -> Result<(), Error> {
    let children = tree.children()?;
    let key = |name: &str| {
        let mut children = children.iter();
        children.find(|tree| tree.is(module.name, name))
    };
    let mut keys = Vec::new();
    for part in &list.keys {
        if let Some(key) = key(part.name()) {
            let text = key.text()?;
            key.check_form(form_of_key(part, text))?;
            keys.push(text.to_owned());
        }
    }
    let instance = match wanted {
        // RFC 8040 4.5: the keys of the body are those of the path.
        Some(wanted) if keys.is_empty() || instance(list, &keys)? == wanted => wanted.to_vec(),
        Some(_) => return Err(Error::invalid_value("the keys are not those of the path")),
        None => instance(list, &keys)?,
    };
    for tree in children.iter().filter(|tree| !list.is_key(&tree.name)) {
        let leaf = list.column(&tree.name).ok_or_else(|| unknown(tree))?;
        if !tree.is(leaf.module, leaf.name) {
            return Err(unknown(tree));
        }
        of_leaf(leaf, &instance, tree, found)?;
    }
    Ok(())
}

/// The form of a key in JSON, or of its text if it is not a valid key.
fn form_of_key(part: &IndexPart<'_>, text: &str) -> Form {
    let key = read_key(part, text);
    key.map_or(Form::String, |key| {
        write_key(&part.syntax(), &key, &mut String::new())
    })
}

fn of_leaf(
    leaf: &Leaf,
    instance: &[u32],
    tree: &Tree,
    found: &mut Vec<VarBind>,
) -> Result<(), Error> {
    if !leaf.is_writable {
        let why = format!("{} is read-only: leave it out", leaf.name);
        return Err(Error::invalid_value(why));
    }
    let wrong = || Error::invalid_value(format!("that is not a value of {}", leaf.name));
    let value = read_value(&leaf.syntax, tree.text()?).map_err(|_| wrong())?;
    tree.check_form(write_value(
        &leaf.syntax,
        &value.as_value_ref(),
        &mut String::new(),
    ))?;
    let name = Oid::new(&[leaf.oid, instance].concat()).map_err(|_| wrong())?;
    found.push(VarBind { name, value });
    Ok(())
}
