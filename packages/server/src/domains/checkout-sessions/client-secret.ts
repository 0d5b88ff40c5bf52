/** Proves that a payer may see a session and pay in it. It stands behind the `#` of an address, and reaches no log. */
import { type Mode, parseId, type Ref } from '../../kernel/id.ts'
import { type ProofKeys, prove, readProof } from '../../kernel/proof.ts'

const prefix = 'cs_'

export function secretOf(keys: ProofKeys, session: Ref<'checkout_session'>): string {
  return prefix + prove(keys, session).toString('base64url')
}

/** The session that the id names; null if the secret is not that of it. */
export function readSecret(
  keys: ProofKeys,
  mode: Mode,
  { id: text, secret }: { readonly id: string; readonly secret: string },
): Ref<'checkout_session'> | null {
  const id = parseId('checkout_session', mode, text)
  if (id === null || !secret.startsWith(prefix)) return null
  const workspaceId = readProof(keys, mode, id, Buffer.from(secret.slice(prefix.length), 'base64url'))
  return workspaceId === null ? null : { workspaceId, id }
}
