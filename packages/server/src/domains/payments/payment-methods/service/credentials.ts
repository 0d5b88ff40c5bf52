/**
 * The credentials of payment methods: one token for each provider account at which the card was verified. A further
 * credential is requested in the transaction that begins its verification, and gets the result of that verification.
 */
import { assert } from '../../../../kernel/assert.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { paymentMethodUpdated } from '../events.ts'
import type { PaymentMethod, ProviderCredential } from '../payment-method.ts'
import { type NewCredential, writeCredential } from '../store/credentials.ts'
import { lockPaymentMethod, updatePaymentMethod } from '../store.ts'

/** Refuses if the account has a credential, or its verification has no result yet. */
export function requireNoCredential({ credentials }: PaymentMethod, accountId: Id<'provider_account'>): void {
  const existing = credentials.find(({ providerAccountId }) => providerAccountId === accountId)
  if (existing === undefined || existing.status === 'failed') return
  refuse('credential_exists', {
    ...(existing.paymentId === null ? {} : { resource_id: existing.paymentId }),
    ...(existing.status === 'active'
      ? {}
      : { detail: 'The verification for a credential at this provider account has no result yet.' }),
  })
}

type RequestedCredential = Pick<ProviderCredential, 'providerAccountId'> & {
  readonly paymentId: Id<'payment'>
}

/** Adds a pending credential. The caller must have locked the payment method. */
export async function addPendingCredential(
  tx: Tx,
  method: PaymentMethod,
  requested: RequestedCredential,
): Promise<PaymentMethod> {
  requireNoCredential(method, requested.providerAccountId)
  const pending = { ...requested, status: 'pending', networkTransactionId: null, createdAt: tx.now } as const
  return write(tx, method, { ...pending, sealed: null })
}

type CredentialResult = RequestedCredential & {
  /** Null if the verification has failed, or the provider did not store the card. */
  readonly sealedToken: Buffer | null
  readonly networkTransactionId: string | null
}

/** Does nothing if the credential is not waiting for this payment, for example because the card was detached. */
export async function recordCredential(
  tx: Tx,
  id: Id<'payment_method'>,
  { sealedToken: sealed, ...result }: CredentialResult,
): Promise<void> {
  const method = await lockPaymentMethod(tx, id)
  const pending = method.credentials.find(({ paymentId }) => paymentId === result.paymentId)
  if (pending?.status !== 'pending') return
  assert(
    pending.providerAccountId === result.providerAccountId,
    'A credential must be verified at the account it was requested for.',
  )
  await write(tx, method, {
    ...result,
    status: sealed === null ? 'failed' : 'active',
    createdAt: pending.createdAt,
    sealed,
  })
}

async function write(tx: Tx, before: PaymentMethod, { sealed, ...credential }: NewCredential) {
  await writeCredential(tx, before.id, { ...credential, sealed })
  const isOther = ({ providerAccountId }: ProviderCredential) =>
    providerAccountId !== credential.providerAccountId
  const credentials = [...before.credentials.filter(isOther), credential]
  const after = await updatePaymentMethod(tx, before, { credentials })
  tx.emit(paymentMethodUpdated, { before, after })
  return after
}
