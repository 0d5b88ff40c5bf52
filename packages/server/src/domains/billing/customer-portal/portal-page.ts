/** The pages of the customer portal as HTML without scripts. No side effects. All text is escaped. */
import type { Currency } from '../../../kernel/currency.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { type PageSeller, renderHostedPage, textsOf } from '../../../kernel/hosted-page.ts'
import { cardText, moneyText } from '../../../kernel/money-text.ts'
import { type DetailsField, type DetailsForm, detailsFields, type PortalAction } from './portal.ts'
import { type PortalTexts, portalLanguages } from './portal-texts.ts'
import type { ShownSubscription } from './shown-subscription.ts'

export const portalNotices = ['saved', 'impossible'] as const
export type PortalNotice = (typeof portalNotices)[number]

export type Frame = {
  readonly seller: PageSeller
  readonly locale: string
  readonly isTest: boolean
  /** The address of the overview, with the secret of the session. */
  readonly url: string
  readonly returnUrl: string | null
}

type Words = {
  readonly texts: PortalTexts
  readonly locale: string
  readonly money: (amount: bigint, currency: Currency) => string
  readonly date: (at: Date) => string
  /** The text with its values, escaped. */
  readonly text: (name: keyof PortalTexts, values?: Readonly<Record<string, string>>) => string
}

function wordsOf(tag: string): Words {
  const { texts, locale } = textsOf(portalLanguages, tag)
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  return {
    texts,
    locale,
    money: (amount, currency) => moneyText(amount, currency, locale),
    date: (at) => format.format(at),
    text: (name, values = {}) =>
      escapeHtml(texts[name].replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '')),
  }
}

function page({ seller, isTest }: Frame, { texts, locale }: Words, title: string, body: string): string {
  return renderHostedPage({ seller, locale, title, notice: isTest ? texts.test : null, body })
}

export type Overview = {
  readonly frame: Frame
  readonly notice: PortalNotice | null
  readonly subscriptions: readonly (ShownSubscription & { readonly actions: readonly PortalAction[] })[]
  /** Null if the portal does not show them. */
  readonly cards: readonly ShownCard[] | null
  readonly canSelectCard: boolean
  readonly invoices: readonly ShownInvoice[] | null
  readonly details: { readonly name: string | null; readonly email: string | null } | null
}

type ShownCard = {
  readonly id: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly exp_month: number
    readonly exp_year: number
  }
  readonly isUsed: boolean
}

type ShownInvoice = {
  readonly number: string
  readonly status: string
  readonly total: bigint
  readonly remaining: bigint
  readonly currency: Currency
  readonly at: Date
  readonly url: string
}

export function renderOverview(overview: Overview): string {
  const { frame, notice, subscriptions, invoices, details } = overview
  const words = wordsOf(frame.locale)
  const { text } = words
  const list = subscriptions.map((subscription) => subscriptionHtml(frame, words, subscription))
  return page(
    frame,
    words,
    words.texts.title,
    [
      notice === null
        ? ''
        : `<p role="status" class="${notice === 'saved' ? 'status' : 'problem'}">${text(notice)}</p>`,
      `<h2>${text('subscriptions')}</h2>`,
      list.length === 0 ? `<p>${text('noSubscriptions')}</p>` : list.join('\n'),
      cardsHtml(overview, words),
      invoices === null ? '' : invoicesHtml(words, invoices),
      details === null ? '' : detailsHtml(frame, words, details),
      leaveHtml(frame, words),
    ].join('\n'),
  )
}

function subscriptionHtml(
  { url }: Frame,
  words: Words,
  { id, name, status, isOverdue, next, currency, actions }: Overview['subscriptions'][number],
): string {
  const { text } = words
  const links = actions.map(
    (action) =>
      `<a class="button second" href="${escapeHtml(`${url}/subscriptions/${id}/${action}`)}">${text(action)}</a>`,
  )
  return `<section class="card">
<h3>${escapeHtml(name)}</h3>
<p>${text(status)}${isOverdue ? ` · ${text('overdue')}` : ''}<br>
<span class="quiet">${nextHtml(words, next, currency)}</span></p>
${links.length === 0 ? '' : `<p class="actions">${links.join('')}</p>`}
</section>`
}

