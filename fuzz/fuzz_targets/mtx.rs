#![no_main]

libfuzzer_sys::fuzz_target!(init: lpvdn_fuzz::contain(), |bytes: &[u8]| {
    lpvdn_fuzz::read(lpvdn_data::Format::Mtx, bytes);
});
