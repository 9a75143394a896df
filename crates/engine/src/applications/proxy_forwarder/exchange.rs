use varbind_codec::message::Version;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};

use super::{ForwardedRequest, ForwardedResponse, Operation};
use crate::applications::command_generator::Command;

/// How many instances that SNMPv1 cannot express are passed for one request.
const MOST_PASSED: usize = 100;

/// One request on its way through the proxy, in the version of the target (RFC 3584 section 4).
///
/// ```
/// use varbind_codec::message::Version;
/// use varbind_codec::oid;
/// use varbind_codec::pdu::ErrorStatus;
/// use varbind_codec::smi::{Value, VarBind};
/// use varbind_engine::applications::command_generator::Command;
/// use varbind_engine::applications::proxy_forwarder::{Exchange, ForwardedRequest, Operation};
///
/// let request = ForwardedRequest {
///     version: Version::V3,
///     operation: Operation::GetBulk { non_repeaters: 0, max_repetitions: 20 },
///     var_binds: vec![VarBind::new(oid!("1.3.6.1.2.1.1.5"), Value::Null)],
/// };
/// // SNMPv1 has no GetBulk.
/// let mut exchange = Exchange::new(request, Version::V1);
/// assert!(matches!(exchange.command(), Command::GetNext(names) if names.len() == 1));
/// // It has no exceptions either: the end of the MIB is an error.
/// let response = exchange.handle_response(ErrorStatus::NoSuchName, 1, Vec::new());
/// assert_eq!(response.map(|response| response.var_binds[0].value.clone()), Some(Value::EndOfMibView));
/// ```
#[derive(Debug)]
pub struct Exchange {
    request: ForwardedRequest,
    /// What is asked of the target.
    operation: Operation,
    /// The names that are still open, and their places in the request.
    asked: Vec<Oid>,
    places: Vec<usize>,
    /// What was found for each name of a Get or GetNext.
    found: Vec<Option<VarBind>>,
    passed: usize,
    target_version: Version,
}

impl Exchange {
    /// A request to a target of this version.
    #[must_use]
    pub fn new(request: ForwardedRequest, target_version: Version) -> Self {
        let operation = match request.operation {
            // RFC 3584 4.1.2: a GetBulkRequest-PDU becomes a GetNextRequest-PDU.
            Operation::GetBulk { .. } if target_version == Version::V1 => Operation::GetNext,
            operation => operation,
        };
        let names: Vec<Oid> = request.names().cloned().collect();
        Self {
            places: (0..names.len()).collect(),
            found: vec![None; names.len()],
            asked: names,
            passed: 0,
            operation,
            target_version,
            request,
        }
    }

    /// The response, if the target need not be asked.
    #[must_use]
    pub fn immediate_response(&self) -> Option<ForwardedResponse> {
        let is_bulk_of_nothing = matches!(
            self.request.operation,
            Operation::GetBulk {
                non_repeaters: 0,
                max_repetitions: 0
            }
        );
        if is_bulk_of_nothing || self.asked.is_empty() {
            return Some(ForwardedResponse::values(Vec::new()));
        }
        // RFC 3584 4.2.2.1: SNMPv1 has no Counter64.
        let is_untranslatable = |var_bind: &VarBind| matches!(var_bind.value, Value::Counter64(_));
        let mut var_binds = self.request.var_binds.iter();
        if self.operation == Operation::Set
            && self.target_version == Version::V1
            && let Some(at) = var_binds.position(is_untranslatable)
        {
            return Some(ForwardedResponse::error(ErrorStatus::WrongType, at + 1));
        }
        None
    }

