/** The configuration as a process would use it, for operators: without passwords and keys. */
import { type Environment, readSetting, type Secrecy, type Setting, type Settings } from './setting.ts'

export type DisplayedSetting = {
  readonly name: string
  /** Null: it is not set and has no default; `otherwise` describes the effect. */
  readonly value: string | null
  readonly from: 'environment' | 'default' | 'unset'
  /** The effect of leaving it unset. */
  readonly otherwise: string | null
  /** Whether the value is valid. */
  readonly fits: boolean
}

export type DisplayedConfig = {
  readonly settings: readonly DisplayedSetting[]
  readonly faults: readonly string[]
  readonly notices: readonly string[]
}

export function displayedSettings(env: Environment, settings: Settings): readonly DisplayedSetting[] {
  return Object.values(settings).map((setting) => {
    const text = env[setting.name] || setting.default || null
    const fits = 'value' in readSetting(env, setting)
    const source = text === null ? 'unset' : 'default'
    return {
      name: setting.name,
      value: text === null ? null : masked(setting.secrecy, text, fits),
      from: env[setting.name] ? 'environment' : source,
      otherwise: text === null ? otherwiseOf(setting) : null,
      fits,
    }
  })
}

const otherwiseOf = ({ isRequired, otherwise }: Setting) =>
  isRequired ? 'required' : (otherwise?.replaceAll('`', '') ?? 'none')

const mask = '***'

/** An invalid secret may be anything, so no part of it is shown. */
function masked(secrecy: Secrecy, text: string, fits: boolean): string {
  if (secrecy === 'open') return text
  if (!fits) return mask
  if (secrecy === 'keys') return text.replaceAll(/:[^,]*/g, `:${mask}`)
  const addresses = text.split(/,\s*(?=(?:[a-z][a-z0-9_]*=)?[a-z]+:\/\/)/)
  return addresses.map(maskNamedAddress).join(',')
}

/** The name of a shard is shown. */
function maskNamedAddress(text: string): string {
  const [, name = '', address = text] = /^([a-z][a-z0-9_]*=)(.*)$/s.exec(text) ?? []
  return `${name}${maskAddress(address)}`
}

/** The query string may contain passwords as well. */
function maskAddress(text: string): string {
  if (!URL.canParse(text)) return mask
  const { protocol, username, password, host, pathname, search } = new URL(text)
  return `${protocol}//${maskCredentials(protocol, username, password)}${host}${pathname}${search === '' ? '' : `?${mask}`}`
}

function maskCredentials(protocol: string, username: string, password: string): string {
  if (username === '') return ''
  // NATS accepts a token in place of the user name.
  if (password === '') return /^(nats|tls):$/.test(protocol) ? `${mask}@` : `${username}@`
  return `${username}:${mask}@`
}

/** The settings as a text table. Errors and notices come first. */
export function linesOf({ settings, faults, notices }: DisplayedConfig): readonly string[] {
  const width = Math.max(...settings.map(({ name }) => name.length))
  const rows = settings.map(({ name, value, from, otherwise }) => {
    const text = value === null ? `not set: ${otherwise}` : `${value}  (${from})`
    return `${name.padEnd(width)}  ${text}`
  })
  return [...faults.map((fault) => `fail  ${fault}`), ...notices.map((notice) => `warn  ${notice}`), ...rows]
}
