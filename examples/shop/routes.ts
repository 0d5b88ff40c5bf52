// The routes of the shop and their handlers.

import { randomUUID } from 'node:crypto'
import { DeclineError, SwitchyardError } from '@switchyard/sdk'
import { paymentPageOf, refundOrder } from './buying.ts'
import { cardPage, letterPage, orderPage, ordersPage, shopPage } from './pages.ts'
import type { ShopRequest, ShopResponse } from './request.ts'
import { shopkeeperPage, versionOfOrders } from './shopkeeper.ts'
import { canReadLetter, declineOf, statusOf } from './states.ts'
import type { Order } from './store.ts'
import {
  type Action,
  advanceByMonth,
  changeSubscription,
  isRejection,
  payWithCard,
  resumeWithCard,
} from './subscribing.ts'

/** Null if the object does not exist or belongs to another shopper. */
type Handle = (request: ShopRequest) => ShopResponse | null | Promise<ShopResponse | null>

const routes: Readonly<Record<string, Handle>> = {
  'GET /': () => ({ page: shopPage() }),
  'POST /buy': buy,
  'GET /subscribe': showCardForm,
  'POST /subscribe': subscribe,
  'GET /letter': ({ shop, shopperId }) => {
    const orders = shop.store.ordersOf(shopperId)
    return { page: letterPage(orders.some((order) => canReadLetter(statusOf(shop.store, order)))) }
  },
  'GET /orders': ({ shop, shopperId }) => ({
    page: ordersPage(withStatus(shop, shop.store.ordersOf(shopperId))),
  }),
  'GET /orders/:id': showOrder,
  'GET /orders/:id/version': (request) =>
    withOrder(request, ({ shop }, order) => ({ text: statusOf(shop.store, order).version })),
  'GET /orders/:id/card': (request) => withOrder(request, resumeCard),
  'POST /orders/:id/pay': (request) =>
    withOrder(request, async ({ shop }, order) => ({ redirectTo: await paymentPageOf(shop, order.id) })),
  'POST /orders/:id/pause': (request) => changeOrderSubscription(request, 'pause'),
  'POST /orders/:id/resume': (request) => changeOrderSubscription(request, 'resume'),
  'POST /orders/:id/cancel': (request) => changeOrderSubscription(request, 'cancel'),
  'POST /orders/:id/keep': (request) => changeOrderSubscription(request, 'keep'),
  'GET /shopkeeper': ({ shop }) => ({ page: shopkeeperPage(withStatus(shop, shop.store.allOrders())) }),
  'GET /shopkeeper/version': ({ shop }) => ({
    text: versionOfOrders(withStatus(shop, shop.store.allOrders())),
  }),
  'POST /shopkeeper/orders/:id/refund': async ({ shop, id }) => {
    await refundOrder(shop, id)
    return { redirectTo: '/shopkeeper' }
  },
  'POST /shopkeeper/orders/:id/month': async ({ shop, id, form }) => {
    const order = shop.store.findOrder(id)
    if (order === null) return null
    await advanceByMonth(shop, order, form.get('version') ?? '')
    return { redirectTo: '/shopkeeper' }
  },
}

export function findRoute(method: string, path: string) {
  const [, id = ''] = /\/orders\/([0-9a-f-]{36})(?=\/|$)/.exec(path) ?? []
  const handle = routes[`${method} ${id === '' ? path : path.replace(id, ':id')}`]
  return handle === undefined ? null : { handle, id, isForShopkeeper: path.startsWith('/shopkeeper') }
}

function withStatus({ store }: ShopRequest['shop'], orders: readonly Order[]) {
  return orders.map((order) => ({ order, status: statusOf(store, order) }))
}

async function withOrder(
  request: ShopRequest,
  handle: (request: ShopRequest, order: Order) => ShopResponse | Promise<ShopResponse>,
): Promise<ShopResponse | null> {
  const order = request.shop.store.findOrder(request.id)
  return order?.shopper_id === request.shopperId ? handle(request, order) : null
}

/** Saves the order before the API call, so that it can be resumed after a crash in between. */
async function buy({ shop, form, shopperId }: ShopRequest): Promise<ShopResponse | null> {
  const id = readOrderId(form) ?? randomUUID()
  const order = shop.store.placeOrder({ id, shopper_id: shopperId, item: 'atlas' })
  return order && orRedirectToOrder(order, async () => ({ redirectTo: await paymentPageOf(shop, order.id) }))
}

/** The order id is in the URL, so that loading and submitting the form repeatedly creates one subscription. */
function showCardForm({ shop, query, shopperId }: ShopRequest): ShopResponse {
  const orderId = readOrderId(query)
  if (orderId === null) return { redirectTo: `/subscribe?order=${randomUUID()}` }
  const order = shop.store.findOrder(orderId)
  const email = order?.shopper_id === shopperId ? (order.email ?? '') : ''
  return { page: cardPage({ ...formOf(shop), orderId, email, error: null }) }
}

async function subscribe({ shop, form, shopperId }: ShopRequest): Promise<ShopResponse | null> {
  const id = readOrderId(form)
  const order = id && shop.store.placeOrder({ id, shopper_id: shopperId, item: 'letter' })
  const [token, email] = [form.get('token') ?? '', form.get('email') ?? '']
  if (!order) return null
  try {
    return await orRedirectToOrder(order, async () => {
      await payWithCard(shop, order, { token, email })
      return { redirectTo: `/orders/${order.id}` }
    })
  } catch (error) {
    if (!(error instanceof DeclineError)) throw error
    return {
      status: 422,
      page: cardPage({ ...formOf(shop), orderId: order.id, email, error: declineOf(error) }),
    }
  }
}

function formOf({ switchyard, publishableToken, isTest }: ShopRequest['shop']) {
  return { switchyardUrl: switchyard.baseUrl, publishableToken, isTest }
}

async function showOrder(request: ShopRequest): Promise<ShopResponse | null> {
  return withOrder(request, async ({ shop, query }, order) => {
    const verification =
      order.verification_id === null ? null : await shop.switchyard.payments.get(order.verification_id)
    const downloadCode = shop.store.downloadCodeOf(order.id)
    const status = statusOf(shop.store, order)
    return {
      page: orderPage({
        order,
        status,
        downloadCode,
        hasReturned: query.has('returned'),
        requestedVersion: query.get('requested'),
        verification,
      }),
    }
  })
}

async function resumeCard({ shop }: ShopRequest, order: Order): Promise<ShopResponse> {
  return orRedirectToOrder(order, async () => {
    await resumeWithCard(shop, order)
    return { redirectTo: `/orders/${order.id}` }
  })
}

/** Unless the request was rejected, it may have succeeded: redirect to the order, where the shopper can continue. */
async function orRedirectToOrder({ id }: Order, work: () => Promise<ShopResponse>): Promise<ShopResponse> {
  return work().catch((error) => {
    if (!(error instanceof SwitchyardError) || isRejection(error)) throw error
    return { redirectTo: `/orders/${id}` }
  })
}

function changeOrderSubscription(request: ShopRequest, action: Action): Promise<ShopResponse | null> {
  return withOrder(request, async ({ shop, form }, order) => {
    const version = form.get('version') ?? ''
    await changeSubscription(shop, order, action, version)
    return { redirectTo: `/orders/${order.id}?requested=${encodeURIComponent(version)}` }
  })
}

/** The page generates the order id. */
function readOrderId(form: URLSearchParams): string | null {
  const id = form.get('order') ?? ''
  return /^[0-9a-f-]{36}$/.test(id) ? id : null
}
