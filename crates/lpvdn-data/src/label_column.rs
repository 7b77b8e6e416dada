//! Which column holds the labels.

use std::path::Path;

use crate::table::{Table, Values};
use crate::{DataError, OpenOptions};

/// How many column names a message lists.
const LISTED: usize = 12;

/// The index of the column that the options ask for, if any, among `width` that have no names.
pub(crate) fn chosen(path: &Path, options: &OpenOptions, width: usize) -> Result<Option<usize>, DataError> {
    let Some(asked) = &options.label_column else { return Ok(None) };
    let column = resolve(path, asked, None, width)?;
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
/// named by numbers; a negative index counts from the end.
pub(crate) fn resolve(
    path: &Path,
    asked: &str,
    names: Option<&[String]>,
    width: usize,
) -> Result<usize, DataError> {
    let fail = |problem| DataError::LabelColumn { path: path.to_owned(), asked: asked.to_owned(), problem };
    let named: Vec<usize> = names.map_or_else(Vec::new, |names| {
        names.iter().enumerate().filter(|(_, n)| *n == asked).map(|(j, _)| j).collect()
    });
    match (&named[..], index(asked, width)) {
        (&[one], _) => Ok(one),
        (&[first, second, ..], _) => {
            Err(fail(format!("columns {first} and {second} both have that name; give the index")))
        }
        (&[], Some(j)) => Ok(j),
        (&[], None) => Err(fail(format!("there is no such column; accepted are {}", accepted(names, width)))),
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
        resolve(Path::new("t.csv"), asked, names.as_deref(), 3).map_err(|e| e.to_string())
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
    fn a_missing_or_doubled_name_is_an_error_that_lists_what_there_is() {
        let missing = column("y", Some(&["a", "b", "c"])).expect_err("no such column");
        assert!(missing.contains(r#"indices from 0 to 2"#), "{missing}");
        assert!(missing.contains(r#""a", "b", "c""#), "{missing}");
        let doubled = column("a", Some(&["a", "b", "a"])).expect_err("two columns");
        assert!(doubled.contains("columns 0 and 2"), "{doubled}");
    }
}
