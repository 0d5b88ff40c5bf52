// What shoppers see. A page says what is known, and what is not known yet; it never promises more.

import { randomUUID } from 'node:crypto'
import type { Payment } from '@switchyard/sdk'
import { atlas, items, letter, priceOf } from './catalogue.ts'
import { html, layout, type Piece } from './html.ts'
import { isCardUnderWay, mayRead, type Standing, type State, waiting } from './states.ts'
import type { Order } from './store.ts'

/** An order with how it stands. */
export type Shown = { readonly order: Order; readonly standing: Standing }

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
  readonly fault: string | null
  readonly switchyardUrl: string
  readonly publishableToken: string
  readonly isTest: boolean
}

/** The fields of the card have no name, so a browser never sends them to the shop: card.js turns them into a token. */
export function cardPage({
  orderId,
  email,
  fault,
  switchyardUrl,
  publishableToken,
  isTest,
}: CardForm): string {
  return layout(
    'Subscribe',
    html`<p>${letter.title}: ${priceOf('letter')} a month, until you cancel. Your card goes to Switchyard and
is never seen by this shop.</p>
<form method="post" action="/subscribe" class="card" data-switchyard="${switchyardUrl}" data-token="${publishableToken}">
<p class="fault" role="alert">${fault}</p>
<input type="hidden" name="order" value="${orderId}"><input type="hidden" name="token">
<label>E-mail <input name="email" type="email" required autocomplete="email" value="${email}"></label>
<label>Card number <input id="number" required inputmode="numeric" autocomplete="cc-number"></label>
<div class="pair">
<label>Expiry, month/year <input id="expiry" required inputmode="numeric" autocomplete="cc-exp" placeholder="MM/YY"></label>
<label>Security code <input id="cvc" required inputmode="numeric" autocomplete="cc-csc"></label>
</div>
<button>Subscribe for ${priceOf('letter')} a month</button>
${isTest ? html`<p class="hint">No money moves here. 4242 4242 4242 4242 is good; 4000 0000 0051 0000 has no money on it.</p>` : null}
<noscript><p class="fault">This form needs JavaScript: the card must not pass through the shop.</p></noscript>
</form>`,
    '/card.js',
  )
}

const words: Record<State, { readonly label: string; readonly says: string }> = {
  unpaid: { label: 'Not paid', says: 'Nothing was taken. You can pay whenever you like.' },
  processing: {
    label: 'Waiting for your bank',
    says: 'It is not known yet whether the payment went through. Please do not pay again: this page will tell you.',
  },
  paid: { label: 'Paid', says: 'Thank you. Your atlas is ready.' },
  refunding: {
    label: 'Refund under way',
    says: 'The money is on its way back, or the bank has not answered yet.',
  },
  refund_failed: {
    label: 'Paid',
    says: 'A refund was tried and did not go through. The atlas is still yours.',
  },
  partly_refunded: {
    label: 'Partly refunded',
    says: 'You have a part of your money back. The atlas is still yours.',
  },
  refunded: { label: 'Refunded', says: 'You have your money back.' },
  card_wanted: { label: 'Not begun', says: 'No card was given. Nothing was taken.' },
  card_checked: { label: 'Waiting for your bank', says: 'Your bank is asked whether the card is yours.' },
  activating: {
    label: 'Waiting for the first payment',
    says: 'It is not known yet whether it went through.',
  },
  card_declined: { label: 'Card declined', says: 'Nothing was taken. You can try another card.' },
  active: { label: 'Active', says: 'The letter comes each month.' },
  past_due: {
    label: 'Payment failed',
    says: 'The last payment failed. It will be tried again; another card helps.',
  },
  ending: { label: 'Ends soon', says: 'It is cancelled and goes on to the end of the time you paid for.' },
  paused: { label: 'Paused', says: 'Nothing is billed, and what is left of the month is kept for you.' },
  ended: { label: 'Ended', says: 'It has ended. Nothing more will be billed.' },
}

export function ordersPage(orders: readonly Shown[]): string {
  return layout(
    'Your orders',
    orders.length === 0
      ? html`<p>You have not ordered anything yet. <a href="/">Look at what there is.</a></p>`
      : html`<ul class="orders">${orders.map(orderLine)}</ul>`,
  )
}

function orderLine({ order, standing }: Shown): Piece {
  return html`<li><a href="/orders/${order.id}">${items[order.item].title}</a>${badge(standing.state)}</li>`
}

