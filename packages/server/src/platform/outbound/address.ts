/**
 * Decides which IP addresses may be called: public ones, and those that the operator allows. ipaddr.js
 * contains the special ranges of the IANA registries. Every range other than plain unicast is blocked, so an
 * unknown range is blocked too.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Mode } from '../../kernel/id.ts'

/** `allowed`: the operator allows the address, public or not. */
export type AddressStatus = 'public' | 'allowed' | 'blocked'

export type AddressRules = (address: string, mode: Mode) => AddressStatus

export type AllowedNetworks = {
  /** Networks that may be called although they are not public, in both environments. */
  readonly allowCidrs: readonly string[]
  /** Whether the test environment may call this machine. */
  readonly allowLoopback: boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Address, number]

/**
 * Metadata services, where clouds serve credentials to any client inside their network. They are blocked even
 * if an allowed network contains them. Metadata services in link-local ranges are blocked because the whole
 * range is.
 */
const metadata = new Set([
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:ec2::23', // AWS, pod credentials
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
])

/**
 * The ranges in which an operator may allow networks, without loopback, link-local and multicast.
 */
const allowableRanges = new Set<string>([
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'reserved',
  'benchmarking',
  'unicast',
])

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16')

/** Throws if a network is invalid: a typo must not allow more addresses than intended. */
export function addressRules({ allowCidrs, allowLoopback }: AllowedNetworks): AddressRules {
  const networks = allowCidrs.map(parseNetwork)
  const isAllowed = (address: Address, mode: Mode): boolean => {
    const range = rangeOf(address)
    if (range === 'loopback') return allowLoopback && mode === 'test'
    return allowableRanges.has(range) && networks.some((network) => isWithin(address, network))
  }
  return (text, mode) => {
    const address = parseAddress(text)
    if (address === null || isMetadata(address)) return 'blocked'
    if (isAllowed(address, mode)) return 'allowed'
    return isPublic(embeddedIpv4(address) ?? address) ? 'public' : 'blocked'
  }
}

function parseNetwork(text: string): Network {
  const parsed = ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
    ? { network: ipaddr.IPv4.parseCIDR(text), first: ipaddr.IPv4.networkAddressFromCIDR(text) }
    : ipaddr.IPv6.isValidCIDR(text)
      ? { network: ipaddr.IPv6.parseCIDR(text), first: ipaddr.IPv6.networkAddressFromCIDR(text) }
      : null
  const example = 'Write it like 10.0.0.0/8 or fd00::/8.'
  if (parsed === null) throw new Error(`"${text}" is not a valid network. ${example}`)
  if (parsed.network[0].toString() !== parsed.first.toString())
    throw new Error(
      `"${text}" is not a valid network: its first address is ${parsed.first.toString()}. ${example}`,
    )
  // Addresses are unwrapped before they are compared, so this network would never match.
  if (parsed.network[0].range() === 'ipv4Mapped')
    throw new Error(`"${text}" is not a valid network: write it as IPv4. ${example}`)
  return parsed.network
}

/** Whether the text is an IP address, or a network such as 10.0.0.0/8 written with its first address. */
export function isAddressOrNetwork(text: string): boolean {
  if (!text.includes('/')) return parseAddress(text) !== null
  try {
    parseNetwork(text)
    return true
  } catch {
    return false
  }
}

/** Null if the text is not an IP address in standard notation, or has a zone, which names a local interface. */
function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  const address = ipaddr.parse(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * The IPv4 address inside a NAT64 or 6to4 address, to which a gateway would forward a packet. NAT64 and 6to4
 * prefixes are for the public internet only, so an operator cannot allow them. Local NAT64 prefixes
 * (64:ff9b:1::/48) and Teredo have no fixed position for the IPv4 address and are blocked.
 */
function embeddedIpv4(address: Address): ipaddr.IPv4 | null {
  if (address instanceof ipaddr.IPv4) return null
  const bytes = address.toByteArray()
  if (address.match(nat64)) return new ipaddr.IPv4(bytes.slice(12))
  if (address.match(sixToFour)) return new ipaddr.IPv4(bytes.slice(2, 6))
  return null
}

/** ipaddr.js returns `unicast` for unknown ranges, but only one eighth of IPv6 is assigned to global unicast. */
function rangeOf(address: Address): string {
  const range: string = address.range()
  const isAssigned = address instanceof ipaddr.IPv4 || address.match(globalUnicast)
  return range === 'unicast' && !isAssigned ? 'unassigned' : range
}

function isPublic(address: Address): boolean {
  return rangeOf(address) === 'unicast' && !isMetadata(address)
}

function isMetadata(address: Address): boolean {
  return metadata.has(address.toString())
}

function isWithin(address: Address, [first, bits]: Network): boolean {
  return address.kind() === first.kind() && address.match(first, bits)
}
