// What the shopkeeper sees: every order, with a button to give the money back.

import { items, priceOf } from './catalogue.ts'
import { html, layout, type Piece } from './html.ts'
import { badge, dayOf, type Shown } from './pages.ts'

export function shopkeeperPage(orders: readonly Shown[]): string {
  return layout(
    'For the shopkeeper',
    html`<div data-look-again="/shopkeeper/seen" data-seen="${seenOf(orders)}">${
      orders.length === 0
        ? html`<p>Nobody has ordered anything yet.</p>`
        : html`<ul class="orders">${orders.map(line)}</ul>`
    }</div>`,
    '/wait.js',
  )
}

/** Changes with everything that is heard of an order. */
export function seenOf(orders: readonly Shown[]): string {
  return orders.map(({ standing }) => standing.seen).join('-')
}

function line({ order, standing }: Shown): Piece {
  return html`<li><div><strong>${items[order.item].title}</strong>${badge(standing.state)}
<p class="hint">${priceOf(order.item)}, ordered on ${dayOf(order.created_at)} as ${order.id}</p></div>
${buttonOf({ order, standing })}</li>`
}

function buttonOf({ order, standing }: Shown): Piece | null {
  const { state, seen } = standing
  const path = `/shopkeeper/orders/${order.id}`
  if (state === 'paid' || state === 'refund_failed' || state === 'partly_refunded')
    return html`<form method="post" action="${path}/refund"><button class="plain">Refund ${state === 'partly_refunded' ? 'the rest' : priceOf(order.item)}</button></form>`
  if (order.clock_id === null || order.subscription_id === null) return null
  return html`<form method="post" action="${path}/month"><input type="hidden" name="seen" value="${seen}">
<button class="plain">Let a month pass (test only)</button></form>`
}
