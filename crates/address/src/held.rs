//! The addresses of one node, between the kernel and the neighbours.

use crate::netlink::{Netlink, Present};
use crate::{Address, lifetime, link};
use ringleader_node::Addresses;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// The addresses that the kernel of this host has.
#[derive(Debug)]
struct Host {
    addresses: Vec<Address>,
    netlink: Netlink,
    /// The greatest time for which they are held without a renewal.
    longest: Duration,
}

impl Host {
    fn new(addresses: Vec<Address>, longest: Duration) -> std::io::Result<Host> {
        Ok(Host { addresses, netlink: Netlink::open()?, longest })
    }

    /// Those that this program has put there, and others.
    fn present(&mut self) -> Result<(Vec<Present>, Vec<Present>), String> {
        let most = u32::try_from(self.longest.as_secs()).unwrap_or(u32::MAX - 1).max(1);
        let all = self.netlink.list().map_err(|error| format!("cannot list the addresses of this host: {error}"))?;
        let here = |present: &Present| self.addresses.iter().any(|address| address.ip == present.ip);
        Ok(all.into_iter().filter(here).partition(|one| one.is_ours(most)))
    }

    /// Those that this program has put there. Refuses others.
    fn ours(&mut self) -> Result<Vec<Present>, String> {
        let (ours, foreign) = self.present()?;
        match foreign.first() {
            Some(Present { ip, .. }) => Err(format!(
                "{ip} is on this host already, and this daemon did not put it there: remove it from the host's network \
                 configuration, or from `address`"
            )),
            None => Ok(ours),
        }
    }
}

/// Refuses addresses that another program has put on this host. Returns a warning for each interface that cannot be used now: it may come
/// later. `longest` as in [`VirtualAddresses::new`].
pub fn examine(addresses: Vec<Address>, longest: Duration) -> Result<Vec<String>, String> {
    let mut host = Host::new(addresses, longest).map_err(|error| error.to_string())?;
    host.ours()?;
    Ok(host.addresses.iter().filter_map(|address| link::find(&address.interface).err()).collect())
}

/// The virtual addresses of this host.
#[derive(Debug)]
pub struct VirtualAddresses {
    host: Host,
    frames: OwnedFd,
    /// The time at which the kernel removes them.
    until: Option<Instant>,
}

impl VirtualAddresses {
    /// Opens the sockets that the addresses need. `longest` is the time for which an address may be held without a renewal.
    pub fn new(addresses: Vec<Address>, longest: Duration) -> std::io::Result<VirtualAddresses> {
        Ok(VirtualAddresses { host: Host::new(addresses, longest)?, frames: link::open()?, until: None })
    }
}

impl Addresses for VirtualAddresses {
    fn ready(&mut self) -> Result<(), String> {
        self.host.addresses.iter().try_for_each(|address| link::find(&address.interface).map(drop))?;
        self.host.ours().map(drop)
    }

    fn hold(&mut self, time: Duration) -> Result<(), String> {
        let links = self.host.addresses.iter().map(|address| link::find(&address.interface));
        let links = links.collect::<Result<Vec<_>, _>>()?;
        let now = Instant::now();
        let left = self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        let Some(seconds) = lifetime::due(time, left, self.host.longest) else { return Ok(()) };
        let ours = self.host.ours()?;
        let Host { addresses, netlink, .. } = &mut self.host;
        for (address, link) in addresses.iter().zip(&links) {
            // The interface or the prefix may have changed.
            let elsewhere =
                |one: &&Present| one.ip == address.ip && (one.index, one.prefix) != (link.index, address.prefix);
            for one in ours.iter().filter(elsewhere) {
                netlink.remove(one).map_err(|error| format!("cannot move {}: {error}", address.ip))?;
            }
            netlink.set(address, link.index, seconds).map_err(|error| format!("cannot set {address}: {error}"))?;
        }
        self.until = Some(now + Duration::from_secs(seconds.into()));
        Ok(())
    }

    fn announce(&mut self) -> Result<(), String> {
        let send = |address: &Address| link::find(&address.interface)?.announce(&self.frames, address.ip);
        // All of them, even if one fails.
        let results: Vec<_> = self.host.addresses.iter().map(send).collect();
        results.into_iter().collect()
    }

    fn release(&mut self) -> Result<(), String> {
        self.until = None;
        let (ours, _) = self.host.present()?;
        // All of them, even if one fails.
        let failed = ours.iter().filter_map(|one| Some((one.ip, self.host.netlink.remove(one).err()?)));
        let failed: Vec<String> = failed.map(|(ip, error)| format!("cannot remove {ip}: {error}")).collect();
        if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
    }
}
