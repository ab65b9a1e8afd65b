//! `s(x)`, `s(x, k = 10)`, `s(x, by = z)`, `t2(x, z)`, `t2(x, z, k = 5)`.

use super::{Reader, Smooth};
use crate::signatures::usage;
use crate::syntax::{Argument, Kind, Node};
use bayes::FormulaError;

/// The default number of knots, as in mgcv.
const KNOTS: usize = 10;
/// The default number of knots of each column of `t2` (mgcv).
const KNOTS_OF_EACH: usize = 5;
/// The largest number of knots of each column of `t2`, whose functions are as many as the square.
const MOST_KNOTS_OF_EACH: f64 = 20.0;
/// The smallest number of knots: straight lines and one curve.
const FEWEST_KNOTS: f64 = 3.0;
/// The largest number of knots.
const MOST_KNOTS: f64 = 200.0;

/// Whether this is a smooth term.
pub(super) fn is_smooth(node: &Node) -> bool {
    matches!(&node.kind, Kind::Call { function, .. } if function == "s" || function == "t2")
}

impl Reader<'_> {
    /// Reads a smooth term.
    pub(super) fn smooth(&self, node: &Node) -> Result<Smooth, FormulaError> {
        let is_tensor = matches!(&node.kind, Kind::Call { function, .. } if function == "t2");
        let (function, most) = match is_tensor {
            true => ("t2", MOST_KNOTS_OF_EACH),
            false => ("s", MOST_KNOTS),
        };
        let wrong = |at: &Node| self.wrong(at, usage(function));
        let Kind::Call { arguments, .. } = &node.kind else {
            return Err(wrong(node));
        };
        let Some((Argument { name: None, value }, rest)) = arguments.split_first() else {
            return Err(wrong(node));
        };
        let mut smooth = Smooth {
            node: node.clone(),
            x: value.clone(),
            k: if is_tensor { KNOTS_OF_EACH } else { KNOTS },
            z: None,
            by: None,
        };
        let rest = match (is_tensor, rest) {
            (true, [Argument { name: None, value }, rest @ ..]) => {
                smooth.z = Some(value.clone());
                rest
            }
            (true, _) => return Err(wrong(node)),
            (false, rest) => rest,
        };
        for Argument { name, value } in rest {
            match (name.as_deref(), &value.kind) {
                (Some("k"), Kind::Number(k)) => {
                    if !(FEWEST_KNOTS..=most).contains(k) || k.fract() != 0.0 {
                        let message = format!(
                            "the number of knots `k` is a whole number from {FEWEST_KNOTS} to {most}"
                        );
                        return Err(self.wrong(value, message));
                    }
                    smooth.k = *k as usize;
                }
                (Some("by"), _) if !is_tensor => smooth.by = Some(value.clone()),
                // the only available basis
                (Some("bs"), Kind::Text(text)) if text == "cr" => {}
                (Some("bs"), _) => {
                    let message =
                        "curves are cubic regression splines, `bs = \"cr\"`; leave `bs` out";
                    return Err(self.wrong(value, message));
                }
                _ => return Err(wrong(value)),
            }
        }
        Ok(smooth)
    }
}