function nextHtml({ text, money, date }: Words, next: ShownSubscription['next'], currency: Currency): string {
  switch (next.is) {
    case 'renews':
      return text('renews', { date: date(next.at), amount: money(next.amount, currency) })
    case 'ends':
    case 'pauses':
      return text(next.is, { date: date(next.at) })
    case 'nothing':
      return text('nothing')
  }
}

function cardsHtml({ frame, cards, canSelectCard }: Overview, { text }: Words): string {
  if (cards === null) return ''
  const select = (
    id: string,
  ) => `<form method="post" action="${escapeHtml(`${frame.url}/select-card`)}" class="actions">
<input type="hidden" name="payment_method_id" value="${escapeHtml(id)}"><button class="second">${text('useCard')}</button></form>`
  const list = cards.map(({ id, card, isUsed }) => {
    const expiry = `${String(card.exp_month).padStart(2, '0')}/${card.exp_year}`
    const use = isUsed ? `<p>${text('cardInUse')}</p>` : ''
    return `<section class="card"><h3>${escapeHtml(cardText(card))}</h3>
${card.exp_year === 0 ? '' : `<p class="quiet">${text('expires', { date: expiry })}</p>`}
${use}${isUsed || !canSelectCard ? '' : select(id)}</section>`
  })
  return `<h2>${text('cards')}</h2>
${list.length === 0 ? `<p>${text('noCards')}</p>` : list.join('\n')}
<form method="post" action="${escapeHtml(`${frame.url}/card`)}" class="actions"><button class="second">${text('newCard')}</button></form>`
}

function invoicesHtml({ text, money, date }: Words, invoices: readonly ShownInvoice[]): string {
  if (invoices.length === 0) return `<h2>${text('invoices')}</h2><p>${text('noInvoices')}</p>`
  const rows = invoices.map(({ number, status, total, remaining, currency, at, url }) => {
    const isOpen = status === 'open' || status === 'uncollectible'
    const values = { number }
    return `<section class="card"><h3>${escapeHtml(number)}</h3>
<p>${escapeHtml(date(at))} · ${escapeHtml(money(isOpen ? remaining : total, currency))} · ${text(status === 'paid' ? 'paid' : isOpen ? 'open' : 'closed')}</p>
<p><a href="${escapeHtml(url)}">${text(isOpen ? 'pay' : 'view', values)}</a><br>
<a href="${escapeHtml(`${url}/pdf`)}">${text('download', values)}</a></p></section>`
  })
  return `<h2>${text('invoices')}</h2>\n${rows.join('\n')}`
}

function detailsHtml(
  { url }: Frame,
  { text }: Words,
  { name, email }: NonNullable<Overview['details']>,
): string {
  const shown = [name, email].filter((value) => value !== null).map(escapeHtml)
  return `<h2>${text('details')}</h2>
<p>${shown.join('<br>')}</p>
<p class="actions"><a class="button second" href="${escapeHtml(`${url}/details`)}">${text('edit')}</a></p>`
}

function leaveHtml({ returnUrl, seller }: Frame, { text }: Words): string {
  if (returnUrl === null) return ''
  return `<p><a href="${escapeHtml(returnUrl)}">${text('leave', { seller: seller.name })}</a></p>`
}

const backHtml = ({ url }: Frame, { text }: Words) =>
  `<p class="actions"><a class="button second" href="${escapeHtml(url)}">${text('back')}</a></p>`

export type Change = {
  readonly frame: Frame
  readonly action: PortalAction
  /** Whether the customer confirmed an earlier preview, which is no longer valid. */
  readonly isStale: boolean
  readonly before: ShownSubscription
  readonly after: ShownSubscription
  readonly dueNow: bigint
  /** The amount that is added to the next invoice. */
  readonly pending: bigint
  readonly priceId: string | null
  readonly token: string
}

/** What a change costs now and later, with the button that commits it. */
export function renderChange(change: Change): string {
  const { frame, action, isStale, before, after, dueNow, pending, priceId, token } = change
  const words = wordsOf(frame.locale)
  const { text, money } = words
  const row = (label: string, value: string) => `<tr><th scope="row">${label}</th><td>${value}</td></tr>`
  const state = (subscription: ShownSubscription) =>
    `${escapeHtml(subscription.name)}<br>${nextHtml(words, subscription.next, subscription.currency)}`
  const amount = (value: bigint) => escapeHtml(money(value, after.currency))
  const hidden = [
    ['preview_token', token] as const,
    ...(priceId === null ? [] : [['price_id', priceId] as const]),
  ]
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')
  return page(
    frame,
    words,
    words.texts[action],
    `${isStale ? `<p role="alert" class="problem">${text('stale')}</p>` : ''}
<table><tbody>
${row(text('now'), state(before))}
${row(text('after'), state(after))}
${row(text(dueNow < 0n ? 'credited' : 'charged'), amount(dueNow < 0n ? -dueNow : dueNow))}
${pending === 0n ? '' : row(text('withNext'), amount(pending))}
</tbody></table>
<form method="post" action="${escapeHtml(`${frame.url}/subscriptions/${before.id}/${action}`)}">${hidden}<button>${text(action)}</button></form>
${backHtml(frame, words)}`,
  )
}

