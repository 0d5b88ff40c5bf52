/**
 * Parses callbacks of a custom provider. If the outcome in a record cannot be used, a lookup determines it. A
 * record that cannot be parsed at all identifies no operation. Disputes and returns cannot be looked up, so their records
 * must be valid.
 */
import { isCurrency } from '../../kernel/currency.ts'
import type { Found, ProviderEvent } from '../contract.ts'
import { orNull, readerOf, Unreadable } from '../read.ts'
import { reportOf } from './disputes.ts'
import { foundIn } from './record.ts'
import { Callback, DisputeRecord, OperationRecord, ReturnRecord } from './wire.ts'

const readCallback = readerOf(Callback)
const readRecord = readerOf(OperationRecord)
const readDispute = readerOf(DisputeRecord)
const readReturn = readerOf(ReturnRecord)

/** Throws if the body is not a callback. Unknown types are ignored. */
export function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const { id, type, operation, dispute, return: returned } = readCallback(new TextDecoder().decode(body))
  if (type === 'dispute.updated') return [disputeIn(id, readDispute(JSON.stringify(dispute ?? null)))]
  if (type === 'debit.returned') return [returnIn(id, readReturn(JSON.stringify(returned ?? null)))]
  if (type !== 'operation.updated' && type !== 'refund.created') return []

  const record = orNull(() => readRecord(JSON.stringify(operation ?? null)))
  if (record === null) return [{ dedupeKey: id, reference: null, providerReference: null, found: null }]
  if (type === 'refund.created') return refundsIn(id, record)
  return [
    {
      dedupeKey: id,
      reference: record.reference,
      providerReference: record.provider_reference ?? null,
      ...(record.kind ? { kind: record.kind } : {}),
      found: orNull(() => knownOutcome(record)),
    },
  ]
}

/** An unreadable dispute is rejected, because it cannot be looked up. */
function disputeIn(dedupeKey: string, record: DisputeRecord): ProviderEvent {
  const dispute = reportOf(record)
  return { dedupeKey, reference: record.parent_reference, providerReference: null, found: null, dispute }
}

/** An unreadable return is rejected, because it cannot be looked up. */
function returnIn(dedupeKey: string, record: ReturnRecord): ProviderEvent {
  const { id, parent_reference: reference, amount, currency, reason_code: reasonCode = null } = record
  if (!isCurrency(currency)) throw new Unreadable('The record has no valid currency.')
  const returned = { providerReference: id, money: { amount: BigInt(amount), currency }, reasonCode }
  return { dedupeKey, reference, providerReference: null, found: null, returned }
}

/**
 * A refund started at the provider is not one of our operations, so it is reported under the operation it
 * refunds.
 */
function refundsIn(dedupeKey: string, record: OperationRecord): readonly ProviderEvent[] {
  const found = record.kind === 'refund' ? orNull(() => knownOutcome(record)) : null
  // A refund that has not succeeded may never do so: another callback follows when it does.
  if (found?.is !== 'succeeded') return []
  const { reference, parent_reference: parent = null } = record
  const refund = { reference, providerReference: found.ref, money: found.money }
  return [{ dedupeKey, reference: parent, providerReference: null, found: null, refund }]
}

/**
 * Applies the rules of live mode, which are stricter. If they reject the record, the operation is looked up,
 * and the rules of its own mode apply to the result.
 */
function knownOutcome(record: OperationRecord): Found | null {
  const found = foundIn(record, 'live')
  return found.is === 'unknown' ? null : found
}
