// The page of the shopkeeper: every order, with a refund button.

import { items, priceOf } from './catalogue.ts'
import { html, layout, type Markup } from './html.ts'
import { badge, dayOf, type OrderWithStatus } from './pages.ts'

export function shopkeeperPage(orders: readonly OrderWithStatus[]): string {
  return layout(
    'For the shopkeeper',
    html`<div data-poll-url="/shopkeeper/version" data-version="${versionOfOrders(orders)}">${
      orders.length === 0
        ? html`<p>No orders yet.</p>`
        : html`<ul class="orders">${orders.map(orderLine)}</ul>`
    }</div>`,
    '/wait.js',
  )
}

/** Changes with every event of an order. */
export function versionOfOrders(orders: readonly OrderWithStatus[]): string {
  return orders.map(({ status }) => status.version).join('-')
}

function orderLine({ order, status }: OrderWithStatus): Markup {
  return html`<li><div><strong>${items[order.item].title}</strong>${badge(status.state)}
<p class="hint">${priceOf(order.item)}, ordered on ${dayOf(order.created_at)} as ${order.id}</p></div>
${actionButton({ order, status })}</li>`
}

function actionButton({ order, status: { state } }: OrderWithStatus): Markup | null {
  if (state !== 'paid' && state !== 'refund_failed' && state !== 'partly_refunded') return null
  const label = state === 'partly_refunded' ? 'the rest' : priceOf(order.item)
  return html`<form method="post" action="/shopkeeper/orders/${order.id}/refund"><button class="plain">Refund ${label}</button></form>`
}
