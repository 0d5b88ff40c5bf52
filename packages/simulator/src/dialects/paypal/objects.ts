/**
 * Orders, authorizations, captures and refunds as PayPal returns them, from the records of their operations. No side
 * effects.
 */
import type { OperationRecord } from '../../protocol.ts'
import type { Account, Operation } from '../../simulator-state.ts'
import { toAmount } from './amounts.ts'
import type { Link } from './errors.ts'
import { processorResponseOf } from './response-codes.ts'
import { partsOf, type StoredOrder, type StoredPart } from './store.ts'

const authorizationMs = 29 * 24 * 3_600_000

const timeOf = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
const link = (href: string, rel: string, method = 'GET'): Link => ({ href, rel, method })

/** If the payer has not authenticated, the order has no payment. */
export function isUnpaid(record: OperationRecord | null | undefined): boolean {
  return record?.status === 'action_required' || record?.decline?.code === 'authentication_abandoned'
}

/** The record of a part; undefined if the part does not exist at PayPal. */
export function recordOf(account: Account, { reference }: StoredPart): OperationRecord | undefined {
  const record = account.operations.get(reference)?.record
  const isExecuted = record && /^(succeeded|declined|pending)$/.test(record.status)
  return isExecuted && !isUnpaid(record) ? record : undefined
}

const isDone = (account: Account, part: StoredPart) => recordOf(account, part)?.status === 'succeeded'

/** The amount of operations that have succeeded or are pending, because these may still succeed. */
function sumOf(account: Account, parts: readonly StoredPart[]): number {
  const records = parts.flatMap((part) => recordOf(account, part) ?? [])
  return records.reduce((sum, { status, amount }) => sum + (status === 'declined' ? 0 : (amount ?? 0)), 0)
}

const childrenOf = (account: Account, { id, orderId }: StoredPart) =>
  partsOf(account, orderId).filter(({ parentId }) => parentId === id)

/** `remaining` is the amount that can be captured. A final capture releases the rest. */
export function authorizationState(account: Account, part: StoredPart) {
  const record = recordOf(account, part)
  const children = childrenOf(account, part)
  const captures = children.filter(({ type }) => type === 'capture')
  const done = children.filter((child) => isDone(account, child))
  const remaining = (record?.amount ?? 0) - sumOf(account, captures)
  return { remaining, status: statusOf() }

  function statusOf(): string {
    if (record?.status !== 'succeeded') return record?.status === 'pending' ? 'PENDING' : 'DENIED'
    if (done.some(({ type }) => type === 'void')) return 'VOIDED'
    if (remaining <= 0 || done.some((capture) => capture.final_capture)) return 'CAPTURED'
    return done.length > 0 ? 'PARTIALLY_CAPTURED' : 'CREATED'
  }
}

/** `remaining` is the amount that can be refunded. Refunds that were made at PayPal are only in the ledger. */
export function captureState(account: Account, part: StoredPart) {
  const record = recordOf(account, part)
  const { request } = account.operations.get(part.reference) ?? {}
  const refunds = account.ledger
    .factsOfPayment(request?.payment_id ?? '')
    .filter(({ fact, parent_reference }) => fact === 'refund' && parent_reference === part.reference)
  const refunded = refunds.reduce((sum, { amount }) => sum + amount, 0)
  const pending = childrenOf(account, part).filter((refund) => !isDone(account, refund))
  const remaining = (record?.amount ?? 0) - refunded - sumOf(account, pending)
  return { remaining, status: statusOf() }

  function statusOf(): string {
    if (record?.status !== 'succeeded') return record?.status === 'pending' ? 'PENDING' : 'DECLINED'
    if (refunds.length === 0) return 'COMPLETED'
    return remaining <= 0 ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  }
}

function statusOfPart(account: Account, part: StoredPart, { status }: OperationRecord): string {
  if (part.type === 'authorization') return authorizationState(account, part).status
  if (part.type === 'capture') return captureState(account, part).status
  return { succeeded: 'COMPLETED', pending: 'PENDING' }[status as string] ?? 'FAILED'
}

