//! Names of managed objects, the encoding of their indexes, and the display of their values.
//!
//! ```
//! use varbind_codec::smi::ValueRef;
//! use varbind_mib::{Mib, OutputOptions, format_var_bind};
//!
//! let mib = Mib::builtin();
//! let name = mib.resolve("ifOperStatus.1")?;
//! let mut line = String::new();
//! format_var_bind(&mib, &OutputOptions::default(), name.arcs(), ValueRef::Integer(1), &mut line);
//! assert_eq!(line, "IF-MIB::ifOperStatus.1 = INTEGER: up(1)");
//! # Ok::<(), varbind_mib::ResolveError>(())
//! ```
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod builtin;
mod catalog;
#[cfg(feature = "compile")]
pub mod compile;
mod display;
mod hint;
mod index;
mod mib;
mod object;
mod resolve;
mod source;
mod suggest;
mod syntax;
mod table;
mod value_text;

pub use catalog::{Catalog, CatalogError, Module, TextualConvention};
pub use display::{
    MachineVarBind, NameStyle, OutputOptions, RawValue, StringStyle, UnknownOutputOption,
    escape_controls, format_name, format_value, format_var_bind,
};
pub use index::{Index, IndexError, IndexPart, IndexParts, IndexValue};
pub use mib::{Mib, Resolved};
pub use object::{Access, Kind, Object, Status};
pub use resolve::ResolveError;
pub use syntax::{BaseType, NamedNumbers, Ranges, Syntax};
pub use table::Table;
pub use value_text::{ParseValueError, RangeCheck, parse_value};
