//! Inventories in files, and what was read of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;
use varbind_inventory::{Host, Inventory};

/// Files in a directory of their own, which only the owner may read.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            directory.write(name, content, 0o600);
        }
        directory
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str, mode: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

pub(crate) fn read(files: &[(&str, &str)]) -> (Inventory, Files) {
    let written = Files::new(files);
    let first = written.path(files[0].0);
    (Inventory::read([first]).unwrap(), written)
}

pub(crate) fn error(name: &str, content: &str) -> String {
    let files = Files::new(&[(name, content)]);
    let path = files.path(name);
    let error = Inventory::read([&path]).unwrap_err().to_string();
    let directory = format!("{}/", files.0.path().display());
    error.replace(&directory, "")
}

pub(crate) fn selected(inventory: &Inventory, text: &str) -> String {
    let hosts = inventory.select([text]).unwrap();
    let names: Vec<_> = hosts.iter().map(|host| host.name.as_str()).collect();
    names.join(" ")
}

pub(crate) fn host<'i>(inventory: &'i Inventory, name: &str) -> &'i Host {
    inventory.host(name).unwrap_or_else(|| panic!("{name}"))
}

pub(crate) fn community(host: &Host) -> Vec<u8> {
    let source = host.settings.community.as_ref().unwrap();
    source.read().unwrap().octets().to_vec()
}
