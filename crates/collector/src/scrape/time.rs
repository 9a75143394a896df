//! Dates and times as octets.

use varbind::Value;

use crate::module::date_time::Date;

/// Seconds from 1900 to 1970.
const NTP_EPOCH: i64 = 2_208_988_800;

/// Unix time of a DateAndTime (RFC 2579); UTC if it has no time zone.
pub(super) fn date_and_time(value: &Value) -> Option<i64> {
    let Value::OctetString(octets) = value else {
        return None;
    };
    let (local, zone) = octets.split_at_checked(8)?;
    let &[high, low, month, day, hour, minute, second, deciseconds] = local else {
        return None;
    };
    let offset = match zone {
        [] => 0,
        // snmp_exporter accepts 24 hours and 60 minutes, too.
        &[sign, hours @ 0..=24, minutes @ 0..=60] => {
            let offset = i64::from(hours) * 3600 + i64::from(minutes) * 60;
            match sign {
                b'+' => offset,
                b'-' => -offset,
                _ => return None,
            }
        }
        _ => return None,
    };
    let date = Date {
        year: u16::from_be_bytes([high, low]).into(),
        month: month.into(),
        day: day.into(),
    };
    let second = i64::from(second) + i64::from(deciseconds / 10);
    Some(date.unix(hour.into(), minute.into(), second) - offset)
}

/// Unix time of an NTP timestamp.
pub(super) fn ntp_time_stamp(value: &Value) -> Option<i64> {
    let Value::OctetString(octets) = value else {
        return None;
    };
    let (stamp, _) = octets.split_at_checked(8)?;
    let seconds = u32::from_be_bytes(stamp.get(..4)?.try_into().ok()?);
    Some(i64::from(seconds) - NTP_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_read_as_dates_and_times() {
        let read = |octets: &[u8]| date_and_time(&Value::OctetString(octets.to_vec()));
        // 2024-03-31 01:02:03.4, with and without +2:30.
        let local = [0x07, 0xe8, 3, 31, 1, 2, 3, 4];
        assert_eq!(read(&local), Some(1_711_846_923));
        let zoned = [&local[..], b"+", &[2, 30]].concat();
        assert_eq!(read(&zoned), Some(1_711_846_923 - 9000));
        let west = [&local[..], b"-", &[8, 0]].concat();
        assert_eq!(read(&west), Some(1_711_846_923 + 28_800));
        assert_eq!(read(&[&local[..], b"?", &[8, 0]].concat()), None);
        assert_eq!(read(&local[..7]), None);
        assert_eq!(read(&[]), None);
        // Months and days out of range carry over.
        assert_eq!(read(&[0; 8]), Some(-62_169_984_000));
        assert_eq!(date_and_time(&Value::Integer(1)), None);
    }

    #[test]
    fn time_stamps_of_ntp_are_read() {
        let read = |octets: &[u8]| ntp_time_stamp(&Value::OctetString(octets.to_vec()));
        assert_eq!(
            read(&[0xe9, 0xb3, 0x3d, 0x00, 0, 0, 0, 0]),
            Some(0xe9b3_3d00 - NTP_EPOCH)
        );
        assert_eq!(read(&[0; 8]), Some(-NTP_EPOCH));
        assert_eq!(read(&[0; 7]), None);
    }
}
