/** The slug in the URL of a hosted page consists of the id of its object and a signature. It is not stored. */
import { idFromUuid, type Kind, type Mode, type Ref } from './id.ts'
import { bytesOf, type ProofKeys, proofBytes, prove, readProof, uuidBytes, uuidFrom } from './proof.ts'

export function slugOf(keys: ProofKeys, object: Ref): string {
  return Buffer.concat([bytesOf(object.id), prove(keys, object)]).toString('base64url')
}

/** The object that the slug identifies; null if the signature is invalid. */
export function readSlug<K extends Kind>(keys: ProofKeys, kind: K, mode: Mode, slug: string): Ref<K> | null {
  const bytes = Buffer.from(slug, 'base64url')
  // Several base64url texts decode to the same bytes. Only the canonical one is accepted.
  if (bytes.length !== uuidBytes + proofBytes || bytes.toString('base64url') !== slug) return null
  const id = idFromUuid(kind, mode, uuidFrom(bytes.subarray(0, uuidBytes)))
  const workspaceId = readProof(keys, mode, id, bytes.subarray(uuidBytes))
  return workspaceId === null ? null : { workspaceId, id }
}
