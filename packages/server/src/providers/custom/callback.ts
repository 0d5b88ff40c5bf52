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
  // A refund that they began themselves is no operation of ours, so its record decides about none.
  const isOurs = type === 'operation.updated'
  return [
    {
      dedupeKey: id,
      reference: record.reference,
      providerReference: record.provider_reference ?? null,
      ...(record.kind ? { kind: record.kind } : {}),
      found: isOurs ? orNull(() => proofIn(record)) : null,
    },
  ]
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
