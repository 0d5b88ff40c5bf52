/** The last part of a link's address: workspace, link, and a proof that we made it. No table knows it. */
import { idFromUuid, type Mode, type Ref } from '../../kernel/id.ts'
import {
  bytesOf,
  type ProofKeys,
  proofBytes,
  prove,
  readProof,
  uuidBytes,
  uuidFrom,
} from '../../kernel/proof.ts'

export function slugOf(keys: ProofKeys, link: Ref<'payment_link'>): string {
  return Buffer.concat([bytesOf(link.id), prove(keys, link)]).toString('base64url')
}

/** The link that the address is of; null if we did not make it. */
export function readSlug(keys: ProofKeys, mode: Mode, slug: string): Ref<'payment_link'> | null {
  const bytes = Buffer.from(slug, 'base64url')
  // Many texts stand for the same bytes; only one of them is the address.
  if (bytes.length !== uuidBytes + proofBytes || bytes.toString('base64url') !== slug) return null
  const id = idFromUuid('payment_link', mode, uuidFrom(bytes.subarray(0, uuidBytes)))
  const workspaceId = readProof(keys, mode, id, bytes.subarray(uuidBytes))
  return workspaceId === null ? null : { workspaceId, id }
}
