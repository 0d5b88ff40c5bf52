/**
 * Applies a request to an account: sent members replace the current values, null removes a restriction, and
 * metadata is merged by key.
 */
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { changeNarrowing, type NarrowingChange } from './capabilities.ts'
import { type CostInput, costsOf } from './costs.ts'
import { type AccountSettings, isConnector, type ProviderAccount } from './provider-account.ts'
import { changeSettings, type SettingsChange } from './settings.ts'

/** A request in the format of the API: omitted members stay unchanged. */
export type AccountInput = {
  readonly display_name?: string
  readonly position?: number
  readonly config?: SettingsChange
  readonly capabilities?: NarrowingChange | null
  readonly costs?: readonly CostInput[]
  readonly metadata?: { readonly [key: string]: string | null }
}

/** The defaults of a new account. The name is required, and the position is after the last account. */
export const defaults: AccountSettings = {
  displayName: '',
  position: 0,
  settings: {},
  narrowing: {},
  costs: [],
  metadata: {},
}

export function applyInput(before: AccountSettings, input: AccountInput): AccountSettings {
  return {
    displayName: input.display_name ?? before.displayName,
    position: input.position ?? before.position,
    settings: changeSettings(before.settings, input.config ?? {}),
    narrowing: changeNarrowing(before.narrowing, input.capabilities === undefined ? {} : input.capabilities),
    costs: input.costs === undefined ? before.costs : costsOf(input.costs),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSame(a: AccountSettings, b: AccountSettings): boolean {
  return (Object.keys(defaults) as (keyof AccountSettings)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}

/**
 * The part of an account that a check covers: the address of a custom provider; the settings and credentials of a
 * connector. The check result is only valid until it changes.
 */
export function checkedPart(account: ProviderAccount): string {
  const { settings, secretRotatedAt } = account
  return isConnector(account)
    ? canonical({ settings, secretRotatedAt: secretRotatedAt?.toISOString() ?? null })
    : canonical(settings.base_url ?? null)
}
