/**
 * The address that a payer is sent to and comes back to. It is made of the payment and a proof that we made it,
 * so nothing has to be stored, nobody can guess one, and a call that is repeated to a provider has the same bytes.
 */
import { type Mode, parseId, type Ref } from '../../kernel/id.ts'
import { type ProofKeys, prove, readProof } from '../../kernel/proof.ts'

export function linkOf(keys: ProofKeys, payment: Ref<'payment'>): string {
  return `${payment.id}.${prove(keys, payment).toString('base64url')}`
}

/** The payment that the link is about; null if we did not make it. */
export function readLink(keys: ProofKeys, mode: Mode, link: string): Ref<'payment'> | null {
  const [text = '', code = ''] = link.split('.')
  const id = parseId('payment', mode, text)
  const workspaceId = id === null ? null : readProof(keys, mode, id, Buffer.from(code, 'base64url'))
  return id === null || workspaceId === null ? null : { workspaceId, id }
}
