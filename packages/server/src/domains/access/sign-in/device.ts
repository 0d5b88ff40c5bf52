/**
 * The device cookie proves that a browser has signed in as a person before, so that wrong attempts by others
 * do not slow it down. It does not sign the person in, and is not stored. It contains a random id, a MAC of
 * the email address, which can be checked without the database, and a MAC of the password hash, so that a new
 * password invalidates all earlier cookies.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { SigningKeys } from '../../../kernel/signature.ts'

export const deviceSeconds = 180 * 24 * 60 * 60

const partBytes = 16

export type Device = {
  readonly id: string
  /** Whether the password of the person is still the same as when the cookie was issued. */
  readonly matchesPassword: (passwordHash: string | null) => boolean
}

export function writeDevice([key]: SigningKeys, email: string, passwordHash: string | null): string {
  const id = randomBytes(partBytes)
  const macs = [macOf(key, id, 'email', email), macOf(key, id, 'password', passwordHash ?? '')]
  return Buffer.concat([id, ...macs]).toString('base64url')
}

/** Returns null if this installation did not issue the cookie for this email address. */
export function readDevice(keys: SigningKeys, text: string | null, email: string): Device | null {
  const bytes = Buffer.from(text ?? '', 'base64url')
  if (bytes.length !== 3 * partBytes) return null
  const partAt = (nth: number) => bytes.subarray(nth * partBytes, (nth + 1) * partBytes)
  const id = partAt(0)
  const key = keys.find((candidate) => timingSafeEqual(macOf(candidate, id, 'email', email), partAt(1)))
  if (key === undefined) return null
  return {
    id: id.toString('hex'),
    matchesPassword: (hash) => timingSafeEqual(macOf(key, id, 'password', hash ?? ''), partAt(2)),
  }
}

function macOf(key: Uint8Array | undefined, id: Buffer, kind: string, text: string): Buffer {
  const mac = createHmac('sha256', key as Uint8Array)
    .update(id)
    .update(`${kind} ${text.toLowerCase()}`)
  return mac.digest().subarray(0, partBytes)
}
