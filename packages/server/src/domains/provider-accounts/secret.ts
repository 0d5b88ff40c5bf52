/** The secrets that an account and its provider share: at most two, while they are exchanged. */
import { randomBytes } from 'node:crypto'

/** Both sides sign with all that live, and take a signature by any of them. */
export const maxLiveSecrets = 2

export type Secret = { readonly text: string; readonly endsAt: Date | null }

/** The whole text is the key of signatures. */
export function drawSecret(): string {
  return `psec_${randomBytes(32).toString('base64url')}`
}

/** The newest first, as it was put in. */
export function liveAt(secrets: readonly Secret[], now: Date): readonly Secret[] {
  return secrets.filter(({ endsAt }) => endsAt === null || endsAt > now)
}

/** How secrets lie sealed. */
export function toText(secrets: readonly Secret[]): string {
  return JSON.stringify({
    secrets: secrets.map(({ text, endsAt }) => ({ text, ends_at: endsAt?.toISOString() ?? null })),
  })
}

type Kept = { readonly secrets: readonly { readonly text: string; readonly ends_at: string | null }[] }

export function fromText(sealed: string): readonly Secret[] {
  const { secrets } = JSON.parse(sealed) as Kept
  return secrets.map(({ text, ends_at }) => ({ text, endsAt: ends_at === null ? null : new Date(ends_at) }))
}
