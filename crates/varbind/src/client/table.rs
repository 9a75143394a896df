use std::collections::BTreeMap;

use varbind_codec::smi::{Oid, Value};
use varbind_engine::applications::command_generator::WalkOptions;

use super::{Error, Target};

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The index: the sub-identifiers behind the column's name.
    pub index: Vec<u32>,
    /// The values, in the order in which the columns were given; `None` where the row has no instance.
    pub values: Vec<Option<Value>>,
}

pub(super) async fn rows(target: &Target, columns: &[Oid]) -> Result<Vec<Row>, Error> {
    let options = WalkOptions {
        boundaries: columns.to_vec(),
        #[cfg(feature = "experiments")]
        columns: columns.to_vec(),
        root_if_empty: false,
        ..WalkOptions::default()
    };
    let mut rows = BTreeMap::<Vec<u32>, Vec<Option<Value>>>::new();
    let mut walk = target.walk_with(columns, options);
    while let Some(object) = walk.next().await {
        let object = object?;
        let name = object.name.arcs();
        let column = |column: &Oid| name.strip_prefix(column.arcs());
        let found = columns.iter().enumerate();
        let Some((at, index)) = found
            .filter_map(|(at, name)| Some((at, column(name)?)))
            .next()
        else {
            continue;
        };
        let row = rows
            .entry(index.to_vec())
            .or_insert_with(|| vec![None; columns.len()]);
        if let Some(place) = row.get_mut(at) {
            *place = Some(object.value);
        }
    }
    let rows = rows.into_iter();
    Ok(rows.map(|(index, values)| Row { index, values }).collect())
}
