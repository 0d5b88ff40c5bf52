// The pages for shoppers. They show the known status of an order, and say if the outcome is not known yet.

import { randomUUID } from 'node:crypto'
import type { Payment } from '@switchyard/sdk'
import { atlas, items, letter, priceOf } from './catalogue.ts'
import { html, layout, type Markup } from './html.ts'
import { canReadLetter, isCardPending, type OrderStatus, pendingStates, type State } from './states.ts'
import type { Order } from './store.ts'

/** An order with its status. */
export type OrderWithStatus = { readonly order: Order; readonly status: OrderStatus }

export function shopPage(): string {
  return layout(
    'Two things, well made',
    html`<ul class="things">
<li><article><h2>${atlas.title}</h2><p>${atlas.about}</p><p class="price">${priceOf('atlas')}</p>
<form method="post" action="/buy"><input type="hidden" name="order" value="${randomUUID()}">
<button>Buy the atlas</button></form></article></li>
<li><article><h2>${letter.title}</h2><p>${letter.about}</p><p class="price">${priceOf('letter')} a month</p>
<a class="button" href="/subscribe">Subscribe</a></article></li>
</ul>`,
  )
}

export type CardForm = {
  readonly orderId: string
  readonly email: string
  readonly error: string | null
  readonly switchyardUrl: string
  readonly publishableToken: string
  readonly isTest: boolean
}

/** The card fields have no `name`, so the browser never submits them to the shop: card.js turns them into a token. */
export function cardPage({
  orderId,
  email,
  error,
  switchyardUrl,
  publishableToken,
  isTest,
}: CardForm): string {
  return layout(
    'Subscribe',
    html`<p>${letter.title}: ${priceOf('letter')} a month, until you cancel. Your card goes to Switchyard and
is never seen by this shop.</p>
<form method="post" action="/subscribe" class="card" data-switchyard="${switchyardUrl}" data-token="${publishableToken}">
<p class="fault" role="alert">${error}</p>
<input type="hidden" name="order" value="${orderId}"><input type="hidden" name="token">
<label>E-mail <input name="email" type="email" required autocomplete="email" value="${email}"></label>
<label>Card number <input id="number" required inputmode="numeric" autocomplete="cc-number"></label>
<div class="pair">
<label>Expiry, month/year <input id="expiry" required inputmode="numeric" autocomplete="cc-exp" placeholder="MM/YY"></label>
<label>Security code <input id="cvc" required inputmode="numeric" autocomplete="cc-csc"></label>
</div>
<button>Subscribe for ${priceOf('letter')} a month</button>
${isTest ? html`<p class="hint">Test mode: no money moves. 4242 4242 4242 4242 is approved; 4000 0000 0051 0000 is declined.</p>` : null}
<noscript><p class="fault">This form needs JavaScript: the card must not pass through the shop.</p></noscript>
</form>`,
    '/card.js',
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
  card_required: { label: 'Not started', message: 'No card was entered. You were not charged.' },
  verifying_card: { label: 'Waiting for your bank', message: 'Your bank is verifying the card.' },
  activating: {
    label: 'Waiting for the first payment',
    message: 'It is not known yet whether it went through.',
  },
  card_declined: { label: 'Card declined', message: 'You were not charged. You can try another card.' },
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
  /** The payer was redirected back. That does not prove a payment: wait for the webhook. */
  readonly hasReturned: boolean
  /** The version of the order when a change was requested. While it is the same, the change is not confirmed. */
  readonly requestedVersion: string | null
  /** The verification payment of a card that is not complete yet. */
  readonly verification: Payment | null
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

function purchase({ order, status, downloadCode, hasReturned }: OrderDetails): Markup | null {
  if (status.state === 'unpaid')
    return html`<form method="post" action="/orders/${order.id}/pay"><button>${hasReturned ? 'Back to the payment page' : `Pay ${priceOf('atlas')}`}</button></form>
<p class="hint">This order can only be paid once, however often you open the payment page.</p>`
  if (downloadCode === null || status.state === 'refunded') return null
  return html`<p>Your download code: <strong>${downloadCode}</strong></p>`
}

function subscription(details: OrderDetails): Markup {
  const { order, status, verification, requestedVersion } = details
  const until = status.subscription?.access.until_at
  return html`${canReadLetter(status) ? html`<p>You can read <a href="/letter">the letter</a>${until ? ` until ${dayOf(until)}` : ''}.</p>` : null}
${decline(status)}
${verification?.next_action ? html`<p><a class="button" href="${verification.next_action.url}">Confirm with your bank</a></p>` : null}
${isCardPending(order) || (verification !== null && verification.next_action === null) ? html`<p><a class="button" href="/orders/${order.id}/card">Check again</a></p>` : null}
${needsCard(details) ? html`<p><a class="button" href="/subscribe?order=${order.id}">Use another card</a></p>` : null}
${requestedVersion === status.version ? null : actionButtons(order, status)}`
}

function decline({ state, subscription }: OrderStatus): Markup | null {
  const message = subscription?.activation?.last_decline?.message
  return state === 'card_declined' && message ? html`<p>The bank says: ${message}</p>` : null
}

function needsCard({ status, verification }: OrderDetails): boolean {
  return (
    verification?.status === 'failed' || ['card_required', 'card_declined', 'past_due'].includes(status.state)
  )
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
      : html`<p>The letter is for subscribers. <a href="/subscribe">Subscribe</a>, or see
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
