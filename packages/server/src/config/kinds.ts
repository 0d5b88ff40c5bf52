/** The types of settings. Each kind parses a string, and describes which strings are valid. */
import { isAddressOrNetwork } from '../platform/outbound/address.ts'
import type { MasterKey } from '../platform/sealed-box/keyring.ts'
import type { Kind } from './setting.ts'

export type Listen = { readonly host: string; readonly port: number }

export const text: Kind<string> = { type: 'text', mustBe: 'some text', read: (input) => input }

/** The part of an address before the @ may have 64 characters, of which a token takes 55. */
export const returnPath: Kind<string> = {
  type: 'address',
  mustBe: 'an e-mail address with at most 9 letters or digits before the @',
  read: (input) => (/^[a-z0-9]{1,9}@[a-z0-9.-]+$/i.test(input) ? input : null),
}

export const folder: Kind<string> = { type: 'folder', mustBe: 'the path of a folder', read: (input) => input }

export const flag: Kind<boolean> = {
  type: 'true or false',
  mustBe: 'true or false',
  read: (input) => (input === 'true' ? true : input === 'false' ? false : null),
}

/** True: every connection is trusted. A list: connections from these addresses and networks. */
export const proxies: Kind<boolean | readonly string[]> = {
  type: 'true, false or list',
  mustBe: 'true, false, or IP addresses and networks of proxies, separated by commas',
  read(input) {
    const asFlag = flag.read(input)
    if (asFlag !== null) return asFlag
    const entries = entriesOf(input)
    // A network of all addresses would let every caller forge its address.
    const isValid = entries.every((entry) => isAddressOrNetwork(entry) && !entry.endsWith('/0'))
    return isValid ? entries : null
  },
}

export const list = (entryNames: string): Kind<readonly string[]> => ({
  type: 'list',
  mustBe: `${entryNames}, separated by commas`,
  read: (input) =>
    input
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
})

export const wholeNumber = (min: number, max: number): Kind<number> => ({
  type: 'integer',
  mustBe: `an integer from ${min} to ${max}`,
  read(input) {
    const number = Number(input)
    return Number.isInteger(number) && number >= min && number <= max ? number : null
  },
})

export const oneOf = <const T extends string>(...allowed: readonly T[]): Kind<T> => ({
  type: 'enum',
  mustBe: `one of ${allowed.join(', ')}`,
  read: (input) => allowed.find((value) => value === input) ?? null,
})

export const replicas: Kind<1 | 3> = {
  type: '1 or 3',
  mustBe: '1, or 3 for a cluster of three or more servers',
  read: (input) => (input === '1' ? 1 : input === '3' ? 3 : null),
}

export const listener: Kind<Listen> = {
  type: 'host:port',
  mustBe: 'host:port',
  read(input) {
    const match = /^(.+):(\d{1,5})$/.exec(input)
    const port = Number(match?.[2])
    return match?.[1] === undefined || port > 65_535 ? null : { host: match[1], port }
  },
}

/** A trailing slash is removed, because the paths that are appended begin with one. */
export const address: Kind<string> = {
  type: 'URL',
  mustBe: 'a URL that begins with https:// or http://',
  read: (input) => (isAddress(input, ['https', 'http']) ? input.replace(/\/$/, '') : null),
}

/** An address that may contain a password, so error messages never repeat it. */
export const addressWithPassword = (...schemes: readonly string[]): Kind<string> => {
  const beginnings = schemes.map((scheme) => `${scheme}://`).join(' or ')
  return {
    type: 'URL',
    mustBe: `a URL that begins with ${beginnings}`,
    read: (input) => (isAddress(input, schemes) ? input : null),
    flaw: (input) =>
      schemes.some((scheme) => input.startsWith(`${scheme}://`))
        ? 'is not a valid URL'
        : `does not begin with ${beginnings}`,
  }
}

/** The name of a shard, and the URL of its database. */
export type NamedUrl = { readonly name: string; readonly url: string }

const maxShards = 8
/** The name is also part of the names and subjects of NATS, and a label of metrics. */
const namedUrlPattern = /^([a-z][a-z0-9_]{0,31})=(postgres(?:ql)?:\/\/.+)$/s

/** One URL per shard. They may contain passwords, so error messages never repeat them. */
export const namedUrls: Kind<readonly NamedUrl[]> = {
  type: 'list',
  mustBe: `up to ${maxShards} different names with a URL that begins with postgres:// or postgresql://, separated by commas`,
  read(input) {
    const entries = input.split(/,\s*(?=[a-z][a-z0-9_]*=)/).map(readNamedUrl)
    const found = entries.filter((entry) => entry !== null)
    const names = new Set(found.map(({ name }) => name))
    return found.length === entries.length && names.size === entries.length && names.size <= maxShards
      ? found
      : null
  },
  flaw: () => 'has an invalid entry, or two with the same name',
}

function readNamedUrl(entry: string): NamedUrl | null {
  const [, name, url] = namedUrlPattern.exec(entry.trim()) ?? []
  // The control plane has this name in metrics and logs.
  if (name === undefined || url === undefined || name === 'control') return null
  return URL.canParse(url) ? { name, url } : null
}

export const natsUrls: Kind<string> = {
  type: 'URLs',
  mustBe: 'URLs that begin with nats:// or tls://, separated by commas',
  read: (input) =>
    input.split(',').every((entry) => isAddress(entry.trim(), ['nats', 'tls']) && hasHost(entry.trim()))
      ? input
      : null,
  flaw: () => 'has an invalid entry',
}

function isAddress(text: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text)
}

const hasHost = (text: string) => new URL(text).hostname !== ''

const masterKey = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/]{43}=)$/

export const masterKeys: Kind<readonly MasterKey[]> = {
  type: 'list of keys',
  mustBe: '<name>:<32 bytes as base64>',
  read(input) {
    const keys = entriesOf(input).map((entry) => masterKey.exec(entry))
    const parsed = keys.map((match) => ({
      id: match?.[1] ?? '',
      key: Buffer.from(match?.[2] ?? '', 'base64'),
    }))
    return keys.every((match) => match !== null) ? parsed : null
  },
  flaw(input) {
    const entries = entriesOf(input)
    const index = entries.findIndex((entry) => !masterKey.test(entry))
    const position = entries.length === 1 ? '' : ` in entry ${index + 1}`
    return `has ${faultOfKey(entries[index] ?? '')}${position}`
  },
}

const entriesOf = (text: string) => text.split(',').map((entry) => entry.trim())

function faultOfKey(entry: string): string {
  if (entry === '') return 'no key'
  const [name = '', ...rest] = entry.split(':')
  if (rest.length === 0) return 'a key without a name: write <name>:<key>'
  if (!/^[a-z0-9-]{1,32}$/.test(name))
    return 'a name with characters other than a-z, 0-9 and -, or with more than 32 characters'
  return `a key of ${Buffer.from(rest.join(':'), 'base64').length} bytes, or one that is not base64`
}
