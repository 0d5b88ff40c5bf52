/** What a setting can be. Each kind reads a text, and says in words which texts fit. */
import type { MasterKey } from '../platform/sealed-box/keyring.ts'
import type { Kind } from './setting.ts'

export type Listen = { readonly host: string; readonly port: number }

export const text: Kind<string> = { type: 'text', mustBe: 'some text', read: (given) => given }

export const folder: Kind<string> = { type: 'folder', mustBe: 'the path of a folder', read: (given) => given }

export const flag: Kind<boolean> = {
  type: 'true or false',
  mustBe: 'true or false',
  read: (given) => (given === 'true' ? true : given === 'false' ? false : null),
}

export const list = (of: string): Kind<readonly string[]> => ({
  type: 'list',
  mustBe: `${of}, separated by commas`,
  read: (given) =>
    given
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
})

export const wholeNumber = (min: number, max: number): Kind<number> => ({
  type: 'whole number',
  mustBe: `a whole number from ${min} to ${max}`,
  read(given) {
    const number = Number(given)
    return Number.isInteger(number) && number >= min && number <= max ? number : null
  },
})

export const oneOf = <const T extends string>(...allowed: readonly T[]): Kind<T> => ({
  type: 'one of a few',
  mustBe: `one of ${allowed.join(', ')}`,
  read: (given) => allowed.find((one) => one === given) ?? null,
})

export const copies: Kind<1 | 3> = {
  type: '1 or 3',
  mustBe: '1, or 3 for a cluster of three and more servers',
  read: (given) => (given === '1' ? 1 : given === '3' ? 3 : null),
}

export const listener: Kind<Listen> = {
  type: 'host:port',
  mustBe: 'host:port',
  read(given) {
    const match = /^(.+):(\d{1,5})$/.exec(given)
    const port = Number(match?.[2])
    return match?.[1] === undefined || port > 65_535 ? null : { host: match[1], port }
  },
}

/** Paths are put behind it, and they begin with a slash of their own. */
export const address: Kind<string> = {
  type: 'address',
  mustBe: 'an address that begins with https:// or http://',
  read: (given) => (isAddress(given, ['https', 'http']) ? given.replace(/\/$/, '') : null),
}

/** An address that may hold a password, so what is wrong with it is told by its beginning alone. */
export const addressWithPassword = (...schemes: readonly string[]): Kind<string> => {
  const beginnings = schemes.map((scheme) => `${scheme}://`).join(' or ')
  return {
    type: 'address',
    mustBe: `an address that begins with ${beginnings}`,
    read: (given) => (isAddress(given, schemes) ? given : null),
    flaw: (given) =>
      schemes.some((scheme) => given.startsWith(`${scheme}://`))
        ? 'is not an address, though it begins like one'
        : `does not begin with ${beginnings}`,
  }
}

export const addressesOfNats: Kind<string> = {
  type: 'addresses',
  mustBe: 'addresses that begin with nats:// or tls://, separated by commas',
  read: (given) =>
    given.split(',').every((one) => isAddress(one.trim(), ['nats', 'tls']) && hasHost(one.trim()))
      ? given
      : null,
  flaw: () => 'has an entry that is not such an address',
}

function isAddress(given: string, schemes: readonly string[]): boolean {
  return schemes.some((scheme) => given.startsWith(`${scheme}://`)) && URL.canParse(given)
}

const hasHost = (given: string) => new URL(given).hostname !== ''

const masterKey = /^([a-z0-9-]{1,32}):([A-Za-z0-9+/]{43}=)$/

export const masterKeys: Kind<readonly MasterKey[]> = {
  type: 'list of keys',
  mustBe: '<name>:<32 bytes as base64>',
  read(given) {
    const keys = entriesOf(given).map((entry) => masterKey.exec(entry))
    const read = keys.map((match) => ({ id: match?.[1] ?? '', key: Buffer.from(match?.[2] ?? '', 'base64') }))
    return keys.every((match) => match !== null) ? read : null
  },
  flaw(given) {
    const entries = entriesOf(given)
    const place = entries.findIndex((entry) => !masterKey.test(entry))
    const whose = entries.length === 1 ? '' : ` in its entry ${place + 1}`
    return `has ${flawOfKey(entries[place] ?? '')}${whose}`
  },
}

const entriesOf = (given: string) => given.split(',').map((entry) => entry.trim())

function flawOfKey(entry: string): string {
  if (entry === '') return 'nothing between two commas'
  const [name = '', ...rest] = entry.split(':')
  if (rest.length === 0) return 'no name and colon before the key'
  if (!/^[a-z0-9-]{1,32}$/.test(name)) return 'a name of other characters than a-z, 0-9 and -'
  return `a key of ${Buffer.from(rest.join(':'), 'base64').length} bytes, or not as base64`
}
