use super::error::Error;
use super::path::{Step, decoded};
use super::resource::Resource;
use crate::schema::{Leaf, Schema};

/// Elements of `fields` within one another.
const DEPTH: usize = 16;
/// Names in `fields`: more than any resource has nodes to choose from.
const NAMES: usize = 1000;

/// The query parameters of a GET (RFC 8040 section 4.8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) content: Content,
    /// Levels to be shown; `None` is all.
    pub(crate) depth: Option<u16>,
    pub(crate) fields: Fields,
}

/// Which nodes are shown: those that can be configured, or the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    #[default]
    All,
    Config,
    Nonconfig,
}

impl Content {
    pub(crate) const fn includes(self, leaf: &Leaf) -> bool {
        match self {
            Self::All => true,
            Self::Config => leaf.is_writable,
            Self::Nonconfig => !leaf.is_writable,
        }
    }
}

/// Which nodes below one are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fields {
    #[default]
    All,
    Some(Vec<Field>),
}

/// A node that is shown, and what below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    module: Option<String>,
    name: String,
    below: Fields,
}

static ALL: Fields = Fields::All;

impl Fields {
    /// The selection below the child with this name; `None` if the child is not shown.
    pub(crate) fn below(&self, name: &str) -> Option<&Self> {
        match self {
            Self::All => Some(&ALL),
            Self::Some(fields) => fields
                .iter()
                .find(|field| field.name == name)
                .map(|field| &field.below),
        }
    }

    /// Checks that there are nodes of these names.
    ///
    /// # Errors
    /// If no node has one of the names: an error with that name.
    pub(crate) fn check(&self, schema: &Schema, resource: &Resource<'_>) -> Result<(), Error> {
        let Self::Some(fields) = self else {
            return Ok(());
        };
        for field in fields {
            let step = Step {
                module: field.module.clone(),
                name: field.name.clone(),
                keys: None,
            };
            let node = resource.field(schema, &step).ok_or_else(|| {
                Error::invalid_value(format!("fields names {}, which is not there", field.name))
            })?;
            field.below.check(schema, &node)?;
        }
        Ok(())
    }

    fn add(&mut self, path: &[Identifier], below: Self) {
        let Some(((module, name), rest)) = path.split_first() else {
            return self.add_all(below);
        };
        let fields = match self {
            Self::Some(fields) => fields,
            // All is shown already.
            Self::All => return,
        };
        let at = match fields.iter().position(|field| field.name == *name) {
            Some(at) => at,
            None => {
                fields.push(Field {
                    module: module.clone(),
                    name: name.clone(),
                    below: Self::Some(Vec::new()),
                });
                fields.len() - 1
            }
        };
        if let Some(field) = fields.get_mut(at) {
            field.below.add(rest, below);
        }
    }

    fn add_all(&mut self, other: Self) {
        match other {
            Self::All => *self = Self::All,
            Self::Some(fields) => {
                for field in fields {
                    self.add(&[(field.module, field.name)], field.below);
                }
            }
        }
    }
}

impl Query {
    /// All configuration in a resource.
    pub(crate) const CONFIGURATION: Self = Self {
        content: Content::Config,
        depth: None,
        fields: Fields::All,
    };

    /// Whether it shows all configuration in a resource.
    pub(crate) fn has_whole_configuration(&self) -> bool {
        self.content != Content::Nonconfig && self.depth.is_none() && self.fields == Fields::All
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut query = Self::default();
        let mut seen = Vec::new();
        for parameter in text.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = decoded(value)?;
            if seen.contains(&name) {
                return Err(Error::invalid_value(format!("{name} is given twice")));
            }
            seen.push(name);
            match name {
                "content" => query.content = content(&value)?,
                "depth" => query.depth = depth(&value)?,
                "fields" => query.fields = fields(&value)?,
                _ => {
                    return Err(Error::invalid_value(format!(
                        "the query parameter {name} is not supported: content, depth and fields are"
                    )));
                }
            }
        }
        Ok(query)
    }
}

