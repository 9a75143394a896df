use varbind::codec::smi::{Oid, Value, VarBind};
use varbind_terminal::Failure;

/// vacmSecurityToGroupEntry, vacmAccessEntry, vacmViewTreeFamilyEntry.
const GROUP_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1];
const ACCESS_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1];
const VIEW_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1];

const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;

/// A row of the tables of RFC 3415: its table, its index, and the column of its RowStatus.
pub(crate) struct Row {
    entry: &'static [u32],
    index: Vec<u32>,
    status: u32,
}

impl Row {
    /// The group of a name.
    pub(crate) fn group(model: u32, name: &str) -> Self {
        let mut index = vec![model];
        counted(&mut index, name.as_bytes());
        Self {
            entry: GROUP_ENTRY,
            index,
            status: 5,
        }
    }

    /// A subtree of a view.
    pub(crate) fn view(view: &str, subtree: &Oid) -> Self {
        let mut index = Vec::new();
        counted(&mut index, view.as_bytes());
        index.push(u32::try_from(subtree.arcs().len()).unwrap_or(u32::MAX));
        index.extend_from_slice(subtree.arcs());
        Self {
            entry: VIEW_ENTRY,
            index,
            status: 6,
        }
    }

    /// The views of a group.
    pub(crate) fn access(group: &str, context: &str, model: u32, level: u32) -> Self {
        let mut index = Vec::new();
        counted(&mut index, group.as_bytes());
        counted(&mut index, context.as_bytes());
        index.extend([model, level]);
        Self {
            entry: ACCESS_ENTRY,
            index,
            status: 9,
        }
    }

    fn object(&self, column: u32, value: Value) -> Result<VarBind, Failure> {
        let name = Oid::new(&[self.entry, &[column], &self.index].concat());
        let name = name.map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(VarBind::new(name, value))
    }

    /// What creates the row with these columns.
    pub(crate) fn created(&self, cells: Vec<(u32, Value)>) -> Result<Vec<VarBind>, Failure> {
        let mut objects = vec![self.object(self.status, Value::Integer(CREATE_AND_GO))?];
        for (column, value) in cells {
            objects.push(self.object(column, value)?);
        }
        Ok(objects)
    }

    /// What destroys the row.
    pub(crate) fn destroyed(&self) -> Result<Vec<VarBind>, Failure> {
        Ok(vec![self.object(self.status, Value::Integer(DESTROY))?])
    }
}

/// Octets with their number in front, as they stand in an index.
fn counted(index: &mut Vec<u32>, octets: &[u8]) {
    index.push(u32::try_from(octets.len()).unwrap_or(u32::MAX));
    index.extend(octets.iter().copied().map(u32::from));
}
