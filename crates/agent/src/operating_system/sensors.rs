//! /sys/class/hwmon: sensors of the hardware.

use super::host_files::HostRoot;

/// What a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity {
    /// In thousandths of a degree Celsius.
    Temperature,
    /// In revolutions a minute.
    Fan,
    /// In millivolts.
    Voltage,
    /// In milliamperes.
    Current,
    /// In microwatts.
    Power,
}

impl Quantity {
    /// The beginning of the names of its files.
    const ALL: [(&'static str, Self); 5] = [
        ("temp", Self::Temperature),
        ("fan", Self::Fan),
        ("in", Self::Voltage),
        ("curr", Self::Current),
        ("power", Self::Power),
    ];

    fn of(prefix: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(other, _)| *other == prefix);
        found.map(|(_, quantity)| *quantity)
    }
}

/// A sensor and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sensor {
    pub(crate) quantity: Quantity,
    /// The chip and its label, or the name of its file.
    pub(crate) name: String,
    /// In the unit of its quantity. `None` where it cannot be read.
    pub(crate) value: Option<i64>,
}

/// The sensors in the order of the kernel.
pub(crate) fn sensors(root: &HostRoot) -> Vec<Sensor> {
    let mut chips: Vec<_> = root.names("sys/class/hwmon");
    // hwmon10 comes after hwmon9.
    chips.sort_by_key(|chip| (chip.len(), chip.clone()));
    let mut found = Vec::new();
    for chip in chips {
        let directory = std::path::Path::new("sys/class/hwmon").join(chip);
        let chip_name = root.line(directory.join("name")).unwrap_or_default();
        let files = root.names(&directory);
        let mut inputs: Vec<_> = files.iter().filter_map(|file| parse_input(file)).collect();
        inputs.sort_unstable();
        found.extend(inputs.into_iter().map(|(quantity, _, input)| {
            let label = root.line(directory.join(format!("{input}_label")));
            let label = label
                .filter(|label| !label.is_empty())
                .unwrap_or_else(|| input.to_owned());
            Sensor {
                quantity,
                name: format!("{chip_name}: {label}"),
                value: root.number(directory.join(format!("{input}_input"))),
            }
        }));
    }
    found
}

/// Quantity, number and name of a sensor, from the name of its file as `temp1_input`.
pub(super) fn parse_input(file: &str) -> Option<(Quantity, u32, &str)> {
    let input = file.strip_suffix("_input")?;
    let digits = input.trim_start_matches(|c: char| !c.is_ascii_digit());
    let quantity = Quantity::of(input.strip_suffix(digits)?)?;
    Some((quantity, digits.parse().ok()?, input))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn sensors_come_in_order_and_one_that_fails_has_no_value() {
        let directory = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("hwmon2/name", "coretemp\n"),
            ("hwmon2/temp10_input", "42000\n"),
            ("hwmon2/temp2_input", "-1500\n"),
            ("hwmon2/temp2_label", "Core 0\n"),
            ("hwmon2/fan1_input", "broken\n"),
            ("hwmon2/odd_input", "1\n"),
            ("hwmon10/name", "acpi\n"),
            ("hwmon10/in0_input", "12100\n"),
        ] {
            let path = directory.path().join("sys/class/hwmon").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = sensors(&HostRoot::new(directory.path().to_owned()));
        let told: Vec<_> = found
            .iter()
            .map(|sensor| (&*sensor.name, sensor.value))
            .collect();
        let expected = [
            ("coretemp: Core 0", Some(-1500)),
            ("coretemp: temp10", Some(42_000)),
            ("coretemp: fan1", None),
            ("acpi: in0", Some(12_100)),
        ];
        assert_eq!(told, expected);
        assert_eq!(found[3].quantity, Quantity::Voltage);
    }
}
