#![doc = include_str!("../README.md")]
//! # Modules
//! Built-in tables and a [`Catalog`] answer the same questions, by way of a [`Mib`]. `compile` reads MIB modules and writes
//! catalogs; it needs the feature of that name.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod builtin;
mod catalog;
mod clauses;
#[cfg(feature = "compile")]
pub mod compile;
mod display;
mod hint;
mod index;
mod mib;
mod object;
mod resolve;
mod suggest;
mod syntax;
mod table;
mod value_text;

pub use catalog::{Catalog, CatalogError, Module, TextualConvention};
pub use clauses::{Access, Kind, Status};
pub use display::{
    MachineVarBind, NameStyle, OutputOptions, RawValue, StringStyle, UnknownOutputOption, dotted,
    escape_controls, format_name, format_value, format_var_bind,
};
pub use index::{Index, IndexError, IndexPart, IndexParts, IndexValue};
pub use mib::{Mib, Resolved};
pub use object::Object;
pub use resolve::ResolveError;
pub use syntax::{BaseType, NamedNumbers, Ranges, Syntax};
pub use table::Table;
pub use value_text::{ParseValueError, RangeCheck, parse_value};
