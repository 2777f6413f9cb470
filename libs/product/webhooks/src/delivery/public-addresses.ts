import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

/** Where global unicast addresses lie (RFC 4291, section 2.4): what is elsewhere has a meaning of its own. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** NAT64 with the well-known prefix (RFC 6052): what a network without IPv4 reaches a public IPv4 address by. */
const nat64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** In no registry: the platform's own server for every virtual machine of Azure (learn.microsoft.com, "What is IP address 168.63.129.16?"). */
const ofClouds = new Set(['168.63.129.16']);

/**
 * Whether an address is one of the public internet: unicast, and in no range that IANA keeps for another purpose. An IPv4 address
 * within an IPv6 one (mapped, NAT64) is looked at itself; tunnels (6to4, Teredo) lead to nobody whom we would send anything.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublic(address);
  if (address.isIPv4MappedAddress()) return isPublic(address.toIPv4Address());
  if (address.match(nat64)) return isPublic(embedded(address));
  return address.match(globalUnicast) && address.range() === 'unicast';
}

function isPublic(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !ofClouds.has(address.toString());
}

/** The IPv4 address in the last 32 bits. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}
