//! Advice on how to install a graphics driver: the packages of the system's distribution.

/// A family of Linux distributions whose packages have the same names.
struct Family {
    /// Values of `ID` and `ID_LIKE` in `os-release`.
    ids: &'static [&'static str],
    /// What people call them.
    name: &'static str,
    install: &'static str,
    /// The loader, and drivers that draw without a GPU. On Arch, Alpine, openSUSE and Void they leave out GPUs.
    software: &'static str,
    /// Further packages with drivers of GPUs; empty if `software` has them.
    gpus: &'static str,
}

const FAMILIES: [Family; 6] = [
    Family {
        ids: &["debian", "ubuntu"],
        name: "Debian, Ubuntu",
        install: "apt install",
        software: "libvulkan1 mesa-vulkan-drivers",
        gpus: "",
    },
    Family {
        ids: &["fedora", "rhel", "centos"],
        name: "Fedora",
        install: "dnf install",
        software: "vulkan-loader mesa-vulkan-drivers",
        gpus: "",
    },
    Family {
        ids: &["arch"],
        name: "Arch",
        install: "pacman -S",
        software: "vulkan-icd-loader vulkan-swrast",
        gpus: "vulkan-radeon, vulkan-intel or nvidia-utils",
    },
    Family {
        ids: &["suse", "opensuse"],
        name: "openSUSE",
        install: "zypper install",
        software: "libvulkan1 libvulkan_lvp",
        gpus: "libvulkan_radeon or libvulkan_intel",
    },
    Family {
        ids: &["alpine"],
        name: "Alpine",
        install: "apk add",
        software: "vulkan-loader mesa-vulkan-swrast",
        gpus: "mesa-vulkan-ati or mesa-vulkan-intel",
    },
    Family {
        ids: &["void"],
        name: "Void",
        install: "xbps-install",
        software: "vulkan-loader mesa-vulkan-lavapipe",
        gpus: "mesa-vulkan-radeon or mesa-vulkan-intel",
    },
];

/// Returns what to install so that there is an adapter, on this system.
pub(crate) fn advice() -> String {
    if !cfg!(target_os = "linux") {
        return "install a graphics driver".into();
    }
    advice_for(&os_release().unwrap_or_default())
}

/// Returns the text that names the distribution.
#[cfg(target_os = "linux")]
fn os_release() -> Option<String> {
    let files = ["/etc/os-release", "/usr/lib/os-release"];
    files.iter().find_map(|file| std::fs::read_to_string(file).ok())
}

/// Only Linux has distributions.
#[cfg(not(target_os = "linux"))]
fn os_release() -> Option<String> {
    None
}

/// Returns what to install on the distribution that `os_release`, the text of `/etc/os-release`, names: by its own
/// id, or else by those of the distributions that it is like. Of an unknown one, all are listed.
fn advice_for(os_release: &str) -> String {
    let value = |key: &str| {
        let line = os_release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches(['"', '\'', ' '])
    };
    let ids = value("ID").split_whitespace().chain(value("ID_LIKE").split_whitespace());
    // openSUSE's ids are opensuse-leap, opensuse-tumbleweed and so on.
    let is = |id: &str, known: &str| id == known || id.split('-').next() == Some(known);
    let of = |id: &str| FAMILIES.iter().find(|f| f.ids.iter().any(|known| is(id, known)));
    let Some(family) = ids.into_iter().find_map(of) else {
        let all = FAMILIES.iter().map(|f| format!("{}: {} {}", f.name, f.install, f.software));
        return format!("install a Vulkan driver ({})", all.collect::<Vec<_>>().join("; "));
    };
    let Family { install, software, gpus, .. } = family;
    match *gpus {
        "" => format!("install a driver: {install} {software}"),
        gpus => format!("install a driver: {install} {software}; for a GPU also {gpus}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{FAMILIES, advice_for};

    #[test]
    fn a_distribution_is_told_its_own_packages() {
        for (os_release, package) in [
            (
                "PRETTY_NAME=\"Debian 13\"\nID=debian\n",
                "apt install libvulkan1 mesa-vulkan-drivers",
            ),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt install"),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install vulkan-loader"),
            ("ID=manjaro\nID_LIKE=arch\n", "pacman -S vulkan-icd-loader vulkan-swrast"),
            ("ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n", "libvulkan_lvp"),
            ("VERSION_ID=3.20\nID=alpine\n", "apk add vulkan-loader mesa-vulkan-swrast"),
            ("ID=void", "xbps-install"),
        ] {
            let advice = advice_for(os_release);
            assert!(advice.contains(package), "{os_release}: {advice}");
            assert_eq!(advice.matches("install a driver: ").count(), 1, "{advice}");
        }
    }

    #[test]
    fn the_book_lists_the_same_packages() {
        let page = include_str!("../../../../docs/commands.md");
        for family in FAMILIES {
            let row = format!("| {} | `{}`", family.name, family.software);
            assert!(page.contains(&row), "docs/commands.md lacks {row}");
        }
    }

    #[test]
    fn an_unknown_distribution_is_told_all_packages_on_one_line() {
        for os_release in ["", "ID=plan9\n", "IDLE=debian\nnonsense"] {
            let advice = advice_for(os_release);
            assert!(FAMILIES.iter().all(|family| advice.contains(family.software)), "{advice}");
            assert!(!advice.contains('\n'));
        }
    }
}
