/**
 * With the client secret, a payer may view and pay a session. It is in the fragment of a URL, so it never appears in
 * logs.
 *
 * Opening a payment link stores nothing. The secret of such a session contains what is needed to create the
 * session when the payer first tries to pay: the link, the choices of the payer, and the expiry.
 */
import { type Id, type Mode, parseId, type Ref } from '../../../kernel/id.ts'
import { type SigningKeys, sign, signatureBytes, verifySignature } from '../../../kernel/signature.ts'

/** The link of a session that is not stored yet, and the choices of the payer. */
export type OpenedLink = {
  readonly paymentLinkId: Id<'payment_link'>
  readonly amount: number | null
  readonly quantity: number | null
  readonly expiresAt: Date
}

/** A session whose secret was verified. `openedLink` is null if the merchant's server created the session. */
export type VerifiedSession = Ref<'checkout_session'> & { readonly openedLink: OpenedLink | null }

const prefix = 'cs_'

export function createClientSecret(keys: SigningKeys, session: VerifiedSession): string {
  const payload =
    session.openedLink === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(session.openedLink))
  const signature = sign(keys, { workspaceId: session.workspaceId, id: withPayload(session.id, payload) })
  return prefix + Buffer.concat([signature, payload]).toString('base64url')
}

/** The session with this id; null if the secret does not match. */
export function verifyClientSecret(
  keys: SigningKeys,
  mode: Mode,
  { id: text, secret }: { readonly id: string; readonly secret: string },
): VerifiedSession | null {
  const id = parseId('checkout_session', mode, text)
  if (id === null || !secret.startsWith(prefix)) return null
  const bytes = Buffer.from(secret.slice(prefix.length), 'base64url')
  const [signature, payload] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
  const workspaceId = verifySignature(keys, mode, withPayload(id, payload), signature)
  return workspaceId === null ? null : { workspaceId, id, openedLink: parsePayload(payload) }
}

/** The text that is signed: the id and the payload. Ids contain no space, so the two cannot be confused. */
function withPayload(id: Id<'checkout_session'>, payload: Buffer): Id<'checkout_session'> {
  return (payload.length === 0 ? id : `${id} ${payload.toString('base64url')}`) as Id<'checkout_session'>
}

/** The signature of the payload was verified, so it is known to be valid. */
function parsePayload(payload: Buffer): OpenedLink | null {
  if (payload.length === 0) return null
  const { expiresAt, ...rest } = JSON.parse(payload.toString()) as OpenedLink
  return { ...rest, expiresAt: new Date(expiresAt) }
}
