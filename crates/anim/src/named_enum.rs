//! Enums whose variants have names: on the command line, in files or in messages.

/// Declares an enum with a name per variant.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Enum:ident {
            $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $Enum {
            $($(#[$of_variant])* $Variant,)+
        }

        impl $Enum {
            /// All values, in the order in which they are listed.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Variant),+];

            /// Returns its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)+
                }
            }

            /// Returns the value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.name() == name)
            }
        }
    };
}
