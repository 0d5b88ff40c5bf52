/** The answers of the protocol: records of operations and what is said where there is none. Pure but for ids. */
import { randomUUID } from 'node:crypto'
import type { Reply } from './faults.ts'
import type { OperationRecord, Status } from './protocol.ts'
import type { Operation } from './world.ts'

/** The provider's own reference is given once and then kept. */
export function recordOf(operation: Operation, status: Status, more: Partial<OperationRecord> = {}) {
  const { reference, request, record } = operation
  const given = record?.provider_reference ?? null
  const processed = status !== 'closed' && status !== 'rejected'
  return {
    reference,
    kind: request?.kind ?? null,
    status,
    provider_reference: given ?? (processed ? `sim_${randomUUID().replaceAll('-', '')}` : null),
    amount: request?.amount ?? null,
    currency: request?.currency ?? null,
    ...more,
  } satisfies OperationRecord
}

export function replyWith(record: OperationRecord): Reply {
  if (record.status === 'pending') return { status: 202, body: record }
  return { status: record.status === 'rejected' ? 422 : 200, body: record }
}

/** It says that nothing happened, so it may only be said of a reference that is not in the books. */
export function refusal(status: number, reference: string, code: string, message: string): Reply {
  const nothing = { kind: null, provider_reference: null, amount: null, currency: null }
  return { status, body: { reference, ...nothing, status: 'rejected', error: { code, message } } }
}

export function closedReply(record: OperationRecord): Reply {
  const error = { code: 'operation_closed', message: 'This operation was closed. It will never happen.' }
  return { status: 409, body: { ...record, error } }
}

export function errorReply(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } }
}

export const notFound = errorReply(404, 'not_found', 'There is no such operation.')
export const notSupported = errorReply(501, 'not_supported', 'This account does not do that.')
export const notProcessed = (status: 429 | 503): Reply => ({ status, body: { processed: false } })