export function badge(state: State): Piece {
  return html` <span class="badge ${state}">${words[state].label}</span>`
}

export type OrderDetails = Shown & {
  readonly downloadCode: string | null
  /** The payer says that they have paid. That is a reason to wait, not to believe it. */
  readonly hasReturned: boolean
  /** What they had seen when they asked for a change. If that is all there is, it was not heard of yet. */
  readonly asked: string | null
  /** The check of a card that the bank has not let pass yet. */
  readonly check: Payment | null
}

export function orderPage(details: OrderDetails): string {
  const { order, standing, hasReturned, asked } = details
  const { state, seen } = standing
  const isPaying = hasReturned && state === 'unpaid'
  const isAsked = asked === seen
  const looksAgain = isPaying || isAsked || waiting.includes(state)
  return layout(
    items[order.item].title,
    html`<section role="status" ${looksAgain ? html`data-look-again="/orders/${order.id}/seen" data-seen="${seen}"` : null}>
<p>${badge(isPaying ? 'processing' : state)}</p><p>${isPaying ? back : isAsked ? taken : words[state].says}</p></section>
${order.item === 'atlas' ? purchase(details) : subscription(details)}
<p class="hint">Order ${order.id}</p>`,
    looksAgain ? '/wait.js' : null,
  )
}

const back = 'You are back. As soon as Switchyard confirms your payment, it shows here.'
const taken = 'Your wish was taken. It shows here as soon as it is done.'

function purchase({ order, standing, downloadCode, hasReturned }: OrderDetails): Piece | null {
  if (standing.state === 'unpaid')
    return html`<form method="post" action="/orders/${order.id}/pay"><button>${hasReturned ? 'Back to the payment page' : `Pay ${priceOf('atlas')}`}</button></form>
<p class="hint">The payment page takes this order once, however often you open it.</p>`
  if (downloadCode === null || standing.state === 'refunded') return null
  return html`<p>Your download code: <strong>${downloadCode}</strong></p>`
}

function subscription(details: OrderDetails): Piece {
  const { order, standing, check, asked } = details
  const until = standing.subscription?.access.until_at
  return html`${mayRead(standing) ? html`<p>You can read <a href="/letter">the letter</a>${until ? ` until ${dayOf(until)}` : ''}.</p>` : null}
${decline(standing)}
${check?.next_action ? html`<p><a class="button" href="${check.next_action.url}">Confirm at your bank</a></p>` : null}
${isCardUnderWay(order) || (check !== null && check.next_action === null) ? html`<p><a class="button" href="/orders/${order.id}/card">Look again</a></p>` : null}
${wantsCard(details) ? html`<p><a class="button" href="/subscribe?order=${order.id}">Give another card</a></p>` : null}
${asked === standing.seen ? null : actions(order, standing)}`
}

function decline({ state, subscription }: Standing): Piece | null {
  const message = subscription?.activation?.last_decline?.message
  return state === 'card_declined' && message ? html`<p>The bank says: ${message}</p>` : null
}

function wantsCard({ standing, check }: OrderDetails): boolean {
  return check?.status === 'failed' || ['card_wanted', 'card_declined', 'past_due'].includes(standing.state)
}

const buttons: Partial<Record<State, readonly (readonly [action: string, label: string])[]>> = {
  active: [
    ['pause', 'Pause'],
    ['cancel', 'Cancel at the end of the month'],
  ],
  past_due: [['cancel', 'Cancel at the end of the month']],
  ending: [['keep', 'Keep it after all']],
  paused: [['resume', 'Go on']],
}

function actions(order: Order, { state, seen }: Standing): Piece {
  const forms = (buttons[state] ?? []).map(
    ([action, label]) => html`<form method="post" action="/orders/${order.id}/${action}">
<input type="hidden" name="seen" value="${seen}"><button class="plain">${label}</button></form>`,
  )
  return html`<div class="actions">${forms}</div>`
}

export function letterPage(isAllowed: boolean): string {
  return layout(
    letter.title,
    isAllowed
      ? html`<p>Dear reader, this month we walked the quay of a harbour with three boats and two cats.</p>`
      : html`<p>The letter is for subscribers. <a href="/subscribe">Subscribe</a>, or go on with
<a href="/orders">what you have</a>.</p>`,
  )
}

export function messagePage(title: string, text: string): string {
  return layout(title, html`<p>${text}</p><p><a href="/orders">Your orders</a></p>`)
}

const days = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })

export function dayOf(time: string): string {
  return days.format(new Date(time))
}
