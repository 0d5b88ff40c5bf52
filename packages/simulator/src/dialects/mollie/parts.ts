/** Captures and refunds of a payment. Mollie processes them asynchronously: a new one is pending. */
import { randomUUID } from 'node:crypto'
import type { Reply } from '../../faults.ts'
import { performOperation } from '../../operations.ts'
import type { Account } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import type { Money } from './amounts.ts'
import {
  baseOf,
  fingerprintOf,
  isReply,
  listParameters,
  ok,
  pageOf,
  type Route,
  read,
  refusalOf,
  runOnce,
} from './calls.ts'
import { errorReply, notFound } from './errors.ts'
import { type ApiObject, type PaymentView, partObject } from './objects.ts'
import { findPayment } from './payments.ts'
import { readPartRequest, referenceIn } from './requests.ts'
import { claimReference, find, idOf, type StoredPart, type StoredPayment, save } from './store.ts'

type Kind = 'capture' | 'refund'

const prefixes = { capture: 'cpt', refund: 're' } as const
const lists = { capture: 'captures', refund: 'refunds' } as const

export const createPart =
  (kind: Kind): Route =>
  (context, call, [paymentId = '']) =>
    runOnce(context, call, async (body, key) => {
      const request = readPartRequest(body, kind === 'refund')
      if (isReply(request)) return request
      const view = findPayment(context.account, paymentId)
      if (view === undefined) return notFound(paymentId)
      const wanted = referenceIn(request.metadata, key) ?? randomUUID()
      const reference = claimReference(context, prefixes[kind], { wanted, key })
      const problem = problemOf(context.account, view, { kind, reference })
      if (problem !== null) return problem
      const { description, metadata } = request
      const part = { reference, key, paymentId, description, metadata }
      const stored = storePart(context, view.stored, kind, part)
      const operation = operationOf(view, { kind, reference, money: request.money })
      const put = { reference, body: operation, fingerprint: fingerprintOf(call), origin: context.origin }
      return partReply(context, stored, await performOperation(context, put))
    })

type Part = { readonly kind: Kind; readonly reference: string; readonly money: Money | null }

/** The request of the `custom` protocol. Without an amount, the whole authorization is captured. */
function operationOf({ stored, operation }: PaymentView, { kind, reference, money }: Part): object {
  const { amount, currency } = money ?? operation.record
  const payment_id = operation.request?.payment_id
  return { reference, kind, mode: 'test', parent_reference: stored.reference, payment_id, amount, currency }
}

/** Why the payment does not allow a new operation. A repeated request gets the result of the first one. */
function problemOf(
  account: Account,
  view: PaymentView,
  { kind, reference }: Pick<Part, 'kind' | 'reference'>,
): Reply | null {
  const { status } = view
  if (account.operations.has(reference)) return null
  if (kind === 'refund') return status === 'paid' ? null : errorReply(422, 'The payment cannot be refunded')
  if (status !== 'authorized')
    return errorReply(422, 'The payment cannot be captured because it is not in the authorized state')
  const isPending = partsOf(account, view, 'capture').some(
    (part) => account.operations.get(part.reference)?.record?.status === 'pending',
  )
  return isPending ? errorReply(422, 'A capture of this payment is still pending') : null
}

function storePart(
  context: DialectContext,
  payment: StoredPayment,
  kind: Kind,
  part: Omit<StoredPart, 'id' | 'at'>,
): StoredPart {
  const id = idOf(prefixes[kind], part.reference)
  const existing = find<StoredPart>(context.account, id)
  if (existing !== undefined) return existing
  const stored = { ...part, id, at: context.state.clock.now() }
  save(context, stored)
  const list = lists[kind]
  save(context, { ...payment, [list]: [...payment[list], id] })
  return stored
}

function partReply(context: DialectContext, stored: StoredPart, reply: Reply): Reply {
  const operation = context.account.operations.get(stored.reference)
  if (operation === undefined || !isVisible(context.account, stored)) return { ...reply, ...refusalOf(reply) }
  return { ...reply, ...ok(partObject(stored, operation, baseOf(context), true), 201) }
}

function isVisible(account: Account, { reference }: StoredPart): boolean {
  const record = account.operations.get(reference)?.record ?? null
  return record !== null && record.status !== 'rejected'
}

/** The captures or refunds of a payment, newest first, including refunds not made through the API. */
function partsOf(account: Account, { stored, facts }: PaymentView, kind: Kind): StoredPart[] {
  const made = stored[lists[kind]].flatMap((id) => find<StoredPart>(account, id) ?? [])
  const others = facts
    .filter(({ fact, reference }) => fact === kind && !made.some((part) => part.reference === reference))
    .map(({ reference, at }) => ({
      id: idOf(prefixes[kind], reference),
      reference,
      key: null,
      at: Date.parse(at),
      paymentId: stored.id,
      description: stored.description,
      metadata: null,
    }))
  return [...made, ...others].filter((part) => isVisible(account, part)).sort((a, b) => b.at - a.at)
}

export const getPart =
  (kind: Kind): Route =>
  async (context, call, [paymentId = '', id = '']) => {
    const problem = await read(context, call)
    if (problem !== null) return problem
    const view = findPayment(context.account, paymentId)
    if (view === undefined) return notFound(paymentId)
    const [found] = objectsOf(context, view, kind).filter((part) => part.id === id)
    return found === undefined ? notFound(id) : ok(found)
  }

export const listParts =
  (kind: Kind): Route =>
  async (context, call, [paymentId = '']) => {
    const problem = await read(context, call, listParameters)
    if (problem !== null) return problem
    const view = findPayment(context.account, paymentId)
    if (view === undefined) return notFound(paymentId)
    const path = `/payments/${paymentId}/${lists[kind]}`
    return pageOf(context, call, { name: lists[kind], path, items: objectsOf(context, view, kind) })
  }

function objectsOf(context: DialectContext, view: PaymentView, kind: Kind): ApiObject[] {
  const { account } = context
  return partsOf(account, view, kind).flatMap((part) => {
    const operation = account.operations.get(part.reference)
    return operation === undefined ? [] : [partObject(part, operation, baseOf(context))]
  })
}
