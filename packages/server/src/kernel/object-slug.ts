/** The slug in the URL of a hosted page consists of the id of its object and a signature. It is not stored. */
import { idFromUuid, type Kind, type Mode, type Ref } from './id.ts'
import {
  bytesOf,
  type SigningKeys,
  sign,
  signatureBytes,
  uuidBytes,
  uuidFrom,
  verifySignature,
} from './signature.ts'

export function slugOf(keys: SigningKeys, object: Ref): string {
  return Buffer.concat([bytesOf(object.id), sign(keys, object)]).toString('base64url')
}

/** The object that the slug identifies; null if the signature is invalid. */
export function readSlug<K extends Kind>(
  keys: SigningKeys,
  kind: K,
  mode: Mode,
  slug: string,
): Ref<K> | null {
  const bytes = Buffer.from(slug, 'base64url')
  // Several base64url strings decode to the same bytes. Only the canonical one is accepted.
  if (bytes.length !== uuidBytes + signatureBytes || bytes.toString('base64url') !== slug) return null
  const id = idFromUuid(kind, mode, uuidFrom(bytes.subarray(0, uuidBytes)))
  const workspaceId = verifySignature(keys, mode, id, bytes.subarray(uuidBytes))
  return workspaceId === null ? null : { workspaceId, id }
}
