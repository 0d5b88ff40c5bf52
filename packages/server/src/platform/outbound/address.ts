/**
 * Which addresses are called: public ones, and those that the operator has opened. ipaddr.js knows the special
 * ranges of the IANA registries; whatever is not plain unicast there is blocked, so a range that nobody thought
 * of is closed and not open.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Mode } from '../../kernel/id.ts'

/** `opened`: called because the operator says so, public or not. */
export type Standing = 'public' | 'opened' | 'blocked'

export type AddressRules = (address: string, mode: Mode) => Standing

export type Openings = {
  /** Networks that are called though they are not public, in both environments. */
  readonly allowCidrs: readonly string[]
  /** Whether the test environment may call this machine. */
  readonly allowLoopback: boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Address, number]

/**
 * Where clouds hand out credentials to whoever asks from inside. An opened network may well contain them; they
 * stay blocked. Those in link-local ranges are blocked with these ranges.
 */
const metadata = new Set([
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:ec2::23', // AWS, credentials of pods
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
])

/** What a network of the operator may lie in. This machine, its neighbours on the wire and groups are no networks. */
const openable = new Set<string>([
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

/** Throws if a network is not one: a slip of the pen must not open more than was meant. */
export function addressRules({ allowCidrs, allowLoopback }: Openings): AddressRules {
  const networks = allowCidrs.map(readNetwork)
  const isOpened = (address: Address, mode: Mode): boolean => {
    const range = rangeOf(address)
    if (range === 'loopback') return allowLoopback && mode === 'test'
    return openable.has(range) && networks.some((network) => isWithin(address, network))
  }
  return (text, mode) => {
    const address = readAddress(text)
    if (address === null || isMetadata(address)) return 'blocked'
    if (isOpened(address, mode)) return 'opened'
    return isPublic(carriedBy(address) ?? address) ? 'public' : 'blocked'
  }
}

function readNetwork(text: string): Network {
  const read = ipaddr.IPv4.isValidCIDRFourPartDecimal(text)
    ? { network: ipaddr.IPv4.parseCIDR(text), first: ipaddr.IPv4.networkAddressFromCIDR(text) }
    : ipaddr.IPv6.isValidCIDR(text)
      ? { network: ipaddr.IPv6.parseCIDR(text), first: ipaddr.IPv6.networkAddressFromCIDR(text) }
      : null
  const example = 'Write it like 10.0.0.0/8 or fd00::/8.'
  if (read === null) throw new Error(`"${text}" is not a network to allow. ${example}`)
  if (read.network[0].toString() !== read.first.toString())
    throw new Error(`"${text}" is not a network to allow: it begins at ${read.first.toString()}. ${example}`)
  // Addresses are unwrapped before they are compared, so this one would never match.
  if (read.network[0].range() === 'ipv4Mapped')
    throw new Error(`"${text}" is not a network to allow: write it as IPv4. ${example}`)
  return read.network
}

/** Null for what is not written as sockets write it. A zone names an interface of this machine. */
function readAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  const address = ipaddr.parse(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * The IPv4 address that a gateway would take a packet on to. Such prefixes stand for the public internet alone,
 * so they open nothing. Local ones (64:ff9b:1::/48) and Teredo have no fixed place for it and are blocked.
 */
function carriedBy(address: Address): ipaddr.IPv4 | null {
  if (address instanceof ipaddr.IPv4) return null
  const bytes = address.toByteArray()
  if (address.match(nat64)) return new ipaddr.IPv4(bytes.slice(12))
  if (address.match(sixToFour)) return new ipaddr.IPv4(bytes.slice(2, 6))
  return null
}

/** ipaddr.js calls `unicast` what it has no name for; of IPv6, one eighth alone is given out for that. */
function rangeOf(address: Address): string {
  const range: string = address.range()
  const isGivenOut = address instanceof ipaddr.IPv4 || address.match(globalUnicast)
  return range === 'unicast' && !isGivenOut ? 'unassigned' : range
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
