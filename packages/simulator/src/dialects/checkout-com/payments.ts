/**
 * The payments of an account. Each is one operation of the simulator, with the members of the request that Checkout.com
 * returns later. It is saved before the operation runs, so that webhooks can use it and it survives a restart.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingCall } from '../../incoming.ts'
import { type MoneyFact, type Sums, sumsOf } from '../../ledger.ts'
import type { OperationRecord } from '../../protocol.ts'
import { finishOperation } from '../../run-operation.ts'
import { type Account, findObject, type SimulatorState, saveObject } from '../../simulator-state.ts'
import { idOf } from './ids.ts'
import type { Card } from './vault.ts'

type Context = { readonly state: SimulatorState; readonly account: Account }

export type StoredPayment = {
  readonly id: string
  /** The reference of the simulator's operation. */
  readonly operation: string
  readonly reference: string | null
  readonly requestedAt: number
  readonly url: string
  readonly card: Card
  /** The id of the stored card; null if the card is not stored. */
  readonly instrument: string | null
  readonly failureUrl: string | null
  /** Members of the request that are returned unchanged. */
  readonly echo: { readonly [name: string]: unknown }
}

/** A capture, void or refund. */
export type StoredAction = {
  readonly reference: string | null
  readonly metadata: object
  readonly isFinal: boolean
  readonly requestedAt: number
}

/** A payment that was processed, with its operation's record and the sums of its ledger facts. */
export type PaymentView = {
  readonly payment: StoredPayment
  readonly record: OperationRecord
  readonly isCapturedAutomatically: boolean
  readonly sums: Sums
}

/** The name of the operation: the merchant's reference, or else the idempotency key, or else a random one. */
export function operationName(
  { headers }: IncomingCall,
  { reference }: { readonly [name: string]: unknown },
): string {
  return (reference as string | undefined) ?? headers['cko-idempotency-key']?.toString() ?? randomUUID()
}

/**
 * Checkout.com does not require unique references. The first operation has the reference of the merchant, and later ones
 * a suffix. An operation that was not executed is reused.
 */
export function unusedReference({ operations }: Account, reference: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? reference : `${reference}#${count}`
    const existing = operations.get(name)
    if (existing === undefined || existing.record === null) return name
  }
}

export function savePayment({ state, account }: Context, payment: StoredPayment): void {
  saveObject(state, account, `payment/${payment.id}`, payment)
  if (payment.reference === null) return
  addToList(state, account, `reference/${payment.reference}`, payment.id)
}

export function saveAction(
  { state, account }: Context,
  payment: StoredPayment,
  operation: string,
  action: StoredAction,
) {
  saveObject(state, account, `action/${operation}`, action)
  addToList(state, account, `actions/${payment.id}`, operation)
}

function addToList(state: SimulatorState, account: Account, key: string, entry: string): void {
  const list = listOf(account, key)
  if (!list.includes(entry)) saveObject(state, account, key, [...list, entry])
}

function listOf(account: Account, key: string): readonly string[] {
  return (findObject(account, key) as readonly string[] | undefined) ?? []
}

export function findAction(account: Account, operation: string): StoredAction | null {
  return (findObject(account, `action/${operation}`) as StoredAction | undefined) ?? null
}

/** Null if there is no such payment, or if its request was not processed. */
export function findPayment(context: Context, id: string): PaymentView | null {
  const payment = findObject(context.account, `payment/${id}`) as StoredPayment | undefined
  const operation = context.account.operations.get(payment?.operation ?? '')
  if (payment === undefined || operation == null || operation.record === null || operation.request === null)
    return null
  if (operation.record.status === 'rejected') return null
  releaseRest(context, payment)
  return {
    payment,
    record: operation.record,
    isCapturedAutomatically: operation.request.capture,
    sums: sumsOf(factsOf(context.account, payment)),
  }
}

/** The payments with this reference, newest first. Payments that are not searchable yet are omitted. */
export function searchPayments(context: Context, reference: string): readonly PaymentView[] {
  const { state, account } = context
  const views = listOf(account, `reference/${reference}`).flatMap((id) => findPayment(context, id) ?? [])
  const isVisible = ({ payment }: PaymentView) =>
    (account.operations.get(payment.operation)?.visible_at ?? 0) <= state.clock.now()
  return views.filter(isVisible).reverse()
}

/**
 * The operations of the captures, voids and refunds, oldest first. Operations made at the provider are only
 * in the ledger.
 */
export function actionsOf(account: Account, payment: StoredPayment): readonly string[] {
  const inLedger = factsOf(account, payment)
    .map(({ reference }) => reference)
    .filter((reference) => reference !== payment.operation && reference !== releaseOf(payment))
  return [...new Set([...listOf(account, `actions/${payment.id}`), ...inLedger])]
}

function factsOf(account: Account, { operation }: StoredPayment): readonly MoneyFact[] {
  const paymentId = account.operations.get(operation)?.request?.payment_id ?? ''
  return account.ledger
    .factsOfPayment(paymentId)
    .filter((fact) => fact.reference === operation || fact.parent_reference === operation)
}

/** A final capture voids the rest of the authorization. A pending one does so when it has succeeded. */
export function releaseRest(context: Context, payment: StoredPayment): void {
  const { account } = context
  const charge = account.operations.get(payment.operation)
  const { authorized, captured, voided } = sumsOf(factsOf(account, payment))
  const isFinal = listOf(account, `actions/${payment.id}`).some((operation) => {
    const { kind, status } = account.operations.get(operation)?.record ?? {}
    return kind === 'capture' && status === 'succeeded' && findAction(account, operation)?.isFinal
  })
  const rest = authorized - captured - voided
  if (charge?.request == null || !isFinal || rest <= 0) return
  const reference = releaseOf(payment)
  const request = {
    ...charge.request,
    reference,
    kind: 'void',
    parent_reference: payment.operation,
    amount: rest,
  } as const
  finishOperation(
    context,
    { ...charge, reference, request, record: null, fingerprint: null },
    { type: 'approve' },
  )
}

function releaseOf({ operation }: StoredPayment): string {
  return `${operation}/release`
}

/** The payment that the operation created, or that it captures, voids or refunds. */
export function paymentOfOperation(context: Context, operation: string): PaymentView | null {
  const { account } = context
  const parent = account.operations.get(operation)?.request?.parent_reference ?? operation
  return findPayment(context, idOf('pay', account, parent))
}
