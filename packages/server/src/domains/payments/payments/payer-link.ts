/**
 * The link in the URL for payer authentication. It contains the payment id and a signature, so it is not
 * stored, cannot be guessed, and is the same in every repeated request to the provider.
 */
import { type Mode, parseId, type Ref } from '../../../kernel/id.ts'
import { type ProofKeys, prove, readProof } from '../../../kernel/proof.ts'

export function createPayerLink(keys: ProofKeys, payment: Ref<'payment'>): string {
  return `${payment.id}.${prove(keys, payment).toString('base64url')}`
}

/** The payment that the link identifies; null if the signature is invalid. */
export function verifyPayerLink(keys: ProofKeys, mode: Mode, link: string): Ref<'payment'> | null {
  const [text = '', signature = ''] = link.split('.')
  const id = parseId('payment', mode, text)
  const workspaceId = id === null ? null : readProof(keys, mode, id, Buffer.from(signature, 'base64url'))
  return id === null || workspaceId === null ? null : { workspaceId, id }
}
