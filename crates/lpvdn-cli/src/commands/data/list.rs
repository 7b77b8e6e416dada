//! `lpvdn data list`

use std::io;

use lpvdn_data::known::{self, Check, KnownSet, Place};
use serde_json::{Value, json};

use crate::console::{self, Words};
use crate::data_args::ListArgs;
use crate::failure::Failure;

pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let places =
        known::all().iter().map(|set| Ok((set, set.place()?))).collect::<Result<Vec<_>, Failure>>()?;
    let cache = known::cache_folder()?;
    if args.json {
        let sets: Vec<Value> = places.iter().map(|(set, place)| facts(set, place)).collect();
        let all = json!({ "cache": cache, "sets": sets });
        return console::stdout(|out| writeln!(out, "{all}"));
    }
    let mut words = Words::new();
    let written = places.iter().try_for_each(|(set, place)| write(&mut words, set, place)).and_then(|()| {
        writeln!(words)?;
        writeln!(words, "The cache is {}; LPVDN_CACHE names another folder.", cache.display())
    });
    written.map_err(|e| Failure::writing("standard output", e))?;
    console::stdout_words(&words)
}

fn write(out: &mut Words, set: &KnownSet, place: &Place) -> io::Result<()> {
    let here = match place {
        Place::Here(folder) => format!("here, in {}", folder.display()),
        Place::Missing { files, .. } if files.len() < set.files.len() => {
            format!("{} of {} files are missing: lpvdn data fetch {}", files.len(), set.files.len(), set.name)
        }
        Place::Missing { .. } => format!("not here: lpvdn data fetch {}", set.name),
    };
    writeln!(out, "{:<16} {}", set.name, set.about)?;
    writeln!(out, "{:<16} {here}", "")?;
    let unchecked = unchecked(set);
    let checks = match unchecked.len() {
        0 => "checked by SHA-256".to_owned(),
        n => format!("checked by size: no checksum is known for {n} of {} files", set.files.len()),
    };
    writeln!(out, "{:<16} {checks}; licence: {}", "", set.licence)
}

/// The files that nobody publishes a checksum of.
fn unchecked(set: &KnownSet) -> Vec<&'static str> {
    let files = set.files.iter().filter(|file| matches!(file.check, Check::Sized { .. }));
    files.map(|file| file.name).collect()
}

fn facts(set: &KnownSet, place: &Place) -> Value {
    let (folder, missing) = match place {
        Place::Here(folder) => (folder, Vec::new()),
        Place::Missing { folder, files } => (folder, files.clone()),
    };
    let files: Vec<Value> = set.files.iter().map(|f| json!({ "name": f.name, "urls": f.urls })).collect();
    json!({
        "name": set.name,
        "about": set.about,
        "licence": set.licence,
        "here": missing.is_empty(),
        "folder": folder,
        "missing": missing,
        "without_checksum": unchecked(set),
        "files": files,
    })
}
