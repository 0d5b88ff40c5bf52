/** The account of a workspace at a tax provider: the stored data, and how a request changes it. No side effects. */
import type { Fault } from '../../../kernel/errors.ts'
import type { Mode } from '../../../kernel/id.ts'
import type { TaxProvider } from '../../../tax-providers/contract.ts'
import type { TaxProviderName } from '../../../tax-providers/tax-provider-names.ts'

type Values = Readonly<Record<string, string>>

/** Without the values of its secrets. */
export type ConfiguredTaxProvider = {
  readonly provider: TaxProviderName
  /** Whether the simulator replaces the provider. */
  readonly emulated: boolean
  readonly config: Values
  /** The names of the secrets that are stored. */
  readonly secrets: readonly string[]
}

/** Drafts and documents that wait for the provider. */
export type TaxBacklog = {
  /** When the oldest waiting draft began to wait for its tax. */
  readonly waitingSince: Date | null
  /** The creation time of the oldest document that is not recorded at the provider. */
  readonly unrecordedSince: Date | null
}

export type TaxProviderInput = {
  readonly provider: TaxProviderName
  readonly config?: Values
  readonly emulated?: boolean
}

/** The values of all fields after a change. Secrets that are not sent keep their value. */
export function valuesOf({ emulated }: TaxProvider, input: TaxProviderInput, secretsBefore: Values): Values {
  return input.emulated === true ? emulated : { ...secretsBefore, ...input.config }
}

/** Errors never quote a value. */
export function faultsOf(
  { name, fields }: TaxProvider,
  input: TaxProviderInput,
  values: Values,
  mode: Mode,
): readonly Fault[] {
  if (input.emulated === true) return faultsOfEmulation(input, mode)
  const known = fields.map((field) => field.name)
  const unknown = Object.keys(values)
    .filter((value) => !known.includes(value))
    .map((value): Fault => {
      const detail = `is not a setting of ${name}: use ${known.join(', ')}`
      return { pointer: `/config/${value}`, code: 'unknown_member', detail }
    })
  const wrong = fields.flatMap(({ name: field, required, pattern, help }): Fault[] => {
    const value = values[field]
    const pointer = `/config/${field}`
    if (value === undefined) return required ? [{ pointer, code: 'required', detail: 'is required' }] : []
    if (new RegExp(pattern[mode]).test(value)) return []
    return [{ pointer, code: 'bad_format', detail: `has the wrong format. ${help}` }]
  })
  return [...unknown, ...wrong]
}

function faultsOfEmulation({ config }: TaxProviderInput, mode: Mode): readonly Fault[] {
  if (mode === 'live')
    return [{ pointer: '/emulated', code: 'not_in_list', detail: 'is only allowed in the test environment' }]
  if (config === undefined || Object.keys(config).length === 0) return []
  return [{ pointer: '/config', code: 'not_together', detail: 'cannot be combined with emulated' }]
}

/** Divides the values of all fields into those that are shown and those that are encrypted. */
export function splitSecrets({ fields }: TaxProvider, values: Values) {
  const isSecret = (name: string) => fields.some((field) => field.name === name && field.isSecret)
  const entries = Object.entries(values)
  return {
    config: Object.fromEntries(entries.filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => isSecret(name))),
  }
}

/**
 * The part of a request that is compared if it is repeated with the same idempotency key. Its hash is stored, and a
 * password could be guessed from a hash, so it has only the names of the values.
 */
export function comparableUpdate<Body extends TaxProviderInput>(body: Body): object {
  return { ...body, config: Object.keys(body.config ?? {}).toSorted() }
}
