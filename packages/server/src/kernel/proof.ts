/**
 * Addresses and secrets that prove themselves: they hold the workspace and a code that only we could have made, so
 * nothing has to be stored, nobody can guess one, and junk is told from the real thing without asking the database.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Kind, type Mode, type Ref, uuidOf } from './id.ts'

/** The first key proves; what the others have proven is still good. */
export type ProofKeys = readonly Uint8Array[]

export const uuidBytes = 16
/** The workspace and the code. */
export const proofBytes = 2 * uuidBytes

/** The id carries kind and mode, so a proof for one object never fits another. */
export function prove([key]: ProofKeys, { workspaceId, id }: Ref): Buffer {
  const workspace = bytesOf(workspaceId)
  return Buffer.concat([workspace, codeOf(key as Uint8Array, workspace, id)])
}

/** The workspace of the object; null if we did not prove it. */
export function readProof(
  keys: ProofKeys,
  mode: Mode,
  id: Id<Kind>,
  proof: Uint8Array,
): Id<'workspace'> | null {
  if (proof.length !== proofBytes) return null
  const [workspace, code] = [proof.subarray(0, uuidBytes), proof.subarray(uuidBytes)]
  if (!keys.some((key) => timingSafeEqual(codeOf(key, workspace, id), code))) return null
  return idFromUuid('workspace', mode, uuidFrom(workspace))
}

export function bytesOf(id: Id<Kind>): Buffer {
  return Buffer.from(uuidOf(id).replaceAll('-', ''), 'hex')
}

export function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function codeOf(key: Uint8Array, workspace: Uint8Array, id: Id<Kind>): Buffer {
  return createHmac('sha256', key).update(workspace).update(id).digest().subarray(0, uuidBytes)
}
