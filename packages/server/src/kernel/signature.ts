/**
 * Self-verifying URLs and secrets. They contain the workspace and an authentication code made with our key,
 * so nothing has to be stored, they cannot be guessed, and invalid ones are rejected without a database
 * query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Kind, type Mode, type Ref, uuidOf } from './id.ts'

/** The first key signs; the other keys still verify. */
export type SigningKeys = readonly Uint8Array[]

export const uuidBytes = 16
/** The workspace and the authentication code. */
export const signatureBytes = 2 * uuidBytes

/** The id includes kind and mode, so a signature for one object is never valid for another. */
export function sign([key]: SigningKeys, { workspaceId, id }: Ref): Buffer {
  const workspace = bytesOf(workspaceId)
  return Buffer.concat([workspace, authenticationCode(key as Uint8Array, workspace, id)])
}

/** The workspace of the object; null if the signature is not valid. */
export function verifySignature(
  keys: SigningKeys,
  mode: Mode,
  id: Id<Kind>,
  signature: Uint8Array,
): Id<'workspace'> | null {
  if (signature.length !== signatureBytes) return null
  const [workspace, code] = [signature.subarray(0, uuidBytes), signature.subarray(uuidBytes)]
  if (!keys.some((key) => timingSafeEqual(authenticationCode(key, workspace, id), code))) return null
  return idFromUuid('workspace', mode, uuidFrom(workspace))
}

export function bytesOf(id: Id<Kind>): Buffer {
  return Buffer.from(uuidOf(id).replaceAll('-', ''), 'hex')
}

export function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function authenticationCode(key: Uint8Array, workspace: Uint8Array, id: Id<Kind>): Buffer {
  return createHmac('sha256', key).update(workspace).update(id).digest().subarray(0, uuidBytes)
}
