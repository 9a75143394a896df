use std::net::IpAddr;

use super::super::NetworkName;
use crate::link::{Lane, Link, LinkError, LinkOptions};
use crate::subject::{Agent, Demands, Subject, SubjectError};

/// An emulated network, at whose far end agents are started while this process is at the near one.
#[derive(Debug)]
pub(in super::super) struct Across {
    link: Link,
}

const LANE: &str = "a link has a first lane";

impl Across {
    /// Makes the network, with so many interfaces beside the agents if there are to be some, and takes the calling thread to the
    /// near end. The process has to have the right to make networks.
    pub(in super::super) fn enter(
        network: NetworkName,
        interfaces: u32,
        seed: u64,
    ) -> Result<Self, LinkError> {
        let link = Link::open(&LinkOptions {
            lanes: vec![network.network().lane()],
            seed,
            ..LinkOptions::default()
        })?;
        if interfaces > 0 {
            link.far().furnish(interfaces)?;
        }
        link.near().enter()?;
        Ok(Self { link })
    }

    /// The thread of this process that passes packets on: its time is not the manager's.
    pub(super) const fn thread(&self) -> u32 {
        self.link.thread()
    }

    /// Starts an agent at the far end, and returns its address for the near one.
    pub(super) fn start(
        &self,
        subject: &Subject,
        demands: &Demands,
    ) -> Result<Agent, SubjectError> {
        let failed = |error: String| SubjectError::Start {
            command: subject.name(),
            error: std::io::Error::other(error),
        };
        let lane = Lane::new(1).ok_or_else(|| failed(LANE.to_owned()))?;
        let (subject, mut demands) = (subject.clone(), demands.clone());
        demands.is_asked_from_elsewhere = true;
        let started = self.link.far().run(move || subject.start(&demands));
        let mut agent = started.map_err(|error| failed(error.to_string()))??;
        agent.move_to(|address| match address {
            IpAddr::V4(_) => lane.far().into(),
            IpAddr::V6(_) => lane.far_v6().into(),
        });
        Ok(agent)
    }
}
