#![no_main]

libfuzzer_sys::fuzz_target!(init: lpvdn_fuzz::contain(), |text: &str| {
    lpvdn_fuzz::settings(text);
});
