#![no_main]

libfuzzer_sys::fuzz_target!(init: lpvdn_fuzz::contain(), |bytes: &[u8]| {
    lpvdn_fuzz::unpack(bytes);
});
