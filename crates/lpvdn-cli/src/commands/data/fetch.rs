//! `lpvdn data fetch`

use crate::data_args::FetchArgs;
use crate::failure::Failure;

#[cfg(not(feature = "fetch"))]
pub(crate) fn run(args: &FetchArgs) -> Result<(), Failure> {
    let _ = args.from.is_some() || args.quiet || args.sets.is_empty();
    Err(Failure::Failed(
        "this lpvdn was built without the feature fetch; name a folder that has the sets in LPVDN_DATA"
            .to_owned(),
    ))
}

#[cfg(feature = "fetch")]
pub(crate) use with_feature::run;

#[cfg(feature = "fetch")]
mod with_feature {
    use std::io::{IsTerminal, stderr};

    use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
    use lpvdn_data::fetch::{FetchError, FetchEvent, FetchOptions, fetch};
    use lpvdn_data::known::{self, KnownSet, Source};

    use super::{Failure, FetchArgs};
    use crate::console::{bytes, shell, stderr_line};

    pub(crate) fn run(args: &FetchArgs) -> Result<(), Failure> {
        let sets = args.sets.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?;
        let cache = known::cache_folder()?;
        let mut options = FetchOptions::default();
        options.only = args.from.clone().map(Source::new);
        options.first = known::data_source();
        for set in sets {
            let mut screen = Screen::new(args.quiet);
            let outcome = fetch(set, &cache, &options, &mut |event| screen.show(event));
            screen.end();
            let folder = outcome.map_err(|e| failed(set, &e))?;
            screen.line(&format!("{} is in {}; try: lpvdn fit {}", set.name, shell(&folder), set.name));
        }
        Ok(())
    }

    fn failed(set: &KnownSet, error: &FetchError) -> Failure {
        let remedy = match error {
            FetchError::Nowhere { .. } => {
                "; try again later, or name a folder or an address that has it with --from"
            }
            _ => "",
        };
        Failure::Failed(format!("{}: {error}{remedy}", set.name))
    }

    fn named(name: &str) -> Result<&'static KnownSet, Failure> {
        known::find(name).ok_or_else(|| {
            let names: Vec<&str> = known::all().iter().map(|set| set.name).collect();
            let digits = if name == "digits" { " (digits is built in)" } else { "" };
            Failure::Usage(format!("{name:?} is not a known set{digits}; known are {}", names.join(", ")))
        })
    }

    /// A bar on a terminal, a line a file elsewhere, nothing when quiet.
    struct Screen {
        quiet: bool,
        bar: Option<ProgressBar>,
        terminal: bool,
    }

    impl Screen {
        fn new(quiet: bool) -> Screen {
            Screen { quiet, bar: None, terminal: stderr().is_terminal() }
        }

        fn line(&self, line: &str) {
            match &self.bar {
                _ if self.quiet => {}
                Some(bar) => bar.suspend(|| stderr_line(line)),
                None => stderr_line(line),
            }
        }

        fn show(&mut self, event: &FetchEvent<'_>) {
            match event {
                FetchEvent::Present { file } => self.line(&format!("{file} is already here")),
                FetchEvent::Damaged { file } => {
                    self.line(&format!("{file} is here, but not as it should be; it is fetched again"));
                }
                FetchEvent::Asking { file, .. } => self.begin(file),
                FetchEvent::Progress { done, total } => self.progress(*done, *total),
                FetchEvent::Failed { problem } => self.line(&format!("warning: {problem}")),
                FetchEvent::Done { file, bytes: size, unchecked } => {
                    self.end();
                    let checked = match unchecked {
                        Some(_) => ", as many bytes as expected",
                        None => ", its SHA-256 is right",
                    };
                    self.line(&format!("{file}: {}{checked}", bytes(*size)));
                    if let Some(sha256) = unchecked {
                        self.line(&format!("no checksum is known for {file}; its SHA-256 is {sha256}"));
                    }
                }
                _ => {}
            }
        }

        fn begin(&mut self, file: &str) {
            if self.quiet || !self.terminal || self.bar.is_some() {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(
                "{prefix:<32}{bar:20.cyan/dim} {percent:>3} %  {bytes}, {bytes_per_sec}, {eta} left",
            );
            // The template is a constant, and good.
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(file.to_owned());
            self.bar = Some(bar);
        }

        fn progress(&self, done: u64, total: Option<u64>) {
            if let Some(bar) = &self.bar {
                if let Some(total) = total {
                    bar.set_length(total);
                }
                bar.set_position(done);
            }
        }

        fn end(&mut self) {
            if let Some(bar) = self.bar.take() {
                bar.finish_and_clear();
            }
        }
    }
}
