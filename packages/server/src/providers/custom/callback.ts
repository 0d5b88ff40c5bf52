/**
 * Parses callbacks of a custom provider. If the outcome in a record cannot be used, a lookup determines it. A
 * record that cannot be parsed at all identifies no operation.
 */
import type { Found, ProviderEvent } from '../contract.ts'
import { readerOf } from '../read.ts'
import { foundIn } from './record.ts'
import { Callback, OperationRecord } from './wire.ts'

const readCallback = readerOf(Callback)
const readRecord = readerOf(OperationRecord)

/** Throws if the body is not a callback. Unknown types are ignored. */
export function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const { id, type, operation } = readCallback(new TextDecoder().decode(body))
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
 * Uses the stricter live rules. A record that they reject is looked up, and then checked by the rules of its
 * mode.
 */
function knownOutcome(record: OperationRecord): Found | null {
  const found = foundIn(record, 'live')
  return found.is === 'unknown' ? null : found
}

function orNull<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
