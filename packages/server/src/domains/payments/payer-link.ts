/**
 * The address that a payer is sent to and comes back to. It is made of the payment and a proof that we made it,
 * so nothing has to be stored, nobody can guess one, and a call that is repeated to a provider has the same bytes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Mode, parseId, type Ref, uuidOf } from '../../kernel/id.ts'

/** The first key signs; what the others have signed is still good. */
export type LinkKeys = readonly Uint8Array[]

export function linkOf([key]: LinkKeys, { workspaceId, id }: Ref<'payment'>): string {
  const workspace = bytesOf(workspaceId)
  const proof = proofOf(key as Uint8Array, workspace, id)
  return `${id}.${Buffer.concat([workspace, proof]).toString('base64url')}`
}

/** The payment that the link is about; null if we did not make it. */
export function readLink(keys: LinkKeys, mode: Mode, link: string): Ref<'payment'> | null {
  const [text = '', code = ''] = link.split('.')
  const id = parseId('payment', mode, text)
  const bytes = Buffer.from(code, 'base64url')
  if (id === null || bytes.length !== 2 * uuidBytes) return null
  const [workspace, proof] = [bytes.subarray(0, uuidBytes), bytes.subarray(uuidBytes)]
  if (!keys.some((key) => timingSafeEqual(proofOf(key, workspace, id), proof))) return null
  return { workspaceId: idFromUuid('workspace', mode, textOf(workspace)), id }
}

const uuidBytes = 16

function proofOf(key: Uint8Array, workspace: Uint8Array, id: Id<'payment'>): Buffer {
  return createHmac('sha256', key).update(workspace).update(id).digest().subarray(0, uuidBytes)
}

function bytesOf(id: Id<'workspace'>): Buffer {
  return Buffer.from(uuidOf(id).replaceAll('-', ''), 'hex')
}

function textOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
