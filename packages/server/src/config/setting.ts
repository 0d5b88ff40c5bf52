/**
 * A setting is data: the same definition parses and documents it, so the reference cannot differ from the
 * code. An invalid value is rejected with a sentence that never repeats a secret.
 */
export type Environment = { readonly [name: string]: string | undefined }

export type Kind<T> = {
  /** One or two words, for the reference. */
  readonly type: string
  /** Follows "It must be". */
  readonly mustBe: string
  /** Null if the text is invalid. */
  read(text: string): T | null
  /** Follows the name of a secret, and describes the error without any part of the value. */
  readonly flaw?: (text: string) => string
}

/** What must be masked: nothing, the password of an address, or everything except the names of keys. */
export type Secrecy = 'open' | 'password' | 'keys'

export type Setting<T = unknown, D extends string | null = string | null> = {
  readonly name: string
  readonly kind: Kind<T>
  /** The default, as it would be written in the environment. Null: there is none. */
  readonly default: D
  /**
   * The effect if a setting without a default is not set. For example, the value of another setting is used.
   */
  readonly otherwise?: string
  /** No command starts without it. */
  readonly isRequired?: true
  readonly secrecy: Secrecy
  readonly meaning: string
  /** When an operator needs it. */
  readonly neededWhen: string
  readonly usedBy: string
  readonly example: string
}

/** Preserves the type of the value and of the default, which a list of settings would widen. */
export const setting = <T, const D extends string | null>(definition: Setting<T, D>): Setting<T, D> =>
  definition

/** A setting without which no command starts. */
export const requiredSetting = <T>(definition: Omit<Setting<T, null>, 'default' | 'isRequired'>) =>
  ({ ...definition, default: null, isRequired: true }) as const

type ValueOf<S> =
  S extends Setting<infer T, infer D>
    ? S extends { readonly isRequired: true }
      ? T
      : null extends D
        ? T | null
        : T
    : never

export type Settings = { readonly [key: string]: Setting }

export type Values<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> }

/** The value of a setting, or the error message. */
export type Reading = { readonly value: unknown } | { readonly fault: string }

export function readSetting(env: Environment, setting: Setting): Reading {
  const text = env[setting.name] || setting.default
  if (text === null) return setting.isRequired ? { fault: notSetMessage(setting) } : { value: null }
  const value = setting.kind.read(text)
  return value === null ? { fault: invalidMessage(setting, text) } : { value }
}

export function readSettings<S extends Settings>(env: Environment, settings: S) {
  const readings = Object.entries(settings).map(([key, setting]) => [key, readSetting(env, setting)] as const)
  const faults = readings.flatMap(([, reading]) => ('fault' in reading ? [reading.fault] : []))
  const values = readings.map(([key, reading]) => [key, 'value' in reading ? reading.value : null])
  // Each value was parsed by the kind of its own setting.
  return { faults, values: Object.fromEntries(values) as Values<S> }
}

function notSetMessage({ name, example }: Setting): string {
  return `${name} is not set. Example: ${name}=${example}`
}

function invalidMessage({ name, kind, secrecy, example }: Setting, text: string): string {
  const fault = secrecy === 'open' ? `is "${text}"` : (kind.flaw?.(text) ?? 'is not valid')
  return `${name} ${fault}. It must be ${kind.mustBe}, such as ${example}.`
}
