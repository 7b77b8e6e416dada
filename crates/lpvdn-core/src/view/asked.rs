//! What a user asked for about some columns, for reports: what it does is in the numbers of the view.

use serde::{Deserialize, Serialize};

use crate::columns::{ColumnGroup, Transform};

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Asked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) transform: Option<Transform>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) weight: Option<f32>,
}

impl Asked {
    /// What a group asks for.
    pub(super) fn of(group: &ColumnGroup) -> Asked {
        Asked {
            transform: group.transform,
            weight: Some(group.weight).filter(|weight| (*weight - 1.0).abs() > 0.0),
        }
    }

    /// Whether the data decides everything.
    pub(super) fn is_nothing(&self) -> bool {
        *self == Asked::default()
    }

    pub(super) fn is_finite(&self) -> bool {
        self.weight.is_none_or(f32::is_finite)
    }

    /// As an end of a line: ", weight 3 by request", or nothing.
    pub(super) fn after_comma(&self) -> String {
        self.in_words().map_or_else(String::new, |words| format!(", {words}"))
    }

    /// `linear and weight 3 by request`
    pub(super) fn in_words(&self) -> Option<String> {
        let transform = self.transform.map(|transform| match transform {
            Transform::Identity => "linear".to_owned(),
            Transform::Log => "log".to_owned(),
        });
        let weight = self.weight.map(|weight| format!("weight {weight}"));
        let asked: Vec<String> = transform.into_iter().chain(weight).collect();
        (!asked.is_empty()).then(|| format!("{} by request", asked.join(" and ")))
    }
}
