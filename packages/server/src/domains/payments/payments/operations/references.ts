/** Chooses the reference of an operation: see `rules/reference.ts`. */
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'
import { baseOf, derivedBase, isDerived, nextReference, paymentBase } from '../rules/reference.ts'
import { claimReference, findRebuilt, forgetRebuilt, writeReference } from '../store/references.ts'

/**
 * A reference, or the payment that was rebuilt from the records of the provider because the same request was
 * executed before.
 */
type RequestReference = { readonly reference: string } | { readonly rebuiltAs: string }

/** The reference of the first operation of a new payment. */
export async function firstReference(tx: Tx, paymentId: Id<'payment'>): Promise<RequestReference> {
  return (await referenceOfRequest(tx, paymentId)) ?? { reference: nextReference(paymentBase(paymentId), []) }
}

/**
 * The reference of a capture, void or refund. If the request has an idempotency key, the reference is derived
 * from the request. Otherwise it continues the numbering of the operation that is repeated, or else of the
 * first operation of the payment.
 */
export async function addedReference(
  tx: Tx,
  paymentId: Id<'payment'>,
  existing: readonly Operation[],
  repeated?: Operation,
): Promise<string> {
  const own = await referenceOfRequest(tx, paymentId)
  if (own === null) return continuedReference(tx, paymentId, existing, repeated)
  if ('reference' in own) return own.reference
  const id = idFromUuid('refund', tx.caller.mode, own.rebuiltAs)
  return refuse('invalid_state', {
    detail: `This request was executed before the database was restored. Its refund is ${id}.`,
    current_status: 'succeeded',
    allowed_actions: [],
  })
}

/** The reference of the next attempt, or of an operation that was not requested through the API. */
export function continuedReference(
  tx: Tx,
  paymentId: Id<'payment'>,
  existing: readonly Operation[],
  repeated: Operation | undefined = existing[0],
): string {
  const base = repeated === undefined ? paymentBase(paymentId) : baseOf(repeated.reference)
  const reference = nextReference(
    base,
    existing.map((operation) => operation.reference),
  )
  if (isDerived(reference)) writeReference(tx, reference, paymentId)
  return reference
}

/**
 * Null if the request has no idempotency key. A reference of the same request exists if the key was used after its
 * retention, or if the request causes several operations.
 */
async function referenceOfRequest(tx: Tx, paymentId: Id<'payment'>): Promise<RequestReference | null> {
  const replay = tx.caller.request?.replay ?? null
  if (replay === null) return null
  for (let use = 0; ; use++) {
    const reference = nextReference(derivedBase(replay, use), [])
    const claim = await claimReference(tx, reference, paymentId)
    if (claim.isNew) return { reference }
    if (claim.rebuiltAs !== null) return { rebuiltAs: claim.rebuiltAs }
  }
}

/**
 * How many executions of the same request are searched. More are not expected within the time span that a
 * restore can lose.
 */
const maxUses = 4

/**
 * The uuid of the payment or refund that was rebuilt for this request, whose response is lost. That object is
 * returned once, when the request is repeated. Null if there is none.
 */
export async function takeRebuilt(tx: Tx): Promise<string | null> {
  const replay = tx.caller.request?.replay ?? null
  if (replay === null) return null
  const references = Array.from({ length: maxUses }, (_, use) => nextReference(derivedBase(replay, use), []))
  const rebuiltAs = await findRebuilt(tx, references)
  if (rebuiltAs !== null) await forgetRebuilt(tx, rebuiltAs)
  return rebuiltAs
}