    /// What the target is to be asked now.
    #[must_use]
    pub fn command(&self) -> Command<'_> {
        match self.operation {
            Operation::Get => Command::Get(&self.asked),
            Operation::GetNext => Command::GetNext(&self.asked),
            Operation::GetBulk {
                non_repeaters,
                max_repetitions,
            } => Command::GetBulk {
                non_repeaters,
                max_repetitions,
                names: &self.asked,
            },
            Operation::Set => Command::Set(&self.request.var_binds),
        }
    }

    /// Takes the target's response. The response to the sender, or `None` if the target is to be asked another
    /// [`command`](Self::command).
    #[must_use]
    pub fn handle_response(
        &mut self,
        error_status: ErrorStatus,
        error_index: u32,
        var_binds: Vec<VarBind>,
    ) -> Option<ForwardedResponse> {
        match error_status {
            ErrorStatus::NoError => self.handle_values(var_binds),
            ErrorStatus::NoSuchName if self.operation != Operation::Set => {
                self.handle_no_such_name(error_index)
            }
            status => {
                let at = usize::try_from(error_index).ok();
                let at = at.and_then(|at| self.places.get(at.checked_sub(1)?));
                let index = at.map_or(0, |at| at + 1);
                Some(ForwardedResponse::error(status, index))
            }
        }
    }

    /// SNMPv1 answers no other name of a request in which one does not exist: the others are asked for again.
    fn handle_no_such_name(&mut self, error_index: u32) -> Option<ForwardedResponse> {
        let at = usize::try_from(error_index)
            .ok()
            .and_then(|at| at.checked_sub(1));
        let at = match at {
            Some(at) if at < self.asked.len() => at,
            // Some agents give no index; of one name it is clear which.
            _ if self.asked.len() == 1 => 0,
            _ => return Some(ForwardedResponse::failed()),
        };
        let exception = match self.operation {
            Operation::Get => Value::NoSuchInstance,
            _ => Value::EndOfMibView,
        };
        let name = self.asked.remove(at);
        let place = self.places.remove(at);
        if let Some(found) = self.found.get_mut(place) {
            *found = Some(VarBind::new(name, exception));
        }
        if matches!(self.operation, Operation::GetBulk { .. }) {
            // The repeated names are unknown by now: each is followed once.
            self.operation = Operation::GetNext;
        }
        self.finished()
    }

    fn handle_values(&mut self, var_binds: Vec<VarBind>) -> Option<ForwardedResponse> {
        match self.operation {
            Operation::Set => Some(ForwardedResponse::values(self.request.var_binds.clone())),
            Operation::GetBulk {
                non_repeaters,
                max_repetitions,
            } => Some(self.bulk(
                usize::from(non_repeaters),
                usize::from(max_repetitions),
                var_binds,
            )),
            Operation::Get | Operation::GetNext => self.handle_each(var_binds),
        }
    }

    fn handle_each(&mut self, var_binds: Vec<VarBind>) -> Option<ForwardedResponse> {
        if var_binds.len() != self.asked.len() {
            return Some(ForwardedResponse::failed());
        }
        let (asked, places) = (
            std::mem::take(&mut self.asked),
            std::mem::take(&mut self.places),
        );
        for ((name, place), var_bind) in asked.into_iter().zip(places).zip(var_binds) {
            let is_right = match self.operation {
                Operation::Get => var_bind.name == name,
                _ => follows(&var_bind, &name),
            };
            if !is_right {
                return Some(ForwardedResponse::error(ErrorStatus::GenErr, place + 1));
            }
            // RFC 3584 4.2.2.1: what SNMPv1 cannot express is passed.
            let is_withheld = self.request.version == Version::V1
                && matches!(var_bind.value, Value::Counter64(_));
            if is_withheld && self.operation == Operation::GetNext {
                self.passed += 1;
                self.asked.push(var_bind.name);
                self.places.push(place);
            } else if let Some(found) = self.found.get_mut(place) {
                *found = Some(match is_withheld {
                    true => VarBind::new(var_bind.name, Value::NoSuchInstance),
                    false => var_bind,
                });
            }
        }
        if self.passed > MOST_PASSED {
            return Some(ForwardedResponse::failed());
        }
        self.finished()
    }

    /// The response, once all names are answered.
    fn finished(&mut self) -> Option<ForwardedResponse> {
        if !self.asked.is_empty() {
            return None;
        }
        let found = std::mem::take(&mut self.found);
        Some(ForwardedResponse::values(
            found.into_iter().flatten().collect(),
        ))
    }

    /// The rows of a GetBulk as far as each instance follows the one before it (RFC 3416 section 4.2.3).
    fn bulk(
        &self,
        non_repeaters: usize,
        max_repetitions: usize,
        var_binds: Vec<VarBind>,
    ) -> ForwardedResponse {
        let non_repeaters = non_repeaters.min(self.asked.len());
        let repeaters = self.asked.len() - non_repeaters;
        let most = non_repeaters + repeaters.saturating_mul(max_repetitions);
        let mut last: Vec<Option<Oid>> = self.asked.iter().cloned().map(Some).collect();
        let mut good = Vec::with_capacity(var_binds.len().min(most));
        for (at, var_bind) in var_binds.into_iter().take(most).enumerate() {
            let column = match at.checked_sub(non_repeaters) {
                Some(behind) => non_repeaters + behind % repeaters.max(1),
                None => at,
            };
            let Some(before) = last.get_mut(column) else {
                break;
            };
            let is_end = var_bind.value == Value::EndOfMibView;
            let is_right = match before {
                Some(before) => follows(&var_bind, before),
                None => is_end,
            };
            if !is_right {
                break;
            }
            *before = (!is_end).then(|| var_bind.name.clone());
            good.push(var_bind);
        }
        match good.is_empty() {
            true => ForwardedResponse::error(ErrorStatus::GenErr, 1),
            false => ForwardedResponse::values(good),
        }
    }
}

/// Whether an instance can be what follows a name.
fn follows(var_bind: &VarBind, name: &Oid) -> bool {
    match var_bind.value {
        Value::EndOfMibView => true,
        Value::NoSuchObject | Value::NoSuchInstance => false,
        _ => var_bind.name > *name,
    }
}
