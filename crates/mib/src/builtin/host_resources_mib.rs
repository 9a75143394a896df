//! The objects of HOST-RESOURCES-MIB.

use crate::clauses::Access::{ReadOnly, ReadWrite};
use crate::syntax::{BaseType, Syntax};
use super::syntax::{
    AUTONOMOUS_TYPE, COUNTER32, DISPLAY_STRING_0_TO_255, DISPLAY_STRING_0_TO_64, GAUGE32,
    INTEGER32_0_TO_2147483647, INTEGER32_1_TO_2147483647, INTERFACE_INDEX_OR_ZERO, OCTET_STRING,
    TIME_TICKS, TRUTH_VALUE,
};
use super::row::{Module, Row, augmenting, column, entry, node, part, scalar, table};

pub(super) const MODULE: Module = Module { name: "HOST-RESOURCES-MIB", last_updated: "200003060000Z", rows: ROWS };

static DATE_AND_TIME: Syntax = Syntax::new(BaseType::OctetString).convention("DateAndTime").hint("2d-1d-1d,1d:1d:1d.1d,1a1d:1d").range(&[(8, 8), (11, 11)]);
static INTERNATIONAL_DISPLAY_STRING_0_TO_128: Syntax = Syntax::new(BaseType::OctetString).convention("InternationalDisplayString").range(&[(0, 128)]);
static K_BYTES: Syntax = Syntax::new(BaseType::Integer32).convention("KBytes").range(&[(0, 2147483647)]);
static PRODUCT_ID: Syntax = Syntax::new(BaseType::ObjectIdentifier).convention("ProductID");
static HR_DEVICE_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("unknown", 1), ("running", 2), ("warning", 3), ("testing", 4), ("down", 5),
]);
static INTEGER32_0_TO_100: Syntax = Syntax::new(BaseType::Integer32).range(&[(0, 100)]);
static HR_PRINTER_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("other", 1), ("unknown", 2), ("idle", 3), ("printing", 4), ("warmup", 5),
]);
static HR_DISK_STORAGE_ACCESS: Syntax = Syntax::new(BaseType::Integer32).names(&[("readWrite", 1), ("readOnly", 2)]);
static HR_DISK_STORAGE_MEDIA: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("other", 1), ("unknown", 2), ("hardDisk", 3), ("floppyDisk", 4), ("opticalDiskROM", 5), ("opticalDiskWORM", 6),
    ("opticalDiskRW", 7), ("ramDisk", 8),
]);
static INTERNATIONAL_DISPLAY_STRING_0_TO_64: Syntax = Syntax::new(BaseType::OctetString).convention("InternationalDisplayString").range(&[(0, 64)]);
static HR_SW_RUN_TYPE: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("unknown", 1), ("operatingSystem", 2), ("deviceDriver", 3), ("application", 4),
]);
static HR_SW_RUN_STATUS: Syntax = Syntax::new(BaseType::Integer32).names(&[
    ("running", 1), ("runnable", 2), ("notRunnable", 3), ("invalid", 4),
]);

