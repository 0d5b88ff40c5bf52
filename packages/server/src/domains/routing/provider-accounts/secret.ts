/** The secrets an account shares with its provider: at most two, during a rotation. */
import { randomBytes } from 'node:crypto'

/** Both sides sign with all active secrets, and accept a signature by any of them. */
export const maxActiveSecrets = 2

export type Secret = { readonly text: string; readonly endsAt: Date | null }

/** The whole text is the signing key. */
export function generateSecret(): string {
  return `psec_${randomBytes(32).toString('base64url')}`
}

/** The active secrets, newest first. */
export function activeSecretsAt(secrets: readonly Secret[], now: Date): readonly Secret[] {
  return secrets.filter(({ endsAt }) => endsAt === null || endsAt > now)
}

/** The format in which secrets are encrypted. */
export function serializeSecrets(secrets: readonly Secret[]): string {
  return JSON.stringify({
    secrets: secrets.map(({ text, endsAt }) => ({ text, ends_at: endsAt?.toISOString() ?? null })),
  })
}

type SerializedSecrets = {
  readonly secrets: readonly { readonly text: string; readonly ends_at: string | null }[]
}

export function parseSecrets(sealed: string): readonly Secret[] {
  const { secrets } = JSON.parse(sealed) as SerializedSecrets
  return secrets.map(({ text, ends_at }) => ({ text, endsAt: ends_at === null ? null : new Date(ends_at) }))
}
