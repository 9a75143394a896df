use varbind_codec::smi::Oid;
use varbind_engine::instrumentation::SetError;

use super::{address, parameters, transport_domain};
use crate::managed_objects::rows::{Assignment, IndexValue, Row, RowRules, RowSet};

/// What is peculiar to snmpTargetAddrTable.
pub(super) struct AddressRules;

impl RowRules for AddressRules {
    fn assign(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        _rows: &RowSet,
    ) -> Result<(), SetError> {
        // Integer32 (0|484..2147483647)
        let is_too_small = assignment.column == address::MMS
            && assignment
                .integer()
                .is_some_and(|size| (1..484).contains(&size));
        if is_too_small {
            return Err(SetError::WrongValue);
        }
        assignment.put_into(row);
        Ok(())
    }

    /// RFC 3584, snmpTargetAddrTMask: as long as the address, or empty.
    fn is_consistent(&self, row: &Row) -> bool {
        let mask = row.octets(address::T_MASK).unwrap_or_default();
        let Some(octets) = row.octets(address::T_ADDRESS) else {
            return mask.is_empty();
        };
        mask.is_empty() || mask.len() == octets.len()
    }

    fn is_ready(&self, row: &Row) -> bool {
        transport_domain::address_of(row).is_some()
    }
}

/// What is peculiar to snmpTargetParamsTable.
pub(super) struct ParameterRules;

/// SnmpMessageProcessingModel and SnmpSecurityModel (RFC 3411) that go together.
const MODELS: [(i32, i32); 4] = [(0, 1), (1, 2), (3, 3), (3, 4)];

impl RowRules for ParameterRules {
    fn assign(
        &self,
        row: &mut Row,
        assignment: &Assignment,
        _rows: &RowSet,
    ) -> Result<(), SetError> {
        let is_known = |models: fn(&(i32, i32)) -> i32| {
            let number = assignment.integer();
            MODELS.iter().any(|pair| Some(models(pair)) == number)
        };
        // RFC 3413: "inconsistentValue [..] for a security model which the implementation does not support"
        let is_supported = match assignment.column {
            parameters::MP_MODEL => is_known(|pair| pair.0),
            parameters::SECURITY_MODEL => is_known(|pair| pair.1),
            _ => true,
        };
        if !is_supported {
            return Err(SetError::InconsistentValue);
        }
        assignment.put_into(row);
        Ok(())
    }

    fn is_ready(&self, row: &Row) -> bool {
        let number = |column| row.integer(column).unwrap_or(0);
        MODELS.contains(&(
            number(parameters::MP_MODEL),
            number(parameters::SECURITY_MODEL),
        ))
    }
}

/// What is peculiar to snmpNotifyFilterTable.
pub(super) struct FilterRules;

impl RowRules for FilterRules {
    fn allows_index(&self, index: &[IndexValue]) -> bool {
        let subtree = index.get(1).and_then(IndexValue::object_identifier);
        subtree.is_some_and(|arcs| Oid::new(arcs).is_ok())
    }
}
