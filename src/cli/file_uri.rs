//! File URIs (RFC 8089): `file:///home/a%20b.glb` to a path, and a path to its URI.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use rigview_import::escaped;

/// Characters that are encoded in the URI of a path: all but those that GLib leaves, so that thumbnails are found
/// by the same URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'/')
    .remove(b'&')
    .remove(b'=')
    .remove(b':')
    .remove(b'@')
    .remove(b'+')
    .remove(b'$')
    .remove(b',');

/// Returns the path of a file URI; anything without a scheme is a path already.
///
/// # Errors
/// In words, if the URI names another computer or has another scheme, or its path is invalid.
pub fn path_of(text: &OsStr) -> Result<PathBuf, String> {
    let Some(uri) = text.to_str() else { return Ok(text.into()) };
    let Some((scheme, rest)) = uri.split_once(':').filter(is_uri) else {
        return Ok(text.into());
    };
    let is_file = scheme.eq_ignore_ascii_case("file");
    if !is_file && (scheme.len() < 2 || !rest.starts_with("//")) {
        return Ok(text.into());
    }
    let shown = escaped(uri);
    if !is_file {
        let scheme = escaped(scheme);
        return Err(format!(
            "{shown}: URIs of scheme {scheme} can't be read; give a file: URI or a path"
        ));
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(format!("{shown}: the file is on another computer"));
            }
            &rest[host.len()..]
        }
    };
    let path: Vec<u8> = percent_decode_str(path).collect();
    if path.is_empty() || path.contains(&0) {
        return Err(format!("{shown}: the URI has no valid path"));
    }
    system_path(path).ok_or_else(|| format!("{shown}: the path is not UTF-8"))
}

/// Whether a text before and after a colon is that of a URI: a scheme has no slash.
fn is_uri((scheme, rest): &(&str, &str)) -> bool {
    rest.starts_with('/') && !scheme.contains('/')
}

#[cfg(unix)]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Elsewhere a drive follows the first slash: `/C:/model.glb`.
#[cfg(not(unix))]
fn system_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(bytes).ok()?;
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if has_drive { &path[1..] } else { &path }))
}

/// Returns the URI of an absolute path; `None` for another one.
pub fn uri_of(path: &Path) -> Option<String> {
    if !path.is_absolute() {
        return None;
    }
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    let bytes = format!("/{}", path.to_str()?.replace('\\', "/")).into_bytes();
    Some(format!("file://{}", percent_encode(&bytes, ENCODED)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn path(uri: &str) -> Result<String, String> {
        path_of(uri.as_ref()).map(|path| path.to_string_lossy().into_owned())
    }

    #[test]
    fn file_uris_are_decoded_and_paths_are_kept() {
        for (uri, wanted) in [
            ("file:///a/b%20c.glb", "/a/b c.glb"),
            ("FILE://localhost/a/%C3%BC.glb", "/a/\u{fc}.glb"),
            ("file:/a/b.glb", "/a/b.glb"),
            ("/a/b%20c.glb", "/a/b%20c.glb"),
            ("b:c.glb", "b:c.glb"),
            ("dir/file:///x", "dir/file:///x"),
            ("c:/b.glb", "c:/b.glb"),
        ] {
            assert_eq!(path(uri).as_deref(), Ok(wanted), "{uri}");
        }
        for bad in ["http://host/a.glb", "file://other/a.glb", "file://", "file:///a%00b"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_uri_leads_back_to_its_path() {
        for name in ["/a b/\u{fc}#?%.glb", "/plain-_.!~*'()&=:@+$,/x.glb", "/a;b\"<>[]"] {
            let uri = uri_of(name.as_ref()).unwrap();
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?', ';']), "{uri}");
            assert_eq!(path(&uri).as_deref(), Ok(name));
        }
        assert_eq!(
            uri_of("/plain-_.!~*'()&=:@+$,/x".as_ref()).unwrap(),
            "file:///plain-_.!~*'()&=:@+$,/x"
        );
        assert_eq!(uri_of("a.glb".as_ref()), None);
    }
}
