import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

/** Range of global unicast addresses (RFC 4291, section 2.4); addresses elsewhere have a special meaning. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** NAT64 with the well-known prefix (RFC 6052), through which a network without IPv4 reaches public IPv4 addresses. */
const nat64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Listed in no registry: the platform server of every Azure virtual machine (learn.microsoft.com, "What is IP address 168.63.129.16?"). */
const ofClouds = new Set(['168.63.129.16']);

/**
 * Whether an address is on the public internet: unicast, and in no range that IANA reserves for another purpose. An
 * IPv4 address within an IPv6 one (mapped, NAT64) is checked itself; tunnels (6to4, Teredo) are refused, because no
 * receiver needs them.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublic(address);
  if (address.isIPv4MappedAddress()) return isPublic(address.toIPv4Address());
  if (address.match(nat64)) return isPublic(embedded(address));
  return address.match(globalUnicast) && address.range() === 'unicast';
}

/** Whether the host of a URL is an address, in any spelling, that is not on the public internet. */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isPublicAddress(address);
}

function isPublic(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !ofClouds.has(address.toString());
}

/** The IPv4 address in the last 32 bits. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
