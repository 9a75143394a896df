use varbind::codec::smi::VarBind;
use varbind_mib::{BaseType, MachineVarBind, Mib, OutputOptions, RawValue, dotted};

use super::rows::{Row, Rows};
use crate::output::{
    append_characters, append_field, append_octets, append_raw_value, append_string,
};

/// Appends an array with an object for each row.
pub(crate) fn append_json(mib: &Mib, options: &OutputOptions, rows: &Rows<'_>, out: &mut String) {
    out.push('[');
    for (at, row) in rows.rows().enumerate() {
        out.push_str(if at == 0 { "\n{" } else { ",\n{" });
        append_json_row(mib, options, rows, &row, out);
    }
    out.push_str("\n]\n");
}

/// Appends the fields of a row and the end of the object that has begun.
pub(crate) fn append_json_row(
    mib: &Mib,
    options: &OutputOptions,
    rows: &Rows<'_>,
    row: &Row<'_>,
    out: &mut String,
) {
    out.push_str("\"index\":");
    append_string(&dotted(row.instance), out);
    let shown = rows.table().index().show(row.instance).unwrap_or_default();
    for (name, part) in rows.index_names().iter().zip(shown) {
        append_key(name, out);
        // A number without leading zeros is JSON as it stands.
        match part.parse::<u32>() {
            Ok(number) if number.to_string() == part => out.push_str(&part),
            _ => append_string(&part, out),
        }
    }
    for column in rows.columns() {
        if let Some(object) = column.cell(row) {
            append_key(&column.name(), out);
            let instance = object.name.arcs();
            let var_bind = MachineVarBind::new(mib, instance, object.value.as_value_ref());
            match cell(mib, options, instance, &var_bind) {
                Cell::Raw(value) => append_raw_value(value, out),
                Cell::Shown(text) => append_string(text, out),
            }
        }
    }
    out.push('}');
}

/// Appends the names of all columns that hosts may have, and the end of the line.
pub(crate) fn append_csv_header(rows: &Rows<'_>, out: &mut String) {
    out.push_str("index");
    for part in rows.table().index().parts().iter() {
        out.push(',');
        out.push_str(part.name());
    }
    for (_, column) in rows.possible_columns() {
        out.push(',');
        out.push_str(column.name());
    }
    out.push('\n');
}

/// Appends a row with a field for each column of [`append_csv_header`], and the end of the line.
pub(crate) fn append_csv_row(
    mib: &Mib,
    options: &OutputOptions,
    rows: &Rows<'_>,
    row: &Row<'_>,
    out: &mut String,
) {
    out.push_str(&dotted(row.instance));
    let mut shown = rows.table().index().show(row.instance).unwrap_or_default();
    shown.resize(rows.table().index().parts().len(), String::new());
    for part in shown {
        out.push(',');
        append_field(&part, out);
    }
    for (arc, _) in rows.possible_columns() {
        out.push(',');
        if let Some(object) = rows.column(arc).and_then(|column| column.cell(row)) {
            append_csv_cell(mib, options, object, out);
        }
    }
    out.push('\n');
}

/// Appends a line for each row, behind one with the names of the columns.
pub(crate) fn append_csv(mib: &Mib, options: &OutputOptions, rows: &Rows<'_>, out: &mut String) {
    let columns = rows.columns();
    out.push_str("index");
    for name in rows.index_names() {
        out.push(',');
        out.push_str(name);
    }
    for column in &columns {
        out.push(',');
        out.push_str(&column.name());
    }
    out.push('\n');
    for row in rows.rows() {
        out.push_str(&dotted(row.instance));
        if rows.index_is_valid() {
            for part in rows.table().index().show(row.instance).unwrap_or_default() {
                out.push(',');
                append_field(&part, out);
            }
        }
        for column in &columns {
            out.push(',');
            if let Some(object) = column.cell(&row) {
                append_csv_cell(mib, options, object, out);
            }
        }
        out.push('\n');
    }
}

fn append_csv_cell(mib: &Mib, options: &OutputOptions, object: &VarBind, out: &mut String) {
    let instance = object.name.arcs();
    let var_bind = MachineVarBind::new(mib, instance, object.value.as_value_ref());
    match cell(mib, options, instance, &var_bind) {
        Cell::Raw(RawValue::None) => {}
        Cell::Raw(RawValue::Signed(number)) => out.push_str(&number.to_string()),
        Cell::Raw(RawValue::Unsigned(number)) => out.push_str(&number.to_string()),
        Cell::Raw(RawValue::Float(number)) => out.push_str(&number.to_string()),
        Cell::Raw(RawValue::Text(text)) => append_field(text, out),
        Cell::Raw(RawValue::Characters(text)) => append_characters(text, out),
        Cell::Raw(RawValue::Octets(octets)) => append_octets(octets, out),
        Cell::Shown(text) => append_field(text, out),
    }
}

enum Cell<'v> {
    Raw(&'v RawValue),
    Shown(&'v str),
}

/// Numbers and names as they are; strings and enumerations as people read them, by the definition of their object alone.
fn cell<'v>(
    mib: &Mib,
    options: &OutputOptions,
    instance: &[u32],
    var_bind: &'v MachineVarBind,
) -> Cell<'v> {
    let syntax = mib.object(instance).and_then(|found| found.object.syntax());
    let is_defined = syntax
        .is_some_and(|syntax| syntax.display_hint().is_some() || syntax.base() == BaseType::Bits);
    match &var_bind.value {
        RawValue::Octets(_) if is_defined => Cell::Shown(&var_bind.shown),
        RawValue::Signed(number)
            if !options.numeric_enumerations && number.to_string() != var_bind.shown =>
        {
            Cell::Shown(&var_bind.shown)
        }
        raw => Cell::Raw(raw),
    }
}

fn append_key(name: &str, out: &mut String) {
    out.push(',');
    append_string(name, out);
    out.push(':');
}