export type Plans = {
  readonly frame: Frame
  readonly subscription: ShownSubscription
  readonly prices: readonly {
    readonly id: string
    readonly name: string
    readonly amount: bigint
    readonly currency: Currency
    readonly recurring: {
      readonly interval: 'day' | 'week' | 'month' | 'year'
      readonly intervalCount: number
    }
  }[]
}

/** The plans that the customer can switch to. */
export function renderPlans({ frame, subscription, prices }: Plans): string {
  const words = wordsOf(frame.locale)
  const { text, money, locale } = words
  const list = prices.map(({ id, name, amount, currency, recurring: { interval, intervalCount } }) => {
    const unit = new Intl.NumberFormat(locale, { style: 'unit', unit: interval, unitDisplay: 'long' })
    return `<section class="card"><h3>${escapeHtml(name)}</h3>
<p>${escapeHtml(`${money(amount, currency)} / ${unit.format(intervalCount)}`)}</p>
<form method="get" action="${escapeHtml(`${frame.url}/subscriptions/${subscription.id}/switch`)}" class="actions">
<input type="hidden" name="price_id" value="${escapeHtml(id)}"><button aria-label="${text('switch')}: ${escapeHtml(name)}">${text('switch')}</button></form></section>`
  })
  return page(
    frame,
    words,
    words.texts.switch,
    `<p>${escapeHtml(subscription.name)}<br><span class="quiet">${nextHtml(words, subscription.next, subscription.currency)}</span></p>
${list.length === 0 ? `<p>${text('noPlans')}</p>` : list.join('\n')}
${backHtml(frame, words)}`,
  )
}

/** The page with the button that opens a checkout session, for links that lead directly to it. */
export function renderCard({ frame }: { readonly frame: Frame }): string {
  const words = wordsOf(frame.locale)
  const { text } = words
  return page(
    frame,
    words,
    words.texts.newCard,
    `<p>${text('newCardText')}</p>
<form method="post" action="${escapeHtml(`${frame.url}/card`)}"><button>${text('newCard')}</button></form>
${backHtml(frame, words)}`,
  )
}

export type Details = {
  readonly frame: Frame
  readonly form: DetailsForm
  readonly faults: readonly DetailsField[]
}

const autocomplete: { readonly [K in DetailsField]: string } = {
  name: 'name',
  email: 'email',
  line1: 'address-line1',
  line2: 'address-line2',
  postal_code: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country',
}

export function renderDetails({ frame, form, faults }: Details): string {
  const words = wordsOf(frame.locale)
  const { text } = words
  const fields = detailsFields.map((name) => {
    const isWrong = faults.includes(name)
    const described = isWrong ? ` aria-invalid="true" aria-describedby="${name}-fault"` : ''
    return `<label for="${name}">${text(name)}</label>
<input id="${name}" name="${name}" value="${escapeHtml(form[name])}" autocomplete="${autocomplete[name]}"${name === 'email' ? ' type="email" required' : ''}${described}>
${isWrong ? `<p id="${name}-fault" class="problem">${text('check')}</p>` : ''}`
  })
  return page(
    frame,
    words,
    words.texts.details,
    `<form method="post" action="${escapeHtml(`${frame.url}/details`)}">
${fields.join('\n')}
<p><button>${text('save')}</button></p></form>
${backHtml(frame, words)}`,
  )
}

export function renderExpired({ seller, locale: tag }: Pick<Frame, 'seller' | 'locale'>): string {
  const { texts, locale, text } = wordsOf(tag)
  const body = `<p>${text('expiredText', { seller: seller.name })}</p>`
  return renderHostedPage({ seller, locale, title: texts.expiredTitle, notice: null, body })
}
