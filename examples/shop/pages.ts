// The pages for shoppers. They show the known status of an order, and say if the outcome is not known yet.

import { randomUUID } from 'node:crypto'
import type { SessionKey } from './buying.ts'
import { atlas, type Item, items, letter, priceOf } from './catalogue.ts'
import { html, layout, type Markup } from './html.ts'
import { canReadLetter, type OrderStatus, pendingStates, type State } from './states.ts'
import type { Order } from './store.ts'

/** An order with its status. */
export type OrderWithStatus = { readonly order: Order; readonly status: OrderStatus }

export function shopPage(): string {
  return layout(
    'Two things, well made',
    html`<ul class="things">
<li><article><h2>${atlas.title}</h2><p>${atlas.about}</p><p class="price">${priceOf('atlas')}</p>
${orderForm('atlas', 'Buy the atlas')}</article></li>
<li><article><h2>${letter.title}</h2><p>${letter.about}</p><p class="price">${priceOf('letter')} a month</p>
${orderForm('letter', 'Subscribe')}</article></li>
</ul>`,
  )
}

/** The page generates the order id, so that two clicks are one order. */
function orderForm(item: Item, label: string): Markup {
  return html`<form method="post" action="/buy"><input type="hidden" name="order" value="${randomUUID()}">
<input type="hidden" name="item" value="${item}"><button>${label}</button></form>`
}

export type PayPage = {
  readonly title: string
  readonly text: string
  readonly label: string
  readonly session: SessionKey
  readonly switchyardUrl: string
  readonly publishableToken: string
  /** Where the shopper goes after the payment. */
  readonly returnUrl: string
}

/** The page with the payment element. pay.js puts it into `#pay`. */
export function payPage(page: PayPage): string {
  const { title, text, label, session, switchyardUrl, publishableToken, returnUrl } = page
  return layout(
    title,
    html`<p>${text}</p>
<div class="sheet">
<div id="pay" data-base-url="${switchyardUrl}" data-token="${publishableToken}" data-session-id="${session.id}" data-client-secret="${session.client_secret}" data-return-url="${returnUrl}"></div>
<p class="fault" role="alert"></p>
<button id="pay-button" disabled>${label}</button>
</div>
<noscript><p class="fault">This page needs JavaScript to take a payment.</p></noscript>`,
    '/pay.js',
  )
}

const stateTexts: Record<State, { readonly label: string; readonly message: string }> = {
  unpaid: { label: 'Not paid', message: 'You were not charged. You can pay at any time.' },
  processing: {
    label: 'Waiting for your bank',
    message:
      'It is not known yet whether the payment went through. Please do not pay again: this page shows the result.',
  },
  paid: { label: 'Paid', message: 'Thank you. Your atlas is ready.' },
  refunding: {
    label: 'Refund in progress',
    message: 'The refund was requested and is not complete yet.',
  },
  refund_failed: {
    label: 'Paid',
    message: 'A refund failed. The atlas is still yours.',
  },
  partly_refunded: {
    label: 'Partly refunded',
    message: 'A part of the price was refunded. The atlas is still yours.',
  },
  refunded: { label: 'Refunded', message: 'The payment was refunded.' },
  activating: {
    label: 'Starting',
    message: 'Your payment has arrived. The subscription starts in a moment.',
  },
  active: { label: 'Active', message: 'You receive the letter every month.' },
  past_due: {
    label: 'Payment failed',
    message: 'The last payment failed. It will be retried; you can also use another card.',
  },
  ending: {
    label: 'Ends soon',
    message: 'The subscription is cancelled and ends with the period you paid for.',
  },
  paused: { label: 'Paused', message: 'Billing is paused. The rest of the month is added when you resume.' },
  ended: { label: 'Ended', message: 'The subscription has ended. You will not be billed again.' },
}

export function ordersPage(orders: readonly OrderWithStatus[]): string {
  return layout(
    'Your orders',
    orders.length === 0
      ? html`<p>You have not ordered anything yet. <a href="/">Visit the shop.</a></p>`
      : html`<ul class="orders">${orders.map(orderLine)}</ul>`,
  )
}

