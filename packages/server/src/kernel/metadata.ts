import { refuseMember } from './errors.ts'

export type Metadata = { readonly [key: string]: string }

const maxKeys = 50

/** Merges by key: a value replaces, null removes, and other keys are kept. */
export function mergeMetadata(
  before: Metadata,
  changes: { readonly [key: string]: string | null },
): Metadata {
  const merged = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  if (merged.size > maxKeys)
    refuseMember(
      '/metadata',
      'too_many',
      `would have ${merged.size} keys, but at most ${maxKeys} are allowed`,
    )
  return Object.fromEntries(merged)
}
