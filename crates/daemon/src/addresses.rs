//! The virtual addresses of a node: their settings, and their start.

#[cfg(all(feature = "address", target_os = "linux"))]
pub(crate) use linux::Plan;
#[cfg(not(all(feature = "address", target_os = "linux")))]
pub(crate) use missing::Plan;

/// An address and its interface, as given.
#[derive(serde::Deserialize, serde::Serialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placement {
    pub(crate) address: String,
    pub(crate) interface: String,
}

/// The error of a text that is not a [`Placement`].
#[derive(Clone, Debug, thiserror::Error)]
#[error("address must be IP/LENGTH@INTERFACE, such as 192.0.2.10/32@eth0, not {0:?}")]
pub(crate) struct NoPlacement(String);

impl std::str::FromStr for Placement {
    type Err = NoPlacement;
    fn from_str(text: &str) -> Result<Placement, NoPlacement> {
        let (address, interface) = text.split_once('@').ok_or_else(|| NoPlacement(text.into()))?;
        Ok(Placement { address: address.into(), interface: interface.into() })
    }
}

#[cfg(all(feature = "address", target_os = "linux"))]
mod linux {
    use crate::settings::Settings;
    use ringleader_address::{Address, VirtualAddresses, rights};
    use ringleader_node::{Config, Handle, NodeError, keep_addresses, longest_hold};
    use std::net::SocketAddr;
    use std::thread::JoinHandle;
    use std::time::Duration;

    /// The default time between two announcements.
    const REFRESH: Duration = Duration::from_secs(60);
    /// A shorter one would be a flood.
    const LEAST_REFRESH: Duration = Duration::from_secs(1);

    fn refused(reason: impl std::fmt::Display) -> NodeError {
        NodeError::new(format!("address: {reason}"))
    }

    /// The virtual addresses of a node, validated.
    #[derive(Debug)]
    pub(crate) struct Plan {
        addresses: Vec<Address>,
        refresh: Duration,
        longest: Duration,
    }

    impl Plan {
        /// The plan of these settings, if they have addresses.
        pub(crate) fn new(settings: &Settings, config: &Config) -> Result<Option<Plan>, NodeError> {
            let refresh = settings.address_refresh.map_or(REFRESH, |span| span.0);
            let flood = !refresh.is_zero() && refresh < LEAST_REFRESH;
            NodeError::refuse_if(flood, format!("address-refresh must be 1 s at least, or 0 s, not {refresh:?}"))?;
            if settings.address.is_empty() {
                let reason = "address-refresh is for virtual addresses: give address, or leave it out";
                return NodeError::refuse_if(settings.address_refresh.is_some(), reason).map(|()| None);
            }
            let mut addresses: Vec<Address> = vec![];
            for given in &settings.address {
                let address = Address::new(&given.address, &given.interface).map_err(refused)?;
                let ip = address.ip;
                if addresses.iter().any(|other| other.ip == ip) {
                    return Err(refused(format!("{ip} is given twice")));
                }
                let of_peer = |text: &&String| text.parse::<SocketAddr>().is_ok_and(|peer| peer.ip() == ip);
                if config.listen.ip() == ip || config.peers.values().any(|peer| of_peer(&peer)) {
                    return Err(refused(format!(
                        "{ip} is an address of a node: a virtual address moves between hosts, so give one that no host has"
                    )));
                }
                addresses.push(address);
            }
            Ok(Some(Plan { addresses, refresh, longest: longest_hold(config) }))
        }

        /// Refuses addresses that this host has already. Returns a warning for each interface that cannot be used now.
        pub(crate) fn examine(&self) -> Result<Vec<String>, NodeError> {
            ringleader_address::examine(self.addresses.clone(), self.longest).map_err(refused)
        }

        /// The same, and the rights of this process, which its hooks do not inherit. It must be called before any thread is started.
        pub(crate) fn begin(&self) -> Result<Vec<String>, NodeError> {
            let missing = rights::missing();
            if !missing.is_empty() {
                let all = missing.join(" and ");
                return Err(refused(format!(
                    "this process needs {all}: put docs/examples/three-hosts/address.conf beside the unit, or start the daemon as root"
                )));
            }
            rights::keep_from_children()
                .map_err(|error| refused(format!("cannot drop capabilities of hooks: {error}")))?;
            self.examine()
        }