function orderLine({ order, status }: OrderWithStatus): Markup {
  return html`<li><a href="/orders/${order.id}">${items[order.item].title}</a>${badge(status.state)}</li>`
}

export function badge(state: State): Markup {
  return html` <span class="badge ${state}">${stateTexts[state].label}</span>`
}

export type OrderDetails = OrderWithStatus & {
  readonly downloadCode: string | null
  /** Whether the payer was redirected back. The redirect does not prove a payment: wait for the webhook. */
  readonly hasReturned: boolean
  /**
   * The version of the order when a change was requested. While it is unchanged, the change is not confirmed.
   */
  readonly requestedVersion: string | null
}

export function orderPage(details: OrderDetails): string {
  const { order, status, hasReturned, requestedVersion } = details
  const { state, version } = status
  const isPaying = hasReturned && state === 'unpaid'
  const isChangePending = requestedVersion === version
  const isPolling = isPaying || isChangePending || pendingStates.includes(state)
  return layout(
    items[order.item].title,
    html`<section role="status" ${isPolling ? html`data-poll-url="/orders/${order.id}/version" data-version="${version}"` : null}>
<p>${badge(isPaying ? 'processing' : state)}</p><p>${isPaying ? returnedText : isChangePending ? requestedText : stateTexts[state].message}</p></section>
${order.item === 'atlas' ? purchase(details) : subscription(details)}
<p class="hint">Order ${order.id}</p>`,
    isPolling ? '/wait.js' : null,
  )
}

const returnedText = 'Welcome back. As soon as Switchyard confirms your payment, it is shown here.'
const requestedText = 'Your change was requested. This page shows when it is done.'

function payLink({ order, hasReturned }: OrderDetails): Markup {
  const label = hasReturned ? 'Back to the payment' : `Pay ${priceOf(order.item)}`
  return html`<p><a class="button" href="/orders/${order.id}/pay">${label}</a></p>
<p class="hint">This order can only be paid once, however often you open the payment page.</p>`
}

function purchase(details: OrderDetails): Markup | null {
  const { status, downloadCode } = details
  if (status.state === 'unpaid') return payLink(details)
  if (downloadCode === null || status.state === 'refunded') return null
  return html`<p>Your download code: <strong>${downloadCode}</strong></p>`
}

function subscription(details: OrderDetails): Markup {
  const { order, status, requestedVersion } = details
  const until = status.subscription?.access.until_at
  if (status.state === 'unpaid') return payLink(details)
  return html`${canReadLetter(status) ? html`<p>You can read <a href="/letter">the letter</a>${until ? ` until ${dayOf(until)}` : ''}.</p>` : null}
${requestedVersion === status.version ? null : actionButtons(order, status)}
${['active', 'past_due'].includes(status.state) ? html`<p><a href="/orders/${order.id}/card">Use another card</a></p>` : null}`
}

const buttons: Partial<Record<State, readonly (readonly [action: string, label: string])[]>> = {
  active: [
    ['pause', 'Pause'],
    ['cancel', 'Cancel at the end of the month'],
  ],
  past_due: [['cancel', 'Cancel at the end of the month']],
  ending: [['keep', 'Keep subscription']],
  paused: [['resume', 'Resume']],
}

function actionButtons(order: Order, { state, version }: OrderStatus): Markup {
  const forms = (buttons[state] ?? []).map(
    ([action, label]) => html`<form method="post" action="/orders/${order.id}/${action}">
<input type="hidden" name="version" value="${version}"><button class="plain">${label}</button></form>`,
  )
  return html`<div class="actions">${forms}</div>`
}

export function letterPage(isAllowed: boolean): string {
  return layout(
    letter.title,
    isAllowed
      ? html`<p>Dear reader, this month we walked the quay of a harbour with three boats and two cats.</p>`
      : html`<p>The letter is for subscribers. <a href="/">Subscribe</a>, or see
<a href="/orders">your orders</a>.</p>`,
  )
}

export function messagePage(title: string, text: string): string {
  return layout(title, html`<p>${text}</p><p><a href="/orders">Your orders</a></p>`)
}

const days = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })

export function dayOf(time: string): string {
  return days.format(new Date(time))
}
