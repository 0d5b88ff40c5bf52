/**
 * How a workspace collects card data: in the vault of Switchyard, in fields of the provider, or in the vault of another
 * service. Member names as in the API.
 */
import type { Fault } from '../../../kernel/errors.ts'
import type { Mode } from '../../../kernel/id.ts'
import type { CardVault } from '../../../vaults/contract.ts'
import type { VaultName } from '../../../vaults/vault-names.ts'

export const cardDataModes = ['own_vault', 'provider_fields', 'external_vault'] as const
export type CardDataMode = (typeof cardDataModes)[number]

/** The vault of a workspace, without its secrets. */
export type ConfiguredVault = {
  readonly provider: VaultName
  /** Whether the simulator replaces the vault. */
  readonly emulated: boolean
  readonly config: Readonly<Record<string, string>>
  /** The names of the secrets that are stored. */
  readonly secrets: readonly string[]
}

export type CardData = { readonly mode: CardDataMode; readonly vault: ConfiguredVault | null }

/**
 * Live workspaces take card numbers by default only if an ADMIN has confirmed the PCI DSS statement; test
 * workspaces accept the test cards.
 */
export function defaultCardDataMode(mode: Mode, isVaultConfirmed: boolean): CardDataMode {
  return mode === 'test' || isVaultConfirmed ? 'own_vault' : 'provider_fields'
}

export type VaultInput = {
  readonly provider: VaultName
  readonly config?: Readonly<Record<string, string>>
  readonly emulated?: boolean
}

const pointer = '/card_data/vault'

/** The values of all fields after a change. Secrets that are not sent keep their value. */
export function valuesOf(
  vault: CardVault,
  input: VaultInput,
  secretsBefore: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (input.emulated === true) return vault.emulated
  return { ...secretsBefore, ...input.config }
}

/** Errors never quote a value. */
export function faultsOfVault(
  vault: CardVault,
  input: VaultInput,
  values: Readonly<Record<string, string>>,
  mode: Mode,
): readonly Fault[] {
  if (input.emulated === true) return faultsOfEmulation(input, mode)
  const known = vault.fields.map(({ name }) => name)
  const unknown = Object.keys(values)
    .filter((name) => !known.includes(name))
    .map(
      (name): Fault => ({
        pointer: `${pointer}/config/${name}`,
        code: 'unknown_member',
        detail: `is not a setting of ${vault.name}: use ${known.join(', ')}`,
      }),
    )
  const wrong = vault.fields.flatMap(({ name, required, pattern, help }): Fault[] => {
    const value = values[name]
    if (value === undefined)
      return required
        ? [{ pointer: `${pointer}/config/${name}`, code: 'required', detail: 'is required' }]
        : []
    const isValid = new RegExp(pattern[mode]).test(value)
    return isValid
      ? []
      : [
          {
            pointer: `${pointer}/config/${name}`,
            code: 'bad_format',
            detail: `has the wrong format. ${help}`,
          },
        ]
  })
  return [...unknown, ...wrong]
}

function faultsOfEmulation({ config }: VaultInput, mode: Mode): readonly Fault[] {
  if (mode === 'live')
    return [
      {
        pointer: `${pointer}/emulated`,
        code: 'not_in_list',
        detail: 'is only allowed in the test environment',
      },
    ]
  return config === undefined || Object.keys(config).length === 0
    ? []
    : [{ pointer: `${pointer}/config`, code: 'not_together', detail: 'cannot be combined with emulated' }]
}

/** Divides the values of all fields into those that are shown and those that are encrypted. */
export function splitSecrets(vault: CardVault, values: Readonly<Record<string, string>>) {
  const isSecret = (name: string) => vault.fields.some((field) => field.name === name && field.isSecret)
  const entries = Object.entries(values)
  return {
    config: Object.fromEntries(entries.filter(([name]) => !isSecret(name))),
    secrets: Object.fromEntries(entries.filter(([name]) => isSecret(name))),
  }
}

/**
 * The part of a request that is compared when the request is repeated with the same idempotency key. Its hash is
 * stored, and a password could be guessed from a hash, so it contains only the names of the values.
 */
export function comparableUpdate<
  Body extends { readonly card_data?: { readonly vault?: VaultInput | null } },
>(body: Body): object {
  const vault = body.card_data?.vault
  if (vault === undefined || vault === null) return body
  const config = Object.keys(vault.config ?? {}).toSorted()
  return { ...body, card_data: { ...body.card_data, vault: { ...vault, config } } }
}
