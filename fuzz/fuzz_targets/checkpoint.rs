#![no_main]

libfuzzer_sys::fuzz_target!(init: lpvdn_fuzz::checkpoint::prepare(), |bytes: &[u8]| {
    lpvdn_fuzz::checkpoint::resume(bytes);
});