const ROWS: &[Row] = &[
    node("host", &[1, 3, 6, 1, 2, 1, 25]),
    node("hrSystem", &[1, 3, 6, 1, 2, 1, 25, 1]),
    scalar("hrSystemUptime", &[1, 3, 6, 1, 2, 1, 25, 1, 1], ReadOnly, &TIME_TICKS),
    scalar("hrSystemDate", &[1, 3, 6, 1, 2, 1, 25, 1, 2], ReadWrite, &DATE_AND_TIME),
    scalar("hrSystemInitialLoadDevice", &[1, 3, 6, 1, 2, 1, 25, 1, 3], ReadWrite, &INTEGER32_1_TO_2147483647),
    scalar("hrSystemInitialLoadParameters", &[1, 3, 6, 1, 2, 1, 25, 1, 4], ReadWrite, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    scalar("hrSystemNumUsers", &[1, 3, 6, 1, 2, 1, 25, 1, 5], ReadOnly, &GAUGE32),
    scalar("hrSystemProcesses", &[1, 3, 6, 1, 2, 1, 25, 1, 6], ReadOnly, &GAUGE32),
    scalar("hrSystemMaxProcesses", &[1, 3, 6, 1, 2, 1, 25, 1, 7], ReadOnly, &INTEGER32_0_TO_2147483647),
    node("hrStorage", &[1, 3, 6, 1, 2, 1, 25, 2]),
    node("hrStorageTypes", &[1, 3, 6, 1, 2, 1, 25, 2, 1]),
    scalar("hrMemorySize", &[1, 3, 6, 1, 2, 1, 25, 2, 2], ReadOnly, &K_BYTES).units("KBytes"),
    table("hrStorageTable", &[1, 3, 6, 1, 2, 1, 25, 2, 3]),
    entry("hrStorageEntry", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1], const { &[part("hrStorageIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrStorageIndex", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrStorageType", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 2], ReadOnly, &AUTONOMOUS_TYPE),
    column("hrStorageDescr", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 3], ReadOnly, &DISPLAY_STRING_0_TO_255),
    column("hrStorageAllocationUnits", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 4], ReadOnly, &INTEGER32_1_TO_2147483647).units("Bytes"),
    column("hrStorageSize", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 5], ReadWrite, &INTEGER32_0_TO_2147483647),
    column("hrStorageUsed", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 6], ReadOnly, &INTEGER32_0_TO_2147483647),
    column("hrStorageAllocationFailures", &[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 7], ReadOnly, &COUNTER32),
    node("hrDevice", &[1, 3, 6, 1, 2, 1, 25, 3]),
    node("hrDeviceTypes", &[1, 3, 6, 1, 2, 1, 25, 3, 1]),
    table("hrDeviceTable", &[1, 3, 6, 1, 2, 1, 25, 3, 2]),
    entry("hrDeviceEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1], const { &[part("hrDeviceIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrDeviceIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrDeviceType", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 2], ReadOnly, &AUTONOMOUS_TYPE),
    column("hrDeviceDescr", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 3], ReadOnly, &DISPLAY_STRING_0_TO_64),
    column("hrDeviceID", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 4], ReadOnly, &PRODUCT_ID),
    column("hrDeviceStatus", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 5], ReadOnly, &HR_DEVICE_STATUS),
    column("hrDeviceErrors", &[1, 3, 6, 1, 2, 1, 25, 3, 2, 1, 6], ReadOnly, &COUNTER32),
    table("hrProcessorTable", &[1, 3, 6, 1, 2, 1, 25, 3, 3]),
    entry("hrProcessorEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 3, 1], const { &[part("hrDeviceIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrProcessorFrwID", &[1, 3, 6, 1, 2, 1, 25, 3, 3, 1, 1], ReadOnly, &PRODUCT_ID),
    column("hrProcessorLoad", &[1, 3, 6, 1, 2, 1, 25, 3, 3, 1, 2], ReadOnly, &INTEGER32_0_TO_100),
    table("hrNetworkTable", &[1, 3, 6, 1, 2, 1, 25, 3, 4]),
    entry("hrNetworkEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 4, 1], const { &[part("hrDeviceIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrNetworkIfIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 4, 1, 1], ReadOnly, &INTERFACE_INDEX_OR_ZERO),
    table("hrPrinterTable", &[1, 3, 6, 1, 2, 1, 25, 3, 5]),
    entry("hrPrinterEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 5, 1], const { &[part("hrDeviceIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrPrinterStatus", &[1, 3, 6, 1, 2, 1, 25, 3, 5, 1, 1], ReadOnly, &HR_PRINTER_STATUS),
    column("hrPrinterDetectedErrorState", &[1, 3, 6, 1, 2, 1, 25, 3, 5, 1, 2], ReadOnly, &OCTET_STRING),
    table("hrDiskStorageTable", &[1, 3, 6, 1, 2, 1, 25, 3, 6]),
    entry("hrDiskStorageEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1], const { &[part("hrDeviceIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrDiskStorageAccess", &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1, 1], ReadOnly, &HR_DISK_STORAGE_ACCESS),
    column("hrDiskStorageMedia", &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1, 2], ReadOnly, &HR_DISK_STORAGE_MEDIA),
    column("hrDiskStorageRemoveble", &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1, 3], ReadOnly, &TRUTH_VALUE),
    column("hrDiskStorageCapacity", &[1, 3, 6, 1, 2, 1, 25, 3, 6, 1, 4], ReadOnly, &K_BYTES).units("KBytes"),
    table("hrPartitionTable", &[1, 3, 6, 1, 2, 1, 25, 3, 7]),
    entry("hrPartitionEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1], const { &[
        part("hrDeviceIndex", &INTEGER32_1_TO_2147483647),
        part("hrPartitionIndex", &INTEGER32_1_TO_2147483647),
    ] }),
    column("hrPartitionIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrPartitionLabel", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1, 2], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    column("hrPartitionID", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1, 3], ReadOnly, &OCTET_STRING),
    column("hrPartitionSize", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1, 4], ReadOnly, &K_BYTES).units("KBytes"),
    column("hrPartitionFSIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 7, 1, 5], ReadOnly, &INTEGER32_0_TO_2147483647),
    table("hrFSTable", &[1, 3, 6, 1, 2, 1, 25, 3, 8]),
    entry("hrFSEntry", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1], const { &[part("hrFSIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrFSIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrFSMountPoint", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 2], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    column("hrFSRemoteMountPoint", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 3], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    column("hrFSType", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 4], ReadOnly, &AUTONOMOUS_TYPE),
    column("hrFSAccess", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 5], ReadOnly, &HR_DISK_STORAGE_ACCESS),
    column("hrFSBootable", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 6], ReadOnly, &TRUTH_VALUE),
    column("hrFSStorageIndex", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 7], ReadOnly, &INTEGER32_0_TO_2147483647),
    column("hrFSLastFullBackupDate", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 8], ReadWrite, &DATE_AND_TIME),
    column("hrFSLastPartialBackupDate", &[1, 3, 6, 1, 2, 1, 25, 3, 8, 1, 9], ReadWrite, &DATE_AND_TIME),
    node("hrFSTypes", &[1, 3, 6, 1, 2, 1, 25, 3, 9]),
    node("hrSWRun", &[1, 3, 6, 1, 2, 1, 25, 4]),
    scalar("hrSWOSIndex", &[1, 3, 6, 1, 2, 1, 25, 4, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    table("hrSWRunTable", &[1, 3, 6, 1, 2, 1, 25, 4, 2]),
    entry("hrSWRunEntry", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1], const { &[part("hrSWRunIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrSWRunIndex", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrSWRunName", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 2], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_64),
    column("hrSWRunID", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 3], ReadOnly, &PRODUCT_ID),
    column("hrSWRunPath", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 4], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    column("hrSWRunParameters", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 5], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_128),
    column("hrSWRunType", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 6], ReadOnly, &HR_SW_RUN_TYPE),
    column("hrSWRunStatus", &[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 7], ReadWrite, &HR_SW_RUN_STATUS),
    node("hrSWRunPerf", &[1, 3, 6, 1, 2, 1, 25, 5]),
    table("hrSWRunPerfTable", &[1, 3, 6, 1, 2, 1, 25, 5, 1]),
    augmenting("hrSWRunPerfEntry", &[1, 3, 6, 1, 2, 1, 25, 5, 1, 1], "hrSWRunEntry", const { &[part("hrSWRunIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrSWRunPerfCPU", &[1, 3, 6, 1, 2, 1, 25, 5, 1, 1, 1], ReadOnly, &INTEGER32_0_TO_2147483647),
    column("hrSWRunPerfMem", &[1, 3, 6, 1, 2, 1, 25, 5, 1, 1, 2], ReadOnly, &K_BYTES).units("KBytes"),
    node("hrSWInstalled", &[1, 3, 6, 1, 2, 1, 25, 6]),
    scalar("hrSWInstalledLastChange", &[1, 3, 6, 1, 2, 1, 25, 6, 1], ReadOnly, &TIME_TICKS),
    scalar("hrSWInstalledLastUpdateTime", &[1, 3, 6, 1, 2, 1, 25, 6, 2], ReadOnly, &TIME_TICKS),
    table("hrSWInstalledTable", &[1, 3, 6, 1, 2, 1, 25, 6, 3]),
    entry("hrSWInstalledEntry", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1], const { &[part("hrSWInstalledIndex", &INTEGER32_1_TO_2147483647)] }),
    column("hrSWInstalledIndex", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 1], ReadOnly, &INTEGER32_1_TO_2147483647),
    column("hrSWInstalledName", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 2], ReadOnly, &INTERNATIONAL_DISPLAY_STRING_0_TO_64),
    column("hrSWInstalledID", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 3], ReadOnly, &PRODUCT_ID),
    column("hrSWInstalledType", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 4], ReadOnly, &HR_SW_RUN_TYPE),
    column("hrSWInstalledDate", &[1, 3, 6, 1, 2, 1, 25, 6, 3, 1, 5], ReadOnly, &DATE_AND_TIME),
    node("hrMIBAdminInfo", &[1, 3, 6, 1, 2, 1, 25, 7]),
    node("hostResourcesMibModule", &[1, 3, 6, 1, 2, 1, 25, 7, 1]),
    node("hrMIBCompliances", &[1, 3, 6, 1, 2, 1, 25, 7, 2]),
    node("hrMIBCompliance", &[1, 3, 6, 1, 2, 1, 25, 7, 2, 1]),
    node("hrMIBGroups", &[1, 3, 6, 1, 2, 1, 25, 7, 3]),
    node("hrSystemGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 1]),
    node("hrStorageGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 2]),
    node("hrDeviceGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 3]),
    node("hrSWRunGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 4]),
    node("hrSWRunPerfGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 5]),
    node("hrSWInstalledGroup", &[1, 3, 6, 1, 2, 1, 25, 7, 3, 6]),
];
