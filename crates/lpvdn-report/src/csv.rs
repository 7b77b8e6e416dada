//! Cells of CSV files. The explorer page has the same rule in `explorer/js/csv.js`.

/// A cell of a CSV file: in quotes where it needs them, and with an apostrophe before it where a spreadsheet would take
/// text of the data for a formula.
///
/// That is text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return; a plain number such as `-5` or `+1.5e3`
/// stays as it is.
///
/// ```
/// use lpvdn_report::csv_cell;
/// assert_eq!(csv_cell("=1+2"), "'=1+2");
/// assert_eq!(csv_cell("-5"), "-5");
/// assert_eq!(csv_cell("a, \"b\""), "\"a, \"\"b\"\"\"");
/// ```
pub fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(text);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// `[+-]? (digits .? digits* | . digits) (e [+-]? digits)?`, as the page has it.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = |text: &str| !text.is_empty() && digits(text);
    let signless = |text: &str| text.strip_prefix(['+', '-']).map_or(text.to_owned(), str::to_owned);
    let lower = text.to_ascii_lowercase();
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(signless(exponent))),
        None => (lower.as_str(), None),
    };
    let mantissa = signless(mantissa);
    let whole = match mantissa.split_once('.') {
        Some(("", fraction)) => unsigned(fraction),
        Some((whole, fraction)) => unsigned(whole) && digits(fraction),
        None => unsigned(&mantissa),
    };
    whole && exponent.is_none_or(|exponent| unsigned(&exponent))
}

#[cfg(test)]
mod tests {
    use super::csv_cell;

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded_and_numbers_stay() {
        for formula in [
            "=1+2", "+SUM(A1)", "-2+3", "@now", "\tx", "-", "+", "-.", "-1e", "+1.5e3x", "--5", "-1.2.3",
            "-e5", "+0x1", "-1 ", "-٣", "=",
        ] {
            assert_eq!(csv_cell(formula), format!("'{formula}"));
        }
        assert_eq!(csv_cell("\r=1"), "\"'\r=1\"");
        assert_eq!(csv_cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
        for plain in ["-5", "+1.5e3", "-.5", "+5.", "-1E-7", "7", "a=b", "2-3", "", "'x", "r-1", "1@2"] {
            assert_eq!(csv_cell(plain), plain);
        }
    }
}
