//! Which column holds the labels.

use std::path::Path;

use crate::similar::did_you_mean;
use crate::table::{Table, Values};
use crate::{ColumnRole, DataError, OpenOptions};

/// How many column names a message lists.
const LISTED: usize = 12;

/// The index of the column that the options ask for, if any, among `width` that have no names.
pub(crate) fn chosen(path: &Path, options: &OpenOptions, width: usize) -> Result<Option<usize>, DataError> {
    let Some(asked) = &options.label_column else { return Ok(None) };
    let column = resolve(path, asked, ColumnRole::Labels, None, width)?;
    if width == 1 {
        let hint = " besides the labels";
        return Err(DataError::Nothing { path: path.to_owned(), what: "columns of values", hint });
    }
    Ok(Some(column))
}

/// The table without the column that [`chosen`] gave, which becomes its labels.
pub(crate) fn split_off(
    values: Values,
    column: Option<usize>,
    path: &Path,
    options: &OpenOptions,
) -> Result<Table, DataError> {
    let Some(column) = column else { return Ok(values.into()) };
    let (values, labels) = values.split_column(column, path, &options.budget)?;
    Ok(Table { labels: Some(labels), ..values.into() })
}

/// The index of the column that `asked` names. A name goes before an index, because columns may be
/// named by numbers; a negative index counts from the end. At last blanks around a name do not count.
pub(crate) fn resolve(
    path: &Path,
    asked: &str,
    role: ColumnRole,
    names: Option<&[String]>,
    width: usize,
) -> Result<usize, DataError> {
    let fail = |problem| {
        let (path, asked) = (path.to_owned(), asked.to_owned());
        Err(DataError::ChosenColumn { path, role, asked, problem })
    };
    let called = |is_so: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let named = names.unwrap_or_default().iter().enumerate();
        named.filter(|(_, name)| is_so(name)).map(|(j, _)| j).collect()
    };
    let exactly = called(&|name| name == asked);
    let nearly = || called(&|name| name.trim() == asked.trim());
    let found = match (exactly.is_empty(), index(asked.trim(), width)) {
        (true, Some(j)) => return Ok(j),
        (true, None) => nearly(),
        (false, _) => exactly,
    };
    match found[..] {
        [one] => Ok(one),
        [first, second, ..] => {
            fail(format!("columns {first} and {second} both have that name; give the index"))
        }
        [] => {
            let meant = did_you_mean(asked, names.unwrap_or_default().iter().map(String::as_str));
            fail(format!("there is no such column{meant}accepted are {}", accepted(names, width)))
        }
    }
}

fn index(asked: &str, width: usize) -> Option<usize> {
    let number: i64 = asked.parse().ok()?;
    let from_start = if number < 0 { number.checked_add(i64::try_from(width).ok()?)? } else { number };
    usize::try_from(from_start).ok().filter(|&j| j < width)
}

fn accepted(names: Option<&[String]>, width: usize) -> String {
    let range = format!("indices from 0 to {} and, from the end, -1 to -{width}", width.saturating_sub(1));
    let Some(names) = names else {
        return format!("{range} (names need a header line)");
    };
    let listed: Vec<String> = names.iter().take(LISTED).map(|n| crate::error::quoted(n.as_bytes())).collect();
    let more = if names.len() > LISTED { " …" } else { "" };
    format!("{range}, or a name: {}{more}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(asked: &str, names: Option<&[&str]>) -> Result<usize, String> {
        let names: Option<Vec<String>> = names.map(|n| n.iter().map(|s| (*s).to_owned()).collect());
        let role = ColumnRole::Labels;
        resolve(Path::new("t.csv"), asked, role, names.as_deref(), 3).map_err(|e| e.to_string())
    }

    #[test]
    fn an_index_counts_from_either_end() {
        assert_eq!(column("0", None), Ok(0));
        assert_eq!(column("-1", None), Ok(2));
        assert_eq!(column("-3", None), Ok(0));
        for outside in ["3", "-4", "9223372036854775807", "-9223372036854775808", "", "1.0"] {
            assert!(column(outside, None).is_err(), "{outside:?}");
        }
    }

    #[test]
    fn a_name_goes_before_an_index() {
        assert_eq!(column("1", Some(&["1", "2", "3"])), Ok(0));
        assert_eq!(column("2", Some(&["a", "b", "c"])), Ok(2));
    }

    #[test]
    fn blanks_around_a_name_do_not_count_unless_they_tell_columns_apart() {
        assert_eq!(column(" b", Some(&["a", "b", "c"])), Ok(1));
        assert_eq!(column("b", Some(&["a", " b", "c"])), Ok(1));
        assert_eq!(column(" 2", Some(&["a", "b", "c"])), Ok(2));
        assert_eq!(column(" b", Some(&["b", " b", "b "])), Ok(1));
        assert!(column("  b", Some(&["b", " b", "c"])).is_err());
    }

    #[test]
    fn a_column_that_is_not_there_is_asked_for_by_the_name_that_is_nearest() {
        for (role, words) in [
            (ColumnRole::Labels, "t.csv: label column \"Kind\""),
            (ColumnRole::Ids, "t.csv: id column \"Kind\""),
            (ColumnRole::Ignored, "t.csv: column to leave out \"Kind\""),
        ] {
            let names = ["kind", "size", "c"].map(str::to_owned);
            let error =
                resolve(Path::new("t.csv"), "Kind", role, Some(&names), 3).expect_err("no such column");
            let message = error.to_string();
            assert!(message.starts_with(words) && message.contains("did you mean \"kind\"?"), "{message}");
        }
    }

    #[test]
    fn a_missing_or_doubled_name_is_an_error_that_lists_what_there_is() {
        let missing = column("y", Some(&["a", "b", "c"])).expect_err("no such column");
        assert!(missing.contains(r#"indices from 0 to 2"#), "{missing}");
        assert!(missing.contains(r#""a", "b", "c""#), "{missing}");
        let doubled = column("a", Some(&["a", "b", "a"])).expect_err("two columns");
        assert!(doubled.contains("columns 0 and 2"), "{doubled}");
    }
}
