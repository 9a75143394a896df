//! What a SetRequest makes of one row: the state table of RFC 2579, RowStatus.

use varbind_codec::smi::Value;
use varbind_engine::instrumentation::SetError;

use super::description::{Column, Kind, TableDescription};
use super::row::{Row, RowSet, RowStatus, StorageType};
use super::rules::{Assignment, RowRules};

/// What managers write into a column of RowStatus (RFC 2579).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Activate,
    TakeOutOfService,
    CreateAndGo,
    CreateAndWait,
    Destroy,
}

impl Action {
    fn of(assignment: &Assignment) -> Result<Self, SetError> {
        match assignment.integer() {
            Some(1) => Ok(Self::Activate),
            Some(2) => Ok(Self::TakeOutOfService),
            Some(4) => Ok(Self::CreateAndGo),
            Some(5) => Ok(Self::CreateAndWait),
            Some(6) => Ok(Self::Destroy),
            // notReady is for the agent to say.
            _ => Err(SetError::WrongValue),
        }
    }
}

/// What becomes of a row.
#[derive(Debug)]
pub(super) enum Change {
    /// It stays as it is, or away.
    None,
    Put(Row),
    Remove,
}

/// Why an assignment, by its number, is refused.
pub(super) type Refusal = (usize, SetError);

/// All that one SetRequest wants of one row.
pub(super) struct Wish<'a> {
    pub(super) description: &'static TableDescription,
    pub(super) rules: &'a dyn RowRules,
    pub(super) index: &'a [u32],
    pub(super) existing: Option<&'a Row>,
    /// The rows before the SetRequest.
    pub(super) rows: &'a RowSet,
    /// In the order of their columns, each with its number in the SetRequest.
    pub(super) assignments: &'a [(usize, &'a Assignment)],
}

impl Wish<'_> {
    pub(super) fn change(&self) -> Result<Change, Refusal> {
        self.refuse_ambiguity()?;
        let Some(&first) = self.assignments.first() else {
            return Ok(Change::None);
        };
        let status = self.assignment_of(Kind::RowStatus);
        let action = status
            .map(|(at, assignment)| Action::of(assignment).map_err(|error| (at, error)))
            .transpose()?;
        let at = status.map_or(first.0, |(at, _)| at);
        let inconsistent = Err((at, SetError::InconsistentValue));
        match (self.existing, action) {
            // "inconsistentName: because the agent does not choose to create such an instance"
            (None, None) => Err((at, SetError::InconsistentName)),
            (None, Some(Action::Destroy)) => Ok(Change::None),
            (None, Some(Action::CreateAndGo | Action::CreateAndWait)) => {
                let mut row = Row::new(self.description, self.index.to_vec());
                self.rules.create(&mut row);
                self.put(row, action, at)
            }
            (None, Some(_)) | (Some(_), Some(Action::CreateAndGo | Action::CreateAndWait)) => {
                inconsistent
            }
            // What was let through says what is so already.
            (Some(row), None) if row.storage_type() == StorageType::ReadOnly => Ok(Change::None),
            (Some(row), Some(Action::Destroy)) => match row.storage_type() {
                StorageType::Permanent | StorageType::ReadOnly => inconsistent,
                StorageType::Volatile | StorageType::NonVolatile => Ok(Change::Remove),
            },
            (Some(row), _) => self.put(row.clone(), action, at),
        }
    }

    /// The same variable with two values: there is no order between them.
    fn refuse_ambiguity(&self) -> Result<(), Refusal> {
        let ambiguous = self.assignments.windows(2).find_map(|pair| match pair {
            [(_, one), (at, other)] if one.column == other.column && one.value != other.value => {
                Some(*at)
            }
            _ => None,
        });
        ambiguous.map_or(Ok(()), |at| Err((at, SetError::InconsistentValue)))
    }

    fn assignment_of(&self, kind: Kind) -> Option<(usize, &Assignment)> {
        let is_of_kind = |number| {
            let column = self.description.column(number);
            column.is_some_and(|column| column.kind == kind)
        };
        let mut assignments = self.assignments.iter();
        assignments
            .find(|(_, assignment)| is_of_kind(assignment.column))
            .map(|&(at, assignment)| (at, assignment))
    }

    /// The row with its new values, in its new state.
    fn put(&self, mut row: Row, action: Option<Action>, at: usize) -> Result<Change, Refusal> {
        let before = self.existing.map(Row::status);
        let stays_active =
            before == Some(RowStatus::Active) && !matches!(action, Some(Action::TakeOutOfService));
        let mut last = at;
        for &(at, assignment) in self.assignments {
            let Some(column) = self.description.column(assignment.column) else {
                continue;
            };
            match column.kind {
                Kind::RowStatus => {}
                Kind::StorageType => {
                    set_storage_type(&mut row, assignment).map_err(|error| (at, error))?;
                    last = at;
                }
                Kind::Value(_) => {
                    if stays_active && is_held(column, &row, &assignment.value) {
                        return Err((at, SetError::InconsistentValue));
                    }
                    self.rules
                        .assign(&mut row, assignment, self.rows)
                        .map_err(|error| (at, error))?;
                    last = at;
                }
            }
        }
        let inconsistent = |at| Err((at, SetError::InconsistentValue));
        if !self.rules.is_consistent(&row) {
            return inconsistent(last);
        }
        let is_ready = row.has_required() && self.rules.is_ready(&row);
        row.status = match (action, before) {
            (Some(Action::Activate | Action::CreateAndGo), _) | (None, Some(RowStatus::Active))
                if is_ready =>
            {
                RowStatus::Active
            }
            (Some(Action::TakeOutOfService), _) if is_ready => RowStatus::NotInService,
            (Some(Action::CreateAndWait), _)
            | (None, Some(RowStatus::NotReady | RowStatus::NotInService)) => {
                if is_ready {
                    RowStatus::NotInService
                } else {
                    RowStatus::NotReady
                }
            }
            (None, _) => return inconsistent(last),
            (Some(_), _) => return inconsistent(at),
        };
        Ok(Change::Put(row))
    }
}

/// Whether a column cannot be changed while the row is active, and this would change it.
fn is_held(column: &Column, row: &Row, value: &Value) -> bool {
    column.is_fixed_while_active && row.value(column.number) != Some(value.as_value_ref())
}

/// RFC 2579, StorageType: "All illegal modifications result in a 'wrongValue' error".
fn set_storage_type(row: &mut Row, assignment: &Assignment) -> Result<(), SetError> {
    let wanted = assignment.integer().and_then(StorageType::from_number);
    match (row.storage_type, wanted) {
        (present, Some(wanted)) if present == wanted => Ok(()),
        (
            StorageType::Volatile | StorageType::NonVolatile,
            Some(wanted @ (StorageType::Volatile | StorageType::NonVolatile)),
        ) => {
            row.storage_type = wanted;
            Ok(())
        }
        _ => Err(SetError::WrongValue),
    }
}
