/**
 * The credentials of a connector, by the names of its provider. They are stored as one secret, which contains
 * all of them as JSON.
 */
import { canonical } from '../../../kernel/json.ts'
import type { Setup } from '../../../providers/contract.ts'
import type { Secret } from './secret.ts'

export type Credentials = Readonly<Record<string, string>>

export function secretOf(credentials: Credentials, endsAt: Date | null = null): Secret {
  return { text: canonical(credentials), endsAt }
}

export function credentialsIn({ text }: Secret): Credentials {
  return JSON.parse(text)
}

export type Rotation = {
  /** The active secrets, newest first. */
  readonly active: readonly Secret[]
  /** The new values. Omitted names keep their value. */
  readonly changes: Credentials
  /** How long the previous values of webhook credentials stay valid; null: not at all. */
  readonly endsAt: Date | null
}

/**
 * The secrets after a rotation, newest first. Previous values are kept only if they verify webhooks and have
 * changed: calls use the newest values. Without an overlap, earlier values of the changed names expire
 * immediately as well.
 */
export function rotateCredentials({ credentials }: Setup, rotation: Rotation): readonly Secret[] {
  const { active, changes, endsAt } = rotation
  const [newest, ...earlier] = active
  const before = newest === undefined ? {} : credentialsIn(newest)
  const after = secretOf({ ...before, ...changes })
  if (endsAt === null) return [after, ...withoutNames(earlier, Object.keys(changes))]
  const replaced = credentials.flatMap(({ name, use }) => {
    const [value, next] = [before[name], changes[name]]
    const isReplaced = value !== undefined && next !== undefined && value !== next
    return use === 'webhook' && isReplaced ? [[name, value] as const] : []
  })
  return replaced.length === 0
    ? [after, ...earlier]
    : [after, secretOf(Object.fromEntries(replaced), endsAt), ...earlier]
}

function withoutNames(secrets: readonly Secret[], names: readonly string[]): readonly Secret[] {
  return secrets.flatMap((secret) => {
    const kept = Object.entries(credentialsIn(secret)).filter(([name]) => !names.includes(name))
    return kept.length === 0 ? [] : [secretOf(Object.fromEntries(kept), secret.endsAt)]
  })
}

/** The largest number of active values that one credential has. */
export function maxValuesPerName(secrets: readonly Secret[]): number {
  const names = secrets.flatMap((secret) => Object.keys(credentialsIn(secret)))
  const counts = names.map((name) => names.filter((other) => other === name).length)
  return Math.max(0, ...counts)
}

/**
 * The part of a request that is compared when the request is repeated with the same idempotency key. Its hash is
 * stored, and a password could be guessed from a hash, so it contains only the names of the credentials.
 */
export function comparableRequest(body: { readonly credentials?: Credentials }): object {
  if (body.credentials === undefined) return body
  return { ...body, credentials: Object.keys(body.credentials).toSorted() }
}