        /// Keeps the addresses while the node leads.
        pub(crate) fn keep(self, node: &Handle) -> Result<JoinHandle<()>, NodeError> {
            let held = VirtualAddresses::new(self.addresses, self.longest).map_err(|error| {
                refused(format!(
                    "cannot open a socket: {error}; RestrictAddressFamilies of the unit must allow AF_PACKET"
                ))
            })?;
            keep_addresses(Box::new(held), self.refresh, node).map_err(refused)
        }
    }
}

#[cfg(not(all(feature = "address", target_os = "linux")))]
mod missing {
    use crate::settings::Settings;
    use ringleader_node::{Config, Handle, NodeError};
    use std::convert::Infallible;
    use std::thread::JoinHandle;

    /// A program without virtual addresses has no plan for them.
    #[derive(Debug)]
    pub(crate) struct Plan(Infallible);

    impl Plan {
        pub(crate) fn new(settings: &Settings, _: &Config) -> Result<Option<Plan>, NodeError> {
            NodeError::refuse_if(
                !settings.address.is_empty() || settings.address_refresh.is_some(),
                "this program has no virtual addresses: they need Linux and the feature `address`; a hook can move an address, too",
            )?;
            Ok(None)
        }

        pub(crate) fn examine(&self) -> Result<Vec<String>, NodeError> {
            match self.0 {}
        }

        pub(crate) fn begin(&self) -> Result<Vec<String>, NodeError> {
            match self.0 {}
        }

        pub(crate) fn keep(self, _: &Handle) -> Result<JoinHandle<()>, NodeError> {
            match self.0 {}
        }
    }
}

#[cfg(all(test, feature = "address", target_os = "linux"))]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// The reason why settings with these addresses are refused.
    fn refusal(text: &str) -> Option<String> {
        let peers = "id = 0\ninsecure = true\n[peers]\n0 = \"127.0.0.1:1\"\n1 = \"192.0.2.1:1\"\n";
        let settings: Settings = toml::from_str(&format!("{peers}{text}")).unwrap();
        let config = settings.config().unwrap();
        Plan::new(&settings, &config).err().map(|error| error.to_string())
    }

    fn table(address: &str, interface: &str) -> String {
        format!("[[address]]\naddress = \"{address}\"\ninterface = \"{interface}\"\n")
    }

    #[test]
    fn wrong_addresses_are_refused_with_a_reason() {
        let two = |one: &str, other: &str| format!("{}{}", table(one, "eth0"), table(other, "eth1"));
        assert_eq!(refusal(&two("192.0.2.10/24", "2001:db8::10")), None);
        for (text, reason) in [
            (table("192.0.2", "eth0"), "is not an address"),
            (table("192.0.2.10", "no such name"), "is not the name of an interface"),
            (two("192.0.2.10", "192.0.2.10/24"), "192.0.2.10 is given twice"),
            (table("192.0.2.1", "eth0"), "192.0.2.1 is an address of a node"),
        ] {
            let told = refusal(&text).unwrap_or_default();
            assert!(told.starts_with("address: ") && told.contains(reason), "{text}: {told}");
        }
        assert!(toml::from_str::<Settings>(&format!("{}mask = 1\n", table("192.0.2.10", "eth0"))).is_err());
        assert!("192.0.2.10".parse::<Placement>().is_err_and(|error| error.to_string().contains("@eth0")));
    }

    #[test]
    fn a_refresh_needs_addresses_and_is_no_flood() {
        let with = |refresh: &str| {
            let settings: Settings =
                toml::from_str(&format!("id = 0\naddress-refresh = \"{refresh}\"\n{}", table("192.0.2.10", "eth0")))
                    .unwrap();
            Plan::new(&settings, &ringleader_node::Config::new(0, "127.0.0.1:1".parse().unwrap()))
        };
        assert!(with("0s").is_ok() && with("1s").is_ok());
        assert!(with("10ms").is_err_and(|error| error.to_string().contains("1 s at least")));
        let settings: Settings = toml::from_str("address-refresh = \"60s\"").unwrap();
        let config = ringleader_node::Config::new(0, "127.0.0.1:1".parse().unwrap());
        assert!(Plan::new(&settings, &config).is_err_and(|error| error.to_string().contains("give address")));
    }

    /// A reload names them, and flags replace those of the file.
    #[test]
    fn a_change_needs_a_restart() {
        let [old, new]: [Settings; 2] =
            ["192.0.2.10", "192.0.2.11"].map(|address| toml::from_str(&table(address, "eth0")).unwrap());
        assert_eq!(old.needs_restart(&new), ["address"]);
    }
}
