use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::oneshot;
use varbind_engine::applications::notification_receiver::{
    Acknowledgement, NotificationReceiver as Engine, ReceiverLoss, ReceiverStatistics,
};

use crate::clock::Clock;
use crate::transport::udp::{BatchSocket, LocalAddress};

/// What is due for a notification that arrived: to be counted as delivered, and acknowledged if it is an inform.
///
/// Dropped, the notification counts as lost and is not acknowledged, so that the originator of an inform sends it again.
pub struct Receipt {
    account: Account,
    response: Option<PendingResponse>,
    /// As what it is lost if it is dropped now.
    loss: ReceiverLoss,
    is_settled: bool,
}

/// Where a listener counts what becomes of its notifications.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) engine: Arc<Engine>,
    pub(super) clock: Clock,
    /// Those of the listener, beside those of the engine.
    pub(super) statistics: Arc<ReceiverStatistics>,
}

/// The response to an inform.
pub(super) struct PendingResponse {
    pub(super) acknowledgement: Acknowledgement,
    pub(super) octets: Vec<u8>,
    pub(super) route: Route,
}

/// The way back to the originator.
pub(super) enum Route {
    Datagram {
        socket: Arc<BatchSocket>,
        remote: SocketAddr,
        local: Option<LocalAddress>,
    },
    Session(oneshot::Sender<Vec<u8>>),
}

impl Receipt {
    pub(super) const fn new(account: Account, response: Option<PendingResponse>) -> Self {
        Self {
            account,
            response,
            loss: ReceiverLoss::Queue,
            is_settled: false,
        }
    }

    /// The notification left the queue: if it is lost now, it is lost at the output.
    pub(super) const fn note_taken(&mut self) {
        self.loss = ReceiverLoss::Output;
    }

    /// The notification reached its destination: it counts as delivered, and an inform is acknowledged.
    pub fn delivered(mut self) {
        self.is_settled = true;
        let Account {
            engine,
            clock,
            statistics,
        } = &self.account;
        statistics.count_delivered();
        let Some(response) = self.response.take() else {
            return engine.delivered(clock.now(), None);
        };
        engine.delivered(clock.now(), Some(&response.acknowledgement));
        match response.route {
            Route::Datagram {
                socket,
                remote,
                local,
            } => {
                if let Err(error) = socket.send_one(&response.octets, remote, local) {
                    log::debug!("udp:{remote}: an acknowledgement could not be sent: {error}");
                }
            }
            // A session that has ended takes none: its peer asks again in another one.
            Route::Session(session) => drop(session.send(response.octets)),
        }
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let response = self.response.take();
        let acknowledgement = response.as_ref().map(|response| &response.acknowledgement);
        self.account.engine.lost(self.loss, acknowledgement);
        self.account.statistics.count_lost(self.loss, 1);
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("is_acknowledged", &self.response.is_some())
            .finish_non_exhaustive()
    }
}
