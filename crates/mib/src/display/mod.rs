//! Names and values as text, in the form of Net-SNMP's tools, and for programs.

mod escape;
mod instance;
mod machine;
mod name;
mod options;
mod value;

pub use escape::escape_controls;
pub(crate) use escape::is_unsafe;
pub use machine::{MachineVarBind, RawValue};
pub use name::{dotted, format_name};
pub use options::{NameStyle, OutputOptions, StringStyle, UnknownOutputOption};
pub use value::format_value;

use varbind_codec::smi::ValueRef;

use crate::mib::Mib;

/// Appends a variable binding to `out`, without a line feed.
///
/// ```
/// use varbind_codec::smi::ValueRef;
/// use varbind_mib::{Mib, OutputOptions, format_var_bind};
/// let mib = Mib::builtin();
/// let mut line = String::new();
/// let name = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// format_var_bind(&mib, &OutputOptions::default(), &name, ValueRef::TimeTicks(1234), &mut line);
/// assert_eq!(line, "SNMPv2-MIB::sysUpTime.0 = Timeticks: (1234) 0:00:12.34");
/// ```
pub fn format_var_bind(
    mib: &Mib,
    options: &OutputOptions,
    name: &[u32],
    value: ValueRef<'_>,
    out: &mut String,
) {
    let resolved = mib.object(name);
    if !options.values_only {
        name::append_name(mib, options, name, resolved, out);
        out.push_str(if options.quick && !options.quick_with_equals {
            " "
        } else {
            " = "
        });
    }
    value::append_value(
        mib,
        options,
        resolved.map(|resolved| resolved.object),
        value,
        out,
    );
}
