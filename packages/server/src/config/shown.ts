/** The configuration as a process would take it, for an operator's eyes: no password and no key stands in it. */
import { type Environment, readSetting, type Secrecy, type Setting, type Settings } from './setting.ts'

export type ShownSetting = {
  readonly name: string
  /** Null: it is not set, and nothing stands in for it but `otherwise`. */
  readonly value: string | null
  readonly from: 'environment' | 'default' | 'unset'
  /** What holds instead while it is not set. */
  readonly otherwise: string | null
  readonly fits: boolean
}

export type Shown = {
  readonly settings: readonly ShownSetting[]
  readonly faults: readonly string[]
  readonly notices: readonly string[]
}

export function shownOf(env: Environment, settings: Settings): readonly ShownSetting[] {
  return Object.values(settings).map((one) => {
    const text = env[one.name] || one.default || null
    const fits = 'value' in readSetting(env, one)
    const standing = text === null ? 'unset' : 'default'
    return {
      name: one.name,
      value: text === null ? null : masked(one.secrecy, text, fits),
      from: env[one.name] ? 'environment' : standing,
      otherwise: text === null ? otherwiseOf(one) : null,
      fits,
    }
  })
}

const otherwiseOf = ({ isRequired, otherwise }: Setting) =>
  isRequired ? 'required' : (otherwise?.replaceAll('`', '') ?? 'none')

const mask = '***'

/** A secret that does not fit may be anything, so nothing of it is shown. */
function masked(secrecy: Secrecy, text: string, fits: boolean): string {
  if (secrecy === 'open') return text
  if (!fits) return mask
  if (secrecy === 'keys') return text.replaceAll(/:[^,]*/g, `:${mask}`)
  const addresses = text.split(/,\s*(?=[a-z]+:\/\/)/)
  return addresses.map(maskAddress).join(',')
}

/** Options behind a question mark may hold passwords as well. */
function maskAddress(text: string): string {
  if (!URL.canParse(text)) return mask
  const { protocol, username, password, host, pathname, search } = new URL(text)
  return `${protocol}//${whoOf(protocol, username, password)}${host}${pathname}${search === '' ? '' : `?${mask}`}`
}

function whoOf(protocol: string, username: string, password: string): string {
  if (username === '') return ''
  // NATS takes a token where others have a name.
  if (password === '') return /^(nats|tls):$/.test(protocol) ? `${mask}@` : `${username}@`
  return `${username}:${mask}@`
}

/** A table for people: what does not fit or looks like a mistake comes first. */
export function linesOf({ settings, faults, notices }: Shown): readonly string[] {
  const width = Math.max(...settings.map(({ name }) => name.length))
  const rows = settings.map(({ name, value, from, otherwise }) => {
    const what = value === null ? `not set: ${otherwise}` : `${value}  (${from})`
    return `${name.padEnd(width)}  ${what}`
  })
  return [...faults.map((fault) => `fail  ${fault}`), ...notices.map((notice) => `warn  ${notice}`), ...rows]
}
