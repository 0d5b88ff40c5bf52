/** Responses of the protocol: operation records and errors. Pure except for ids. */
import { randomUUID } from 'node:crypto'
import type { Reply } from './faults.ts'
import type { OperationRecord, Status } from './protocol.ts'
import type { Operation } from './simulator-state.ts'

/** The provider reference is assigned once and then kept. */
export function recordOf(operation: Operation, status: Status, extra: Partial<OperationRecord> = {}) {
  const { reference, request, record } = operation
  const existingReference = record?.provider_reference ?? null
  const processed = status !== 'closed' && status !== 'rejected'
  return {
    reference,
    kind: request?.kind ?? null,
    status,
    provider_reference: existingReference ?? (processed ? `sim_${randomUUID().replaceAll('-', '')}` : null),
    amount: request?.amount ?? null,
    currency: request?.currency ?? null,
    ...extra,
  } satisfies OperationRecord
}

export function replyWith(record: OperationRecord): Reply {
  if (record.status === 'pending') return { status: 202, body: record }
  return { status: record.status === 'rejected' ? 422 : 200, body: record }
}

/** Proves that nothing happened, so it may only be used for a reference that is not in the ledger. */
export function rejectedReply(status: number, reference: string, code: string, message: string): Reply {
  const emptyMembers = { kind: null, provider_reference: null, amount: null, currency: null }
  return { status, body: { reference, ...emptyMembers, status: 'rejected', error: { code, message } } }
}

export function closedReply(record: OperationRecord): Reply {
  const error = { code: 'operation_closed', message: 'This operation was closed and will never be executed.' }
  return { status: 409, body: { ...record, error } }
}

export function errorReply(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } }
}

export const notFound = errorReply(404, 'not_found', 'Unknown operation.')
export const notSupported = errorReply(501, 'not_supported', 'This account does not support that.')
export const notProcessed = (status: 429 | 503): Reply => ({ status, body: { processed: false } })

/** The response of an API gateway in front of a provider: not in the format of the protocol, and without a record. */
export const forbidden: Reply = { status: 403, body: { message: 'Forbidden' } }
