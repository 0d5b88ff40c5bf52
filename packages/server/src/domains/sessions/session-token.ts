/**
 * The token by which the dashboard calls the API for a person: ten minutes, one workspace. It proves itself and is
 * nowhere stored; whether its session still goes on is asked each time it is recognized.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Mode, modeOf } from '../../kernel/id.ts'
import { bytesOf, type ProofKeys, uuidBytes, uuidFrom } from '../../kernel/proof.ts'

export const tokenSeconds = 600

export type SessionToken = {
  readonly sessionId: Id<'session'>
  readonly workspaceId: Id<'workspace'>
  readonly expiresAt: Date
}

const shape = /^dk_(live|test)_([\w-]{70})$/
const timeBytes = 4
const bodyBytes = 2 * uuidBytes + timeBytes

export function writeSessionToken([key]: ProofKeys, token: SessionToken): string {
  const { sessionId, workspaceId, expiresAt } = token
  const seconds = Buffer.alloc(timeBytes)
  seconds.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000))
  const body = Buffer.concat([bytesOf(sessionId), bytesOf(workspaceId), seconds])
  const mode = modeOf(workspaceId)
  const text = Buffer.concat([body, codeOf(key as Uint8Array, mode, body)]).toString('base64url')
  return `dk_${mode}_${text}`
}

/** Null if it is none of ours. */
export function readSessionToken(keys: ProofKeys, text: string): SessionToken | null {
  const match = shape.exec(text)
  if (match === null) return null
  const mode = match[1] as Mode
  const bytes = Buffer.from(match[2] as string, 'base64url')
  // The last character has bits to spare: one token has one text, or what is remembered of it by its text is not all.
  if (bytes.toString('base64url') !== match[2]) return null
  const [body, code] = [bytes.subarray(0, bodyBytes), bytes.subarray(bodyBytes)]
  if (!keys.some((key) => timingSafeEqual(codeOf(key, mode, body), code))) return null
  return {
    sessionId: idFromUuid('session', mode, uuidFrom(body.subarray(0, uuidBytes))),
    workspaceId: idFromUuid('workspace', mode, uuidFrom(body.subarray(uuidBytes, 2 * uuidBytes))),
    expiresAt: new Date(body.readUInt32BE(2 * uuidBytes) * 1000),
  }
}

function codeOf(key: Uint8Array, mode: Mode, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update(mode).update(body).digest().subarray(0, uuidBytes)
}
