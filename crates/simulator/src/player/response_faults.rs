//! The faults of one request, by chance.

use std::time::Duration;

use crate::device::{Device, Kind, around};

/// The faults of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ResponseFaults {
    pub(super) has_wrong_request_id: bool,
    pub(super) is_general_error: bool,
    pub(super) is_too_big: bool,
    /// GetNext and GetBulk return names in the wrong order.
    pub(super) is_out_of_order: bool,
    pub(super) is_endless: bool,
    /// The size of responses is limited.
    pub(super) is_limited: bool,
}

impl ResponseFaults {
    fn flags(&mut self) -> [&mut bool; 6] {
        [
            &mut self.has_wrong_request_id,
            &mut self.is_general_error,
            &mut self.is_too_big,
            &mut self.is_out_of_order,
            &mut self.is_endless,
            &mut self.is_limited,
        ]
    }

    pub(super) fn bits(mut self) -> u32 {
        let flags = self.flags().into_iter().enumerate();
        flags.map(|(at, flag)| u32::from(*flag) << at).sum()
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        let mut faults = Self::default();
        for (at, flag) in faults.flags().into_iter().enumerate() {
            *flag = bits >> at & 1 == 1;
        }
        faults
    }
}

/// The treatment of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Treatment {
    /// It is not answered.
    pub(super) is_lost: bool,
    pub(super) response_faults: ResponseFaults,
    pub(super) delay: Duration,
    pub(super) is_sent_twice: bool,
}

impl Treatment {
    /// The treatment of the next request to a device. Over a session nothing is lost or duplicated.
    pub(super) fn of_request(device: &Device<'_>, is_datagram: bool) -> Self {
        let faults = &device.group().faults;
        if !faults.change_messages() || !device.is_faulty() {
            return Self::default();
        }
        let number = u64::from(device.group().count_request(device.place()));
        let happens = |kind, chance| device.happens(kind, number, chance);
        Self {
            is_lost: faults.mute || is_datagram && happens(Kind::Loss, faults.loss),
            response_faults: ResponseFaults {
                has_wrong_request_id: happens(Kind::RequestId, faults.wrong_request_id),
                is_general_error: happens(Kind::GeneralError, faults.general_error),
                is_too_big: happens(Kind::TooBig, faults.too_big),
                is_out_of_order: faults.wrong_order,
                is_endless: faults.endless_loop,
                is_limited: faults.largest_response.is_some(),
            },
            delay: around(
                faults.latency,
                faults.jitter,
                device.draw(Kind::Jitter, number),
            ),
            is_sent_twice: is_datagram && happens(Kind::Duplicate, faults.duplicate),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::device::{DeviceGroup, Faults, Fleet, Selection};

    fn treatments(faults: Faults, count: usize) -> Vec<Treatment> {
        let selection = Selection::Addresses("127.0.0.1".parse().unwrap(), None);
        let mut group = DeviceGroup::new("a", selection, vec![Arc::default()]);
        group.faults = faults;
        let fleet = Fleet::new(7, vec![group]).unwrap();
        let device = fleet.device(0).unwrap();
        (0..count)
            .map(|_| Treatment::of_request(&device, true))
            .collect()
    }

    #[test]
    fn response_faults_survive_as_bits() {
        for bits in 0..64 {
            assert_eq!(ResponseFaults::from_bits(bits).bits(), bits);
        }
    }

    #[test]
    fn chances_are_met_and_repeat_with_the_seed() {
        let faults = Faults {
            loss: 0.2,
            duplicate: 0.1,
            latency: Duration::from_millis(20),
            jitter: Duration::from_millis(5),
            ..Faults::default()
        };
        let all = treatments(faults.clone(), 5000);
        let count =
            |is: fn(&Treatment) -> bool| all.iter().filter(|treatment| is(treatment)).count();
        assert!(count(|treatment| treatment.is_lost).abs_diff(1000) < 150);
        assert!(count(|treatment| treatment.is_sent_twice).abs_diff(500) < 120);
        let range = Duration::from_millis(15)..=Duration::from_millis(25);
        assert!(all.iter().all(|treatment| range.contains(&treatment.delay)));
        assert_eq!(all, treatments(faults, 5000));
        assert_eq!(treatments(Faults::default(), 1), [Treatment::default()]);
    }
}
