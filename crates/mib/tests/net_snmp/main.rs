//! Names, values and their forms, compared with Net-SNMP's tools and with samples of their output.
#![cfg(test)]

mod cases;
mod catalog;
mod display;
mod names;
mod peer;
mod responder;
mod set;
