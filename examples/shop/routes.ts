// The addresses of the shop, and what each of them does.

import { randomUUID } from 'node:crypto'
import { DeclineError, SwitchyardError } from '@switchyard/sdk'
import { paymentPageOf, refundOrder } from './buying.ts'
import { cardPage, letterPage, orderPage, ordersPage, shopPage } from './pages.ts'
import { seenOf, shopkeeperPage } from './shopkeeper.ts'
import { declineOf, mayRead, standingOf } from './states.ts'
import type { Order } from './store.ts'
import { type Action, act, goOnWithCard, isRefusal, letMonthPass, payWithCard } from './subscribing.ts'
import type { Answer, Visit } from './visit.ts'

/** Null: there is no such thing, or it is not theirs. */
type Handle = (visit: Visit) => Answer | null | Promise<Answer | null>

const routes: Readonly<Record<string, Handle>> = {
  'GET /': () => ({ page: shopPage() }),
  'POST /buy': buy,
  'GET /subscribe': showCardForm,
  'POST /subscribe': subscribe,
  'GET /letter': ({ shop, shopperId }) => {
    const orders = shop.store.ordersOf(shopperId)
    return { page: letterPage(orders.some((order) => mayRead(standingOf(shop.store, order)))) }
  },
  'GET /orders': ({ shop, shopperId }) => ({ page: ordersPage(shown(shop, shop.store.ordersOf(shopperId))) }),
  'GET /orders/:id': showOrder,
  'GET /orders/:id/seen': (visit) =>
    onOrder(visit, ({ shop }, order) => ({ text: standingOf(shop.store, order).seen })),
  'GET /orders/:id/card': (visit) => onOrder(visit, goOn),
  'POST /orders/:id/pay': (visit) =>
    onOrder(visit, async ({ shop }, order) => ({ goTo: await paymentPageOf(shop, order.id) })),
  'POST /orders/:id/pause': (visit) => acting(visit, 'pause'),
  'POST /orders/:id/resume': (visit) => acting(visit, 'resume'),
  'POST /orders/:id/cancel': (visit) => acting(visit, 'cancel'),
  'POST /orders/:id/keep': (visit) => acting(visit, 'keep'),
  'GET /shopkeeper': ({ shop }) => ({ page: shopkeeperPage(shown(shop, shop.store.allOrders())) }),
  'GET /shopkeeper/seen': ({ shop }) => ({ text: seenOf(shown(shop, shop.store.allOrders())) }),
  'POST /shopkeeper/orders/:id/refund': async ({ shop, id }) => {
    await refundOrder(shop, id)
    return { goTo: '/shopkeeper' }
  },
  'POST /shopkeeper/orders/:id/month': async ({ shop, id, form }) => {
    const order = shop.store.findOrder(id)
    if (order === null) return null
    await letMonthPass(shop, order, form.get('seen') ?? '')
    return { goTo: '/shopkeeper' }
  },
}

export function findRoute(method: string, path: string) {
  const [, id = ''] = /\/orders\/([0-9a-f-]{36})(?=\/|$)/.exec(path) ?? []
  const handle = routes[`${method} ${id === '' ? path : path.replace(id, ':id')}`]
  return handle === undefined ? null : { handle, id, isForShopkeeper: path.startsWith('/shopkeeper') }
}

function shown({ store }: Visit['shop'], orders: readonly Order[]) {
  return orders.map((order) => ({ order, standing: standingOf(store, order) }))
}

async function onOrder(
  visit: Visit,
  handle: (visit: Visit, order: Order) => Answer | Promise<Answer>,
): Promise<Answer | null> {
  const order = visit.shop.store.findOrder(visit.id)
  return order?.shopper_id === visit.shopperId ? handle(visit, order) : null
}

/** The order first, then the call: whatever happens in between, the order is there to go on with. */
async function buy({ shop, form, shopperId }: Visit): Promise<Answer | null> {
  const id = orderIdIn(form) ?? randomUUID()
  const order = shop.store.placeOrder({ id, shopper_id: shopperId, item: 'atlas' })
  return order && orBackTo(order, async () => ({ goTo: await paymentPageOf(shop, order.id) }))
}

/** The id stands in the address: however often the form is loaded and sent, it is one subscription. */
function showCardForm({ shop, query, shopperId }: Visit): Answer {
  const orderId = orderIdIn(query)
  if (orderId === null) return { goTo: `/subscribe?order=${randomUUID()}` }
  const order = shop.store.findOrder(orderId)
  const email = order?.shopper_id === shopperId ? (order.email ?? '') : ''
  return { page: cardPage({ ...formOf(shop), orderId, email, fault: null }) }
}

async function subscribe({ shop, form, shopperId }: Visit): Promise<Answer | null> {
  const id = orderIdIn(form)
  const order = id && shop.store.placeOrder({ id, shopper_id: shopperId, item: 'letter' })
  const [token, email] = [form.get('token') ?? '', form.get('email') ?? '']
  if (!order) return null
  try {
    return await orBackTo(order, async () => {
      await payWithCard(shop, order, { token, email })
      return { goTo: `/orders/${order.id}` }
    })
  } catch (error) {
    if (!(error instanceof DeclineError)) throw error
    return {
      status: 422,
      page: cardPage({ ...formOf(shop), orderId: order.id, email, fault: declineOf(error) }),
    }
  }
}

function formOf({ switchyard, publishableToken, isTest }: Visit['shop']) {
  return { switchyardUrl: switchyard.baseUrl, publishableToken, isTest }
}

async function showOrder(visit: Visit): Promise<Answer | null> {
  return onOrder(visit, async ({ shop, query }, order) => {
    const check =
      order.verification_id === null ? null : await shop.switchyard.payments.get(order.verification_id)
    const downloadCode = shop.store.downloadCodeOf(order.id)
    const standing = standingOf(shop.store, order)
    return {
      page: orderPage({
        order,
        standing,
        downloadCode,
        hasReturned: query.has('returned'),
        asked: query.get('asked'),
        check,
      }),
    }
  })
}

async function goOn({ shop }: Visit, order: Order): Promise<Answer> {
  return orBackTo(order, async () => {
    await goOnWithCard(shop, order)
    return { goTo: `/orders/${order.id}` }
  })
}

/** Whoever was not refused may have got what they wanted. The page of the order says so, and goes on with it. */
async function orBackTo({ id }: Order, work: () => Promise<Answer>): Promise<Answer> {
  return work().catch((error) => {
    if (!(error instanceof SwitchyardError) || isRefusal(error)) throw error
    return { goTo: `/orders/${id}` }
  })
}

function acting(visit: Visit, action: Action): Promise<Answer | null> {
  return onOrder(visit, async ({ shop, form }, order) => {
    const seen = form.get('seen') ?? ''
    await act(shop, order, action, seen)
    return { goTo: `/orders/${order.id}?asked=${encodeURIComponent(seen)}` }
  })
}

/** The page draws it. */
function orderIdIn(form: URLSearchParams): string | null {
  const id = form.get('order') ?? ''
  return /^[0-9a-f-]{36}$/.test(id) ? id : null
}
