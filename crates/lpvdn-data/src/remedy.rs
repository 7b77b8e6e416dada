//! What may help, as facts: which option says so is for the program to know.

use std::fmt;

/// What a user may do about an error or a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// The column can be left out ([`OpenOptions::ignore`](crate::OpenOptions::ignore)).
    LeaveColumnOut,
    /// Missing values can be filled in ([`OpenOptions::missing`](crate::OpenOptions::missing)).
    FillIn,
    /// The column can be named as what the rows are called ([`OpenOptions::id_column`](crate::OpenOptions::id_column)).
    NameIds,
    /// The column of the classes can be named ([`OpenOptions::label_column`](crate::OpenOptions::label_column)).
    NameLabels,
    /// The format can be named ([`OpenOptions::format`](crate::OpenOptions::format)).
    NameFormat,
    /// The first line can be taken for names ([`OpenOptions::header`](crate::OpenOptions::header)).
    FirstLineIsNames,
    /// The first line can be taken for a row.
    FirstLineIsRow,
    /// The field of a text or a vector can be named ([`OpenOptions::text_field`](crate::OpenOptions::text_field)).
    NameTextField,
    /// The column of the texts can be named ([`OpenOptions::text_column`](crate::OpenOptions::text_column)).
    NameTextColumn,
    /// Other columns than that of the texts can take part ([`OpenOptions::keep_columns`](crate::OpenOptions::keep_columns)).
    KeepColumns,
    /// Rows without a text can be left out ([`OpenOptions::empty_text`](crate::OpenOptions::empty_text)).
    SkipEmptyTexts,
    /// Files that are no pictures can be left out ([`OpenOptions::on_error`](crate::OpenOptions::on_error)).
    SkipBroken,
    /// More memory can be allowed ([`OpenOptions::memory`](crate::OpenOptions::memory)).
    AllowMemory,
    /// What the column holds can be said ([`ColumnChoices::kinds`](crate::ColumnChoices::kinds)).
    SayKind,
    /// How fractions are written can be said ([`ColumnChoices::decimal`](crate::ColumnChoices::decimal)).
    NameDecimal,
    /// All words of texts can be kept ([`OpenOptions::recognise_stop_words`](crate::OpenOptions::recognise_stop_words)).
    KeepCommonWords,
    /// Larger temporary files can be allowed ([`OpenOptions::temp_limit`](crate::OpenOptions::temp_limit)).
    AllowTemporary,
}

impl Remedy {
    /// All of them.
    pub const ALL: [Remedy; 17] = [
        Remedy::LeaveColumnOut,
        Remedy::FillIn,
        Remedy::NameIds,
        Remedy::NameLabels,
        Remedy::NameFormat,
        Remedy::FirstLineIsNames,
        Remedy::FirstLineIsRow,
        Remedy::NameTextField,
        Remedy::NameTextColumn,
        Remedy::KeepColumns,
        Remedy::SkipEmptyTexts,
        Remedy::SkipBroken,
        Remedy::AllowMemory,
        Remedy::AllowTemporary,
        Remedy::SayKind,
        Remedy::NameDecimal,
        Remedy::KeepCommonWords,
    ];
}

/// What a user should know about data that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// A sentence.
    pub text: String,
    /// What may be done about it, if it is not meant so.
    pub remedies: &'static [Remedy],
}

impl Note {
    pub(crate) fn new(text: impl Into<String>, remedies: &'static [Remedy]) -> Note {
        Note { text: text.into(), remedies }
    }
}

impl From<String> for Note {
    fn from(text: String) -> Note {
        Note::new(text, &[])
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
