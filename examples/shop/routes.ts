// The routes of the shop and their handlers.

import { randomUUID } from 'node:crypto'
import { SwitchyardError } from '@switchyard/sdk'
import { refundOrder, sessionOf } from './buying.ts'
import { items, letter, priceOf } from './catalogue.ts'
import { letterPage, orderPage, ordersPage, payPage, shopPage } from './pages.ts'
import type { ShopRequest, ShopResponse } from './request.ts'
import { shopkeeperPage, versionOfOrders } from './shopkeeper.ts'
import { canReadLetter, statusOf } from './states.ts'
import type { Order } from './store.ts'
import { type Action, changeCard, changeSubscription, isRejection } from './subscribing.ts'

/** Null if the object does not exist or belongs to another shopper. */
type Handle = (request: ShopRequest) => ShopResponse | null | Promise<ShopResponse | null>

const routes: Readonly<Record<string, Handle>> = {
  'GET /': () => ({ page: shopPage() }),
  'POST /buy': buy,
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
  'GET /orders/:id/pay': (request) => withOrder(request, showPayPage),
  'GET /orders/:id/card': (request) => withOrder(request, showCardPage),
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

function buy({ shop, form, shopperId }: ShopRequest): ShopResponse | null {
  const id = readOrderId(form) ?? randomUUID()
  const item = form.get('item') === 'letter' ? 'letter' : 'atlas'
  const order = shop.store.placeOrder({ id, shopper_id: shopperId, item })
  return order && { redirectTo: `/orders/${order.id}/pay` }
}

/** The page with the payment element, until the order is paid or its outcome is unknown. */
async function showPayPage({ shop }: ShopRequest, order: Order): Promise<ShopResponse> {
  const orderUrl = `/orders/${order.id}`
  if (statusOf(shop.store, order).state !== 'unpaid') return { redirectTo: orderUrl }
  return orRedirectToOrder(order, async () => {
    const price = priceOf(order.item)
    const isLetter = order.item === 'letter'
    const page = payPage({
      ...elementOf(shop),
      session: await sessionOf(shop, order.id),
      title: items[order.item].title,
      text: isLetter ? `${price} a month, until you cancel.` : `${price}, paid once.`,
      label: isLetter ? `Subscribe for ${price} a month` : `Pay ${price}`,
      returnUrl: `${orderUrl}?returned=yes`,
    })
    return { page }
  })
}

/** The page on which a subscriber stores another card. Loaded again afterwards, it changes the subscription. */
async function showCardPage({ shop }: ShopRequest, order: Order): Promise<ShopResponse> {
  const orderUrl = `/orders/${order.id}`
  const { subscription } = statusOf(shop.store, order)
  if (subscription === null) return { redirectTo: orderUrl }
  return orRedirectToOrder(order, async () => {
    const session = await changeCard(shop, order, subscription.customer_id)
    if (session === null) return { redirectTo: orderUrl }
    const page = payPage({
      ...elementOf(shop),
      session,
      title: 'Use another card',
      text: `The next payments for ${letter.title} use this card.`,
      label: 'Save card',
      returnUrl: `${orderUrl}/card`,
    })
    return { page }
  })
}

function elementOf({ switchyard, publishableToken }: ShopRequest['shop']) {
  return { switchyardUrl: switchyard.baseUrl, publishableToken }
}

function showOrder(request: ShopRequest): Promise<ShopResponse | null> {
  return withOrder(request, ({ shop, query }, order) => ({
    page: orderPage({
      order,
      status: statusOf(shop.store, order),
      downloadCode: shop.store.downloadCodeOf(order.id),
      hasReturned: query.has('returned'),
      requestedVersion: query.get('requested'),
    }),
  }))
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
