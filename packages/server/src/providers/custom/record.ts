/**
 * What the record of an operation means. Pure, and strict: a record of another operation, or one that lacks
 * what its status needs, is `Unreadable`, which the core takes as unknown.
 */
import { unreachable } from '../../kernel/assert.ts'
import { isCurrency } from '../../kernel/currency.ts'
import type { Money } from '../../kernel/money.ts'
import type { Decline, Fault, Found, LookupInput, Outcome } from '../contract.ts'
import { codeOfNetwork, codeWithAdvice, isDuplicateNotice, isProviderCode } from '../declines.ts'
import { readerOf, Unreadable } from '../read.ts'
import { OperationRecord } from './wire.ts'

const readRecord = readerOf(OperationRecord)

/**
 * The record, if it is of the operation that was asked about. Whoever closes what it never saw, or refuses what
 * it would not read, does not know of which kind it is.
 */
export function recordOf(text: string, { reference, kind }: Pick<LookupInput, 'reference' | 'kind'>) {
  const record = readRecord(text)
  if (record.reference !== reference) throw new Unreadable('It is about another reference.')
  const isUnseen = (record.kind ?? null) === null && ['closed', 'rejected'].includes(record.status)
  if (record.kind !== kind && !isUnseen) throw new Unreadable('It is about another kind of operation.')
  return record
}

/** Plain http is for providers that run beside us, in tests. */
export function foundIn(record: OperationRecord, mode: LookupInput['mode']): Found {
  switch (record.status) {
    case 'succeeded':
      return succeeded(record)
    case 'pending':
      return { is: 'pending', ref: refOf(record), ...checkAfter(record) }
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

/** A refusal in our words, if they are; theirs stays in the message. */
export function faultIn({ error }: Pick<OperationRecord, 'error'>, otherwise: string): Fault {
  const theirs = error?.code ?? ''
  const message = [theirs, error?.message ?? ''].filter((text) => text !== '').join(': ')
  return { code: isProviderCode(theirs) ? theirs : otherwise, message: message || 'It was refused.' }
}

function succeeded(record: OperationRecord): Outcome {
  const { token, network_transaction_id, capture_before_at } = record
  const extra = {
    ...(token ? { token } : {}),
    ...(network_transaction_id ? { networkTransactionId: network_transaction_id } : {}),
    ...(capture_before_at ? { captureBeforeAt: dateOf(capture_before_at) } : {}),
  }
  const done = { is: 'succeeded', ref: refOf(record), money: moneyOf(record) } as const
  return Object.keys(extra).length === 0 ? done : { ...done, extra }
}

function action(record: OperationRecord, mode: LookupInput['mode']): Outcome {
  if (!record.action) throw new Unreadable('The payer has to act, but there is no action.')
  const { type, url, expires_at } = record.action
  const target = URL.parse(url)
  if (target === null || (target.protocol !== 'https:' && mode !== 'test'))
    throw new Unreadable('A payer is only sent to an https address.')
  return { is: 'action', ref: refOf(record), action: { type, url }, expiresAt: dateOf(expires_at) }
}

function declined({ provider_reference: ref, decline }: OperationRecord): Outcome {
  const { network_code: networkCode, advice_code: adviceCode, message } = decline ?? {}
  const named = ref ? { ref } : {}
  if (networkCode && isDuplicateNotice(networkCode)) {
    const fault = { code: 'duplicate_notice', message: 'It was taken for a repeat, maybe of our own.' }
    return { is: 'unknown', ...named, fault }
  }
  const reason: Decline = {
    code: declineCode(decline?.code ?? '', networkCode ?? '', adviceCode ?? ''),
    ...(networkCode ? { networkCode } : {}),
    ...(adviceCode ? { adviceCode } : {}),
    ...(message ? { message } : {}),
  }
  return { is: 'declined', ...named, decline: reason }
}

/** Their word for it if it is one of ours, else the network's; advice may say more than either. */
function declineCode(code: string, networkCode: string, adviceCode: string): string {
  const known = isProviderCode(code) ? code : codeOfNetwork('any', networkCode)
  return codeWithAdvice(known, adviceCode)
}

function refOf({ provider_reference: ref }: OperationRecord): string {
  if (!ref) throw new Unreadable('It has no provider_reference.')
  return ref
}

/** As it stands there: whether it is what we asked for is for the core to say. */
function moneyOf({ amount, currency }: OperationRecord): Money {
  if (typeof amount !== 'number' || !currency || !isCurrency(currency))
    throw new Unreadable('It does not say how much of which currency.')
  return { amount: BigInt(amount), currency }
}

function checkAfter({ check_after_ms: ms }: OperationRecord): { checkAfterMs?: number } {
  return typeof ms === 'number' ? { checkAfterMs: ms } : {}
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Unreadable('There is no such time.')
  return date
}
