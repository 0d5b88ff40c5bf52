/**
 * Interprets the record of an operation strictly and without side effects: a record of another operation, or
 * one that lacks members that its status requires, is `Unreadable`, which the core treats as unknown.
 */

import type { Static } from 'typebox'
import { unreachable } from '../../kernel/assert.ts'
import { isCurrency } from '../../kernel/currency.ts'
import type { Money } from '../../kernel/money.ts'
import type { Decline, Fault, Found, ListedOperation, LookupInput, Outcome } from '../contract.ts'
import { codeOfNetwork, codeWithAdvice, isDuplicateNotice, isProviderCode } from '../declines.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { type OperationList, OperationRecord } from './wire.ts'

const readRecord = readerOf(OperationRecord)
export const isRecord = testOf(OperationRecord)

/**
 * The record, if it is about the requested operation. A provider that closes an operation it never received,
 * or rejects one it did not read, cannot report its kind.
 */
export function recordOf(text: string, { reference, kind }: Pick<LookupInput, 'reference' | 'kind'>) {
  const record = readRecord(text)
  if (record.reference !== reference) throw new Unreadable('The record has another reference.')
  const isWithoutKind = (record.kind ?? null) === null && ['closed', 'rejected'].includes(record.status)
  if (record.kind !== kind && !isWithoutKind)
    throw new Unreadable('The record has another kind of operation.')
  return record
}

/** Plain http is only allowed in test mode, for providers on the same machine. */
export function foundIn(record: OperationRecord, mode: LookupInput['mode']): Found {
  switch (record.status) {
    case 'succeeded':
      return succeeded(record)
    case 'pending':
      return { is: 'pending', ref: refOf(record), ...checkAfter(record), ...settlement(record) }
    case 'action_required':
      return action(record, mode)
    case 'declined':
      return declined(record)
    case 'rejected':
      return { is: 'rejected', fault: faultIn(record, 'provider_request_invalid') }
    case 'closed':
      return { is: 'closed' }
    default:
      return unreachable(record.status)
  }
}

/** The operation in an entry of the list. Empty if it has not moved money and never will. */
export function listedIn(record: Static<typeof OperationList>['operations'][number]): ListedOperation[] {
  const { reference, kind, status, parent_reference: parent, payment_id: paymentId } = record
  if (status === 'declined' || status === 'rejected' || status === 'closed') return []
  if (!kind) throw new Unreadable('The record has no kind.')
  return [
    {
      kind,
      reference,
      providerReference: refOf(record),
      status: status === 'succeeded' ? status : 'pending',
      money: moneyOf(record),
      capture: record.capture === true,
      parent: parent ? { reference: parent, providerReference: null } : null,
      paymentId: paymentId ?? null,
      createdAt: dateOf(record.created_at),
    },
  ]
}

/** Maps a rejection to our codes, if possible. The code of the provider stays in the message. */
export function faultIn({ error }: Pick<OperationRecord, 'error'>, defaultCode: string): Fault {
  const providerCode = error?.code ?? ''
  const message = [providerCode, error?.message ?? ''].filter((text) => text !== '').join(': ')
  return {
    code: isProviderCode(providerCode) ? providerCode : defaultCode,
    message: message || 'The provider rejected the request.',
  }
}

function succeeded(record: OperationRecord): Outcome {
  const { token, network_transaction_id, capture_before_at } = record
  const extra = {
    ...(token ? { token } : {}),
    ...(network_transaction_id ? { networkTransactionId: network_transaction_id } : {}),
    ...(capture_before_at ? { captureBeforeAt: dateOf(capture_before_at) } : {}),
  }
  const outcome = { is: 'succeeded', ref: refOf(record), money: moneyOf(record) } as const
  return Object.keys(extra).length === 0 ? outcome : { ...outcome, extra }
}

function action(record: OperationRecord, mode: LookupInput['mode']): Outcome {
  if (!record.action) throw new Unreadable('The status is action_required, but the record has no action.')
  const { type, url, fields = {}, expires_at } = record.action
  const target = URL.parse(url)
  if (target === null || (target.protocol !== 'https:' && mode !== 'test'))
    throw new Unreadable('The action URL must begin with https://.')
  const action = type === 'form' ? { type, url, fields } : { type, url }
  return { is: 'action', ref: refOf(record), action, expiresAt: dateOf(expires_at) }
}

function declined({ provider_reference: ref, decline }: OperationRecord): Outcome {
  const { network_code: networkCode, advice_code: adviceCode, message } = decline ?? {}
  const withReference = ref ? { ref } : {}
  if (networkCode && isDuplicateNotice(networkCode)) {
    const fault = {
      code: 'duplicate_notice',
      message: 'The provider declined the operation as a duplicate, possibly of our own request.',
    }
    return { is: 'unknown', ...withReference, fault }
  }
  const reason: Decline = {
    code: declineCode(decline?.code ?? '', networkCode ?? '', adviceCode ?? ''),
    ...(networkCode ? { networkCode } : {}),
    ...(adviceCode ? { adviceCode } : {}),
    ...(message ? { message } : {}),
  }
  return { is: 'declined', ...withReference, decline: reason }
}

/**
 * The provider's code if it is known, otherwise the network's code. Advice may be more specific than
 * both.
 */
function declineCode(code: string, networkCode: string, adviceCode: string): string {
  const baseCode = isProviderCode(code) ? code : codeOfNetwork('any', networkCode)
  return codeWithAdvice(baseCode, adviceCode)
}

function refOf({ provider_reference: ref }: OperationRecord): string {
  if (!ref) throw new Unreadable('The record has no provider_reference.')
  return ref
}

/** The reported amount. The core compares it with the request. */
function moneyOf({ amount, currency }: OperationRecord): Money {
  if (typeof amount !== 'number' || !currency || !isCurrency(currency))
    throw new Unreadable('The record has no valid amount and currency.')
  return { amount: BigInt(amount), currency }
}

function checkAfter({ check_after_ms: ms }: OperationRecord): { checkAfterMs?: number } {
  return typeof ms === 'number' ? { checkAfterMs: ms } : {}
}

function settlement({ settles_at: at }: OperationRecord): { settlesAt?: Date } {
  return typeof at === 'string' ? { settlesAt: dateOf(at) } : {}
}

export function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Unreadable('The record contains an invalid time.')
  return date
}
