/** What a request makes of an account: members that are sent replace, null clears, metadata merges by key. */
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import { changeNarrowing, type NarrowingChange } from './capabilities.ts'
import type { AccountSettings } from './provider-account.ts'
import type { Settings } from './settings.ts'

/** A request as the wire has it: a member that is missing stays as it was. */
export type AccountInput = {
  readonly display_name?: string
  readonly position?: number
  readonly config?: Settings
  readonly capabilities?: NarrowingChange | null
  readonly metadata?: { readonly [key: string]: string | null }
}

/** What an account has that says nothing. Its name must be said; its place is behind the last. */
export const defaults: AccountSettings = {
  displayName: '',
  position: 0,
  settings: {},
  narrowing: {},
  metadata: {},
}

export function applyInput(before: AccountSettings, input: AccountInput): AccountSettings {
  return {
    displayName: input.display_name ?? before.displayName,
    position: input.position ?? before.position,
    settings: { ...before.settings, ...input.config },
    narrowing: changeNarrowing(before.narrowing, input.capabilities === undefined ? {} : input.capabilities),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSame(a: AccountSettings, b: AccountSettings): boolean {
  return (Object.keys(defaults) as (keyof AccountSettings)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
