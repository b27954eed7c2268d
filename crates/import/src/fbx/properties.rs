//! Properties that users added to objects become `extras` of what the objects become.

use serde_json::Value;
use ufbx::{Element, Prop, PropFlags, PropType};

/// Adds the user properties of an object to an item of the document. Those that programs hide from users are left out.
pub(super) fn put(item: &mut Value, element: &Element) {
    for property in &element.props.props {
        let flags = property.flags;
        if flags.has_any(PropFlags::USER_DEFINED)
            && !flags.has_any(PropFlags::HIDDEN)
            && let Some(value) = value(property)
        {
            item["extras"][&*property.name] = value;
        }
    }
}

/// Returns a property's value; `None` for groups of properties and for links.
fn value(property: &Prop) -> Option<Value> {
    use PropType::{
        Blob, Boolean, Color, ColorWithAlpha, Compound, DateTime, Distance, Integer, Number,
        Reference, Rotation, Scaling, String, Translation, Unknown, Vector,
    };
    let at = property.value_vec4;
    Some(match property.type_ {
        Boolean => (property.value_int != 0).into(),
        Integer => property.value_int.into(),
        Number | Distance => at.x.into(),
        Vector | Color | Translation | Rotation | Scaling => vec![at.x, at.y, at.z].into(),
        ColorWithAlpha => vec![at.x, at.y, at.z, at.w].into(),
        String | DateTime | Unknown => (*property.value_str).into(),
        Blob | Compound | Reference => return None,
    })
}
