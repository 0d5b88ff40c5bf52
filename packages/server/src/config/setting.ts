/**
 * A setting is data: what reads it also documents it, so the reference cannot say something else than the code
 * does. A value that does not fit is refused in a sentence, which never repeats a secret.
 */
export type Environment = { readonly [name: string]: string | undefined }

export type Kind<T> = {
  /** In a word or two, for the reference. */
  readonly type: string
  /** Follows "It must be". */
  readonly mustBe: string
  /** Null if the text does not fit. */
  read(text: string): T | null
  /** Follows the name of a secret, and says what is wrong without a piece of it. */
  readonly flaw?: (text: string) => string
}

/** What must not be seen: nothing, the password of an address, or all but the names of keys. */
export type Secrecy = 'open' | 'password' | 'keys'

export type Setting<T = unknown, D extends string | null = string | null> = {
  readonly name: string
  readonly kind: Kind<T>
  /** As it would stand in the environment. Null: there is none. */
  readonly default: D
  /** What holds without a default: another setting, or that something is not done. */
  readonly otherwise?: string
  /** Nothing starts without it. */
  readonly isRequired?: true
  readonly secrecy: Secrecy
  readonly meaning: string
  /** When an operator has to think of it. */
  readonly neededWhen: string
  readonly usedBy: string
  readonly example: string
}

/** Keeps the type of the value and whether there is a default, which a list of settings would forget. */
export const setting = <T, const D extends string | null>(given: Setting<T, D>): Setting<T, D> => given

/** One without which nothing starts. */
export const requiredSetting = <T>(given: Omit<Setting<T, null>, 'default' | 'isRequired'>) =>
  ({ ...given, default: null, isRequired: true }) as const

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

/** A value, or the sentence that says why there is none. */
export type Reading = { readonly value: unknown } | { readonly fault: string }

export function readSetting(env: Environment, one: Setting): Reading {
  const text = env[one.name] || one.default
  if (text === null) return one.isRequired ? { fault: notSet(one) } : { value: null }
  const value = one.kind.read(text)
  return value === null ? { fault: misfit(one, text) } : { value }
}

export function readSettings<S extends Settings>(env: Environment, settings: S) {
  const readings = Object.entries(settings).map(([key, one]) => [key, readSetting(env, one)] as const)
  const faults = readings.flatMap(([, reading]) => ('fault' in reading ? [reading.fault] : []))
  const values = readings.map(([key, reading]) => [key, 'value' in reading ? reading.value : null])
  // Each value was read by the kind of its own setting.
  return { faults, values: Object.fromEntries(values) as Values<S> }
}

function notSet({ name, example }: Setting): string {
  return `${name} is not set. Example: ${name}=${example}`
}

function misfit({ name, kind, secrecy, example }: Setting, text: string): string {
  const fault = secrecy === 'open' ? `is "${text}"` : (kind.flaw?.(text) ?? 'does not fit')
  return `${name} ${fault}. It must be ${kind.mustBe}, such as ${example}.`
}