/** An authorization, capture or refund; undefined if it does not exist. */
export function partObject(account: Account, part: StoredPart, base: string): object | undefined {
  const record = recordOf(account, part)
  if (record === undefined) return undefined
  const { id, type, at, orderId, invoice_id, custom_id, note_to_payer, final_capture } = part
  const { amount, currency, network_transaction_id: networkId } = record
  const status = statusOfPart(account, part, record)
  const cardMembers = {
    final_capture,
    ...(networkId ? { network_transaction_reference: { id: networkId } } : {}),
    ...(status === 'PENDING' ? {} : { processor_response: processorResponseOf(record.decline) }),
    ...(type === 'authorization' ? { expiration_time: timeOf(at + authorizationMs) } : {}),
    supplementary_data: { related_ids: { order_id: orderId } },
  }
  return {
    id,
    status,
    ...(status === 'PENDING' ? { status_details: { reason: 'PENDING_REVIEW' } } : {}),
    amount: toAmount({ amount: amount ?? 0, currency: currency ?? '' }),
    invoice_id,
    custom_id,
    note_to_payer,
    ...(type === 'refund' ? {} : cardMembers),
    create_time: timeOf(at),
    update_time: timeOf(at),
    links: partLinks(part, base),
  }
}

function partLinks({ id, type, orderId, parentId }: StoredPart, base: string): Link[] {
  const payments = `${base}/v2/payments`
  const self = link(`${payments}/${type}s/${id}`, 'self')
  const order = link(`${base}/v2/checkout/orders/${orderId}`, 'up')
  if (type === 'authorization')
    return [
      self,
      link(`${self.href}/capture`, 'capture', 'POST'),
      link(`${self.href}/void`, 'void', 'POST'),
      order,
    ]
  if (type === 'refund') return [self, link(`${payments}/captures/${parentId}`, 'up')]
  const up = parentId === null ? order : link(`${payments}/authorizations/${parentId}`, 'up')
  return [self, link(`${self.href}/refund`, 'refund', 'POST'), up]
}

/** An order; undefined if its request was not executed. */
export function orderObject(account: Account, order: StoredOrder, base: string): object | undefined {
  const operation = account.operations.get(order.reference)
  const { record, request, challenge } = operation ?? {}
  if (!operation || !record || !request || /^(rejected|closed)$/.test(record.status)) return undefined
  const objects = partsOf(account, order.id).flatMap((part) => {
    const object = part.type === 'void' ? undefined : partObject(account, part, base)
    return object === undefined ? [] : [{ list: `${part.type}s`, object }]
  })
  const lists = Object.entries(Object.groupBy(objects, ({ list }) => list))
  const payments = Object.fromEntries(
    lists.map(([list, items = []]) => [list, items.map(({ object }) => object)]),
  )
  const unpaidStatus = challenge?.result === 'passed' ? 'APPROVED' : 'PAYER_ACTION_REQUIRED'
  return {
    id: order.id,
    intent: order.intent,
    status: isUnpaid(record) ? unpaidStatus : 'COMPLETED',
    payment_source: { card: cardObject(order, operation) },
    purchase_units: [
      { ...order.unit, amount: toAmount(request), ...(objects.length === 0 ? {} : { payments }) },
    ],
    create_time: timeOf(order.at),
    update_time: timeOf(order.at),
    links: orderLinks(order, operation, base),
  }
}

export function orderLinks(
  { id, intent }: StoredOrder,
  { record, challenge }: Operation,
  base: string,
): Link[] {
  const self = link(`${base}/v2/checkout/orders/${id}`, 'self')
  const action = intent.toLowerCase()
  if (!isUnpaid(record)) return [self]
  if (challenge?.result === 'passed') return [self, link(`${self.href}/${action}`, action, 'POST')]
  return record?.action === undefined ? [self] : [self, link(record.action.url, 'payer-action')]
}

function cardObject({ card }: StoredOrder, { record, challenge }: Operation): object {
  const isAuthenticated = challenge?.result === 'passed'
  const result = {
    liability_shift: isAuthenticated ? 'POSSIBLE' : 'NO',
    three_d_secure: { enrollment_status: 'Y', authentication_status: isAuthenticated ? 'Y' : 'N' },
  }
  return {
    ...card,
    ...(record?.token ? { attributes: { vault: { id: record.token, status: 'VAULTED' } } } : {}),
    ...(challenge?.result ? { authentication_result: result } : {}),
  }
}
