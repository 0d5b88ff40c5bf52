/**
 * What a provider tells us of itself. A record that cannot be read still says that something happened: a look
 * at the books will tell what.
 */
import type { Found, ProviderEvent } from '../contract.ts'
import { readerOf } from '../read.ts'
import { foundIn } from './record.ts'
import { Callback, OperationRecord } from './wire.ts'

const readCallback = readerOf(Callback)
const readRecord = readerOf(OperationRecord)

/** Throws if it is no callback at all. Types that nobody knows yet are none of ours. */
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
      found: orNull(() => proofIn(record)),
    },
  ]
}

/** A refund that they began is no operation of ours, so it is told by the one that it gives back of. */
function refundsIn(dedupeKey: string, record: OperationRecord): readonly ProviderEvent[] {
  const done = record.kind === 'refund' ? orNull(() => proofIn(record)) : null
  // One that is not done may never be: it is told when it is.
  if (done?.is !== 'succeeded') return []
  const { reference, parent_reference: parent = null } = record
  const refund = { reference, providerReference: done.ref, money: done.money }
  return [{ dedupeKey, reference: parent, providerReference: null, found: null, refund }]
}

/** Judged as in live, where more is refused: what is refused here is looked up, and judged by its own mode. */
function proofIn(record: OperationRecord): Found | null {
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
