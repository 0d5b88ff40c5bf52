/**
 * The token with which the dashboard calls the API for a person, valid for ten minutes and one workspace. It
 * is signed and not stored. A request with it is accepted only while its session is active.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Mode, modeOf } from '../../../kernel/id.ts'
import { bytesOf, type SigningKeys, uuidBytes, uuidFrom } from '../../../kernel/signature.ts'

export const tokenSeconds = 600

export type SessionToken = {
  readonly sessionId: Id<'session'>
  readonly workspaceId: Id<'workspace'>
  readonly expiresAt: Date
}

const tokenPattern = /^dk_(live|test)_([\w-]{70})$/
const timeBytes = 4
const bodyBytes = 2 * uuidBytes + timeBytes

export function writeSessionToken([key]: SigningKeys, token: SessionToken): string {
  const { sessionId, workspaceId, expiresAt } = token
  const seconds = Buffer.alloc(timeBytes)
  seconds.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000))
  const body = Buffer.concat([bytesOf(sessionId), bytesOf(workspaceId), seconds])
  const mode = modeOf(workspaceId)
  const text = Buffer.concat([body, macOf(key as Uint8Array, mode, body)]).toString('base64url')
  return `dk_${mode}_${text}`
}

/** Whether the text has the format of a session token. The signature is not verified. */
export function hasFormatOfSessionToken(text: string): boolean {
  return tokenPattern.test(text)
}

/** Returns null if this installation did not issue the token. */
export function readSessionToken(keys: SigningKeys, text: string): SessionToken | null {
  const match = tokenPattern.exec(text)
  if (match === null) return null
  const mode = match[1] as Mode
  const bytes = Buffer.from(match[2] as string, 'base64url')
  // The last character has unused bits. Reject other strings for the same bytes, because caches use the string as
  // the key.
  if (bytes.toString('base64url') !== match[2]) return null
  const [body, mac] = [bytes.subarray(0, bodyBytes), bytes.subarray(bodyBytes)]
  if (!keys.some((key) => timingSafeEqual(macOf(key, mode, body), mac))) return null
  return {
    sessionId: idFromUuid('session', mode, uuidFrom(body.subarray(0, uuidBytes))),
    workspaceId: idFromUuid('workspace', mode, uuidFrom(body.subarray(uuidBytes, 2 * uuidBytes))),
    expiresAt: new Date(body.readUInt32BE(2 * uuidBytes) * 1000),
  }
}

function macOf(key: Uint8Array, mode: Mode, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update(mode).update(body).digest().subarray(0, uuidBytes)
}
