/** The slug in the URL of a link consists of the link id and a signature. It is not stored. */
import { idFromUuid, type Mode, type Ref } from '../../../kernel/id.ts'
import {
  bytesOf,
  type ProofKeys,
  proofBytes,
  prove,
  readProof,
  uuidBytes,
  uuidFrom,
} from '../../../kernel/proof.ts'

export function slugOf(keys: ProofKeys, link: Ref<'payment_link'>): string {
  return Buffer.concat([bytesOf(link.id), prove(keys, link)]).toString('base64url')
}

/** The link that the slug identifies; null if the signature is invalid. */
export function readSlug(keys: ProofKeys, mode: Mode, slug: string): Ref<'payment_link'> | null {
  const bytes = Buffer.from(slug, 'base64url')
  // Several base64url texts decode to the same bytes. Only the canonical one is accepted.
  if (bytes.length !== uuidBytes + proofBytes || bytes.toString('base64url') !== slug) return null
  const id = idFromUuid('payment_link', mode, uuidFrom(bytes.subarray(0, uuidBytes)))
  const workspaceId = readProof(keys, mode, id, bytes.subarray(uuidBytes))
  return workspaceId === null ? null : { workspaceId, id }
}
