/** Orders: create with a card, get, and capture or authorize after the payer has authenticated. */
import { latencyOf } from '../../config.ts'
import type { Reply } from '../../faults.ts'
import { endChallenge } from '../../operations.ts'
import type { DialectContext } from '../dialect.ts'
import { orderWindowMs, perform, problemReply, type Route, runOnce } from './calls.ts'
import { errorBody, errorReply, notFound } from './errors.ts'
import { isUnpaid, orderLinks, orderObject } from './objects.ts'
import { cardDetailsOf, noMembers, type OrderRequest, operationOf, readOrder } from './requests.ts'
import { findOrder, idOf, type StoredOrder, saveOrder, savePart } from './store.ts'

export const baseOf = ({ origin, account }: DialectContext) => `${origin}/${account.name}`

function latestOrder(context: DialectContext, id: string): object | undefined {
  const order = findOrder(context.account, id)
  return order === undefined ? undefined : orderObject(context.account, order, baseOf(context))
}

const orderCall = (context: DialectContext, name: string) => ({
  name,
  windowMs: orderWindowMs,
  latest: (id: string) => latestOrder(context, id),
})

export const createOrder: Route = (context, call) =>
  runOnce(context, call, orderCall(context, 'orders.create'), async ({ body, reference: claim }) => {
    if (call.headers['paypal-request-id'] === undefined) return errorReply(400, 'PAYPAL_REQUEST_ID_REQUIRED')
    const request = readOrder(body, context.state.clock.now())
    if ('issue' in request) return problemReply(request)
    const reference = claim()
    const id = idOf('order', reference)
    // A repeated request finds the stored order.
    if (findOrder(context.account, id) === undefined) storeOrder(context, reference, request)
    const { reply, record } = await perform(context, call, { ...operationOf(request), reference })
    return record === null ? reply : { ...reply, status: 201, body: latestOrder(context, id) ?? {} }
  })

function storeOrder(
  context: DialectContext,
  reference: string,
  { intent, unit, source }: OrderRequest,
): void {
  const id = idOf('order', reference)
  const type = intent === 'CAPTURE' ? 'capture' : 'authorization'
  const at = context.state.clock.now()
  saveOrder(context, { id, reference, at, intent, unit, card: cardDetailsOf(source), parts: [] })
  savePart(context, {
    id: idOf(type, reference),
    type,
    reference,
    at,
    orderId: id,
    parentId: null,
    invoice_id: unit.invoice_id,
    custom_id: unit.custom_id,
    ...(type === 'capture' ? { final_capture: true } : {}),
  })
}

export const getOrder: Route = async (context, call, id) => {
  const { state, account } = context
  await state.clock.sleep(latencyOf(account.config, call.path))
  const body = latestOrder(context, id)
  return body === undefined ? notFound : { status: 200, body }
}

/** After the payer has authenticated and returned, PayPal charges the order when the merchant calls this. */
export const completeOrder =
  (intent: StoredOrder['intent']): Route =>
  (context, call, id) => {
    const name = `orders.${intent.toLowerCase()}`
    return runOnce(context, call, orderCall(context, name), async ({ body }) => {
      const problem = noMembers(body, '')
      if (problem !== null) return problemReply(problem)
      await context.state.clock.sleep(latencyOf(context.account.config, call.path))
      return complete(context, id, intent)
    })
  }

function complete(context: DialectContext, id: string, intent: StoredOrder['intent']): Reply {
  const { account } = context
  const order = findOrder(account, id)
  const operation = account.operations.get(order?.reference ?? '')
  if (order === undefined || operation === undefined || latestOrder(context, id) === undefined)
    return notFound
  if (order.intent !== intent) return errorReply(422, 'ACTION_DOES_NOT_MATCH_INTENT')
  if (!isUnpaid(operation.record)) return errorReply(422, `ORDER_ALREADY_${intent}D`)
  const afterSend = endChallenge(context, operation)
  if (afterSend !== undefined) return { status: 201, body: latestOrder(context, id) ?? {}, afterSend }
  const links = orderLinks(order, operation, baseOf(context))
  return { status: 422, body: errorBody(422, [{ issue: 'PAYER_ACTION_REQUIRED' }], links) }
}
