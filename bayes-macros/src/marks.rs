//! The mark `#[rows]`, on arguments and on fields.

use crate::messages;
use crate::report::Report;
use syn::{Attribute, Data, DeriveInput, Member, Meta, Type};

/// Whether `#[rows]` is among the attributes.
pub fn has_rows(attributes: &[Attribute]) -> bool {
    attributes.iter().any(is_mark)
}

fn is_mark(attribute: &Attribute) -> bool {
    attribute.path().is_ident("rows")
}

/// The mark takes no options.
pub fn options(attributes: &[Attribute], report: &mut Report) {
    for attribute in attributes.iter().filter(|attribute| is_mark(attribute)) {
        if !matches!(attribute.meta, Meta::Path(_)) {
            report.at(attribute, messages::rows_takes_no_options());
        }
    }
}

/// A field of a struct.
pub struct Field<'a> {
    /// Its name or position.
    pub member: Member,
    /// Its type.
    pub ty: &'a Type,
    /// Whether it is marked.
    pub has_rows: bool,
}

/// The fields of a struct with some fields marked; `None` if there is a mistake.
pub fn fields<'a>(input: &'a DeriveInput, report: &mut Report) -> Option<Vec<Field<'a>>> {
    let Data::Struct(data) = &input.data else {
        report.at(&input.ident, messages::rows_of_no_struct());
        return None;
    };
    let members = data.fields.members();
    let fields: Vec<Field<'_>> = data
        .fields
        .iter()
        .zip(members)
        .map(|(field, member)| {
            options(&field.attrs, report);
            Field {
                member,
                ty: &field.ty,
                has_rows: has_rows(&field.attrs),
            }
        })
        .collect();
    if fields.iter().all(|field| !field.has_rows) {
        report.at(&input.ident, messages::no_field_with_rows(&input.ident));
    }
    for field in fields.iter().filter(|field| field.has_rows) {
        if let Type::Reference(_) = field.ty {
            report.at(field.ty, messages::rows_by_reference());
        }
    }
    report.is_empty().then_some(fields)
}
