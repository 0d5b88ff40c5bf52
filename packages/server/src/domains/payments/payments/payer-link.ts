/**
 * The link in the URL for payer authentication. It contains the payment id and a signature, so it is not
 * stored, cannot be guessed, and is the same in every repeated request to the provider.
 */
import { type Mode, parseId, type Ref } from '../../../kernel/id.ts'
import { type SigningKeys, sign, verifySignature } from '../../../kernel/signature.ts'

export function createPayerLink(keys: SigningKeys, payment: Ref<'payment'>): string {
  return `${payment.id}.${sign(keys, payment).toString('base64url')}`
}

/** The payment that the link identifies; null if the signature is invalid. */
export function verifyPayerLink(keys: SigningKeys, mode: Mode, link: string): Ref<'payment'> | null {
  const [text = '', signature = ''] = link.split('.')
  const id = parseId('payment', mode, text)
  const workspaceId =
    id === null ? null : verifySignature(keys, mode, id, Buffer.from(signature, 'base64url'))
  return id === null || workspaceId === null ? null : { workspaceId, id }
}
