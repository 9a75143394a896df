use std::slice;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, FailureReason, Read, ReadFailure, Response, WalkOptions,
};

use super::Target;
use crate::client::operation::{Operation, Single};
use crate::client::{Error, ObjectName, Row, Walk, table};
use crate::transport::TransportError;

impl Target {
    /// The value of one instance.
    ///
    /// An object that the agent does not have is a value, too (`noSuchObject`, `noSuchInstance`), which no conversion takes.
    ///
    /// # Errors
    /// When there is no response, or one with an error-status.
    pub async fn get(&self, name: impl Into<ObjectName>) -> Result<Value, Error> {
        let name = self.resolve_name(name)?;
        let response = self.request(Command::Get(slice::from_ref(&name))).await?;
        self.first(response, name).map(|var_bind| var_bind.value)
    }

    /// The values of several instances, in their order. Names that exceed one message are asked for in several.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_many<N: Into<ObjectName>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        let names = self.resolve_names(names)?;
        let response = self.request(Command::Get(&names)).await?;
        Ok(self.checked(response)?.var_binds)
    }

    /// The instance that follows a name.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_next(&self, name: impl Into<ObjectName>) -> Result<VarBind, Error> {
        let name = self.resolve_name(name)?;
        let response = self
            .request(Command::GetNext(slice::from_ref(&name)))
            .await?;
        self.first(response, name)
    }

    /// The instances that follow these names: the first `non_repeaters` of them once, the others up to `max_repetitions`
    /// times (GetBulkRequest, RFC 3416 section 4.2.3).
    ///
    /// # Errors
    /// As [`get`](Self::get); SNMPv1 has no GetBulk.
    pub async fn get_bulk<N: Into<ObjectName>>(
        &self,
        non_repeaters: u16,
        max_repetitions: u16,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        let names = self.resolve_names(names)?;
        let command = Command::GetBulk {
            non_repeaters,
            max_repetitions,
            names: &names,
        };
        let response = self.request(command).await?;
        Ok(self.checked(response)?.var_binds)
    }

    /// Sets an instance.
    ///
    /// # Errors
    /// As [`get`](Self::get). Without a response it is not known whether the agent has set it; the message says so.
    pub async fn set(
        &self,
        name: impl Into<ObjectName>,
        value: impl Into<Value>,
    ) -> Result<(), Error> {
        let name = self.resolve_name(name)?;
        self.set_many([VarBind::new(name, value.into())]).await
    }

    /// Sets several instances: all or none.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn set_many(
        &self,
        var_binds: impl IntoIterator<Item = VarBind>,
    ) -> Result<(), Error> {
        let var_binds: Vec<VarBind> = var_binds.into_iter().collect();
        let response = self.request(Command::Set(&var_binds)).await?;
        self.checked(response).map(drop)
    }

    /// The objects below a name, in order, with several requests in flight.
    pub fn walk(&self, root: impl Into<ObjectName>) -> Walk {
        self.walk_with([root], WalkOptions::default())
    }

    /// The objects below several names.
    pub fn walk_with<N: Into<ObjectName>>(
        &self,
        roots: impl IntoIterator<Item = N>,
        options: WalkOptions,
    ) -> Walk {
        Walk::new(self.clone(), self.resolve_names(roots), options)
    }

    /// The rows of a table that have instances in any of these columns, by ascending index.
    ///
    /// # Errors
    /// As [`get`](Self::get), and when the walk ends early.
    pub async fn table<N: Into<ObjectName>>(
        &self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Vec<Row>, Error> {
        let columns = self.resolve_names(columns)?;
        table::rows(self, &columns).await
    }

    /// Sends a command, and returns the whole response. An error-status is a response here.
    ///
    /// Get and GetNext of names that exceed one message are sent in several. Commands that only read are sent again when a
    /// session is cut.
    ///
    /// # Errors
    /// When there is no response.
    pub async fn request(&self, command: Command<'_>) -> Result<Response, Error> {
        let Some(deadline) = self.inner.settings.deadline else {
            return self.request_until_done(command).await;
        };
        // What few need is boxed, so that a thousand operations side by side stay small.
        let request = Box::pin(self.request_until_done(command));
        match tokio::time::timeout(deadline, request).await {
            Ok(result) => result,
            Err(_) => Err(Error::Deadline {
                target: self.address().clone(),
                deadline,
            }),
        }
    }

    async fn request_until_done(&self, command: Command<'_>) -> Result<Response, Error> {
        let attempts = self.max_attempts();
        let mut made = 1;
        loop {
            let registration = self.open().await?;
            let read = match command {
                Command::Get(names) if names.len() > 1 => Some(Read::get(names)),
                Command::GetNext(names) if names.len() > 1 => Some(Read::get_next(names)),
                _ => None,
            };
            let result = match read {
                Some(read) => {
                    let mut operation = Operation::new(registration, read);
                    Box::pin(async move { operation.next().await }).await
                }
                None => {
                    Operation::new(registration, Single::new(command))
                        .next()
                        .await
                }
            };
            match result {
                Ok(response) => return Ok(response),
                // Whether a Set was carried out when the session was cut is not known, and twice may not be the same as
                // once: that is for the caller to decide.
                Err(ReadFailure::Failed(failure))
                    if is_cut(&failure.reason)
                        && made < attempts
                        && !matches!(command, Command::Set(_)) =>
                {
                    made += 1;
                }
                Err(ReadFailure::Send(source)) => {
                    return Err(Error::NotSent {
                        target: self.address().clone(),
                        source,
                    });
                }
                Err(ReadFailure::Failed(failure)) => return Err(self.unanswered(failure)),
            }
        }
    }

    fn resolve_name(&self, name: impl Into<ObjectName>) -> Result<Oid, Error> {
        name.into().resolve(self.inner.client.names())
    }

    fn resolve_names<N: Into<ObjectName>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<Oid>, Error> {
        let names = names.into_iter();
        names.map(|name| self.resolve_name(name)).collect()
    }

    /// A response without an error-status.
    fn checked(&self, response: Response) -> Result<Response, Error> {
        if response.error_status == ErrorStatus::NoError {
            return Ok(response);
        }
        let at = response.error_index.checked_sub(1);
        let var_bind = at.and_then(|at| response.var_binds.get(at as usize));
        Err(Error::ErrorStatus {
            target: self.address().clone(),
            status: response.error_status,
            name: var_bind.map(|var_bind| var_bind.name.clone()),
        })
    }

    fn first(&self, response: Response, name: Oid) -> Result<VarBind, Error> {
        let mut var_binds = self.checked(response)?.var_binds;
        if var_binds.is_empty() {
            return Err(Error::Missing {
                target: self.address().clone(),
                name,
            });
        }
        Ok(var_binds.swap_remove(0))
    }
}

/// Whether the session was cut, so that a request may succeed in another.
pub(in crate::client) fn is_cut(reason: &FailureReason) -> bool {
    TransportError::of(reason) == Some(&TransportError::ConnectionClosed)
}