fn content(text: &str) -> Result<Content, Error> {
    match text {
        "all" => Ok(Content::All),
        "config" => Ok(Content::Config),
        "nonconfig" => Ok(Content::Nonconfig),
        _ => Err(Error::invalid_value(
            "content is one of all, config and nonconfig",
        )),
    }
}

fn depth(text: &str) -> Result<Option<u16>, Error> {
    if text == "unbounded" {
        return Ok(None);
    }
    match text.parse() {
        Ok(depth @ 1..) => Ok(Some(depth)),
        _ => Err(Error::invalid_value(
            "depth is a number from 1 to 65535, or unbounded",
        )),
    }
}

/// A name, with its module if that was given.
type Identifier = (Option<String>, String);

/// fields-expr of RFC 8040 section 4.8.3.
fn fields(text: &str) -> Result<Fields, Error> {
    let names = 1 + text.matches(['/', ';', '(']).count();
    if names > NAMES {
        return Err(Error::invalid_value(format!(
            "fields has {names} names, and may have {NAMES}: request the node above them"
        )));
    }
    let mut rest = text;
    let fields = expression(&mut rest, 0)?;
    if rest.is_empty() {
        Ok(fields)
    } else {
        Err(wrong_fields())
    }
}

fn wrong_fields() -> Error {
    Error::invalid_value("fields is not as in a/b;c(d;e)")
}

fn expression(rest: &mut &str, depth: usize) -> Result<Fields, Error> {
    if depth > DEPTH {
        return Err(wrong_fields());
    }
    let mut fields = Fields::Some(Vec::new());
    loop {
        let mut path = vec![identifier(rest)?];
        while let Some(behind) = rest.strip_prefix('/') {
            *rest = behind;
            path.push(identifier(rest)?);
            if path.len() > DEPTH {
                return Err(wrong_fields());
            }
        }
        let below = match rest.strip_prefix('(') {
            Some(behind) => {
                *rest = behind;
                let below = expression(rest, depth + 1)?;
                *rest = rest.strip_prefix(')').ok_or_else(wrong_fields)?;
                below
            }
            None => Fields::All,
        };
        fields.add(&path, below);
        match rest.strip_prefix(';') {
            Some(behind) => *rest = behind,
            None => return Ok(fields),
        }
    }
}

fn identifier(rest: &mut &str) -> Result<Identifier, Error> {
    let end = rest.find(['/', ';', '(', ')']).unwrap_or(rest.len());
    let (name, behind) = rest.split_at_checked(end).ok_or_else(wrong_fields)?;
    *rest = behind;
    let (module, name) = match name.split_once(':') {
        Some((module, name)) => (Some(module.to_owned()), name),
        None => (None, name),
    };
    if name.is_empty() {
        return Err(wrong_fields());
    }
    Ok((module, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_select_nodes() {
        let query = Query::parse("depth=3&fields=a/b;c(d;e/f);IF-MIB:c%2Fg").unwrap();
        assert_eq!(query.depth, Some(3));
        let fields = &query.fields;
        assert!(fields.below("x").is_none());
        let a = fields.below("a").unwrap();
        assert_eq!(a.below("b"), Some(&Fields::All));
        assert!(a.below("d").is_none());
        let c = fields.below("c").unwrap();
        assert!(["d", "e", "g"].iter().all(|name| c.below(name).is_some()));
        assert!(c.below("e").unwrap().below("f").is_some());
        assert!(c.below("e").unwrap().below("d").is_none());
    }

    #[test]
    fn wrong_queries_are_refused() {
        let deep = format!("fields={}", "a(".repeat(100_000));
        let many = format!("fields=a{}", ";b".repeat(1000));
        let all = [
            "depth=0",
            "depth=65536",
            "content=x",
            "fields=",
            "fields=a(",
            "fields=a)",
            "fields=a;;b",
            "x=1",
            &deep,
            "depth=1&depth=2",
            &many,
            "with-defaults=explicit",
        ];
        for query in all {
            assert!(Query::parse(query).is_err(), "{query:.40}");
        }
    }
}
