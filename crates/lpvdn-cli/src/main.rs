//! The `lpvdn` program. All of it is in the library of this crate, so that the fuzzer can reach it too.

fn main() -> std::process::ExitCode {
    lpvdn_cli::main()
}
