/** The hosted page of an invoice as HTML without scripts. No side effects. All text is escaped. */
import type { Currency } from '../../../kernel/currency.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { type PageSeller, renderHostedPage, textsOf } from '../../../kernel/hosted-page.ts'
import { moneyText } from '../../../kernel/money-text.ts'
import { languages, type Texts } from './texts.ts'

export type InvoicePage = {
  readonly seller: PageSeller
  readonly locale: string | null
  readonly isTest: boolean
  readonly number: string
  readonly currency: Currency
  readonly lines: readonly { readonly name: string | null; readonly amount: bigint }[]
  /** Tax by rate. Included tax is part of the amounts, other tax is added to them. */
  readonly taxes: readonly {
    readonly percentage: string
    readonly amount: bigint
    readonly isIncluded: boolean
  }[]
  /** Why no tax is charged. */
  readonly taxNotes: readonly string[]
  readonly total: bigint
  /** Text of the seller for the customer. */
  readonly memo: string | null
  /** The due date of an invoice that was sent to the customer and is not paid. */
  readonly dueAt: Date | null
  readonly amountDue: bigint
  readonly state:
    | { readonly is: 'payable'; readonly payUrl: string }
    /** The bank requires the customer to confirm a payment that has started. */
    | { readonly is: 'to_confirm'; readonly url: string }
    | { readonly is: 'processing' | 'paid' | 'closed' }
  readonly pdfUrl: string
}

export function renderPage(page: InvoicePage): string {
  const { texts, locale } = textsOf(languages, page.locale)
  const { seller, currency } = page
  const money = (amount: bigint) => escapeHtml(moneyText(amount, currency, locale))
  const rows = page.lines.map(
    ({ name, amount }) => `<tr><td>${escapeHtml(name ?? texts.item)}</td><td>${money(amount)}</td></tr>`,
  )
  const taxRows = (isIncluded: boolean) =>
    page.taxes
      .filter((tax) => tax.isIncluded === isIncluded)
      .map(({ percentage, amount }) => {
        const name = `${isIncluded ? texts.taxIncluded : texts.tax} ${percentage}%`
        return `<tr><td>${escapeHtml(name)}</td><td>${money(amount)}</td></tr>`
      })
      .join('')
  const notes = page.taxNotes.map((note) => `<p class="quiet">${escapeHtml(note)}</p>\n`).join('')
  return renderHostedPage({
    seller,
    locale,
    title: `${texts.invoice} ${page.number}`,
    notice: page.isTest ? texts.test : null,
    body: `<p class="due">${escapeHtml(texts.amountDue)}<strong>${money(page.amountDue)}</strong></p>
${dueHtml(page, texts, locale)}${actionOf(page, texts, money)}
${page.memo === null ? '' : `<p>${escapeHtml(page.memo)}</p>\n`}<table>
<tbody>${rows.join('')}${taxRows(false)}</tbody>
<tfoot><tr><th scope="row">${escapeHtml(texts.total)}</th><td>${money(page.total)}</td></tr>${taxRows(true)}</tfoot>
</table>
${notes}<p><a href="${escapeHtml(page.pdfUrl)}">${escapeHtml(texts.download)}</a></p>`,
  })
}

function dueHtml({ dueAt, state }: InvoicePage, texts: Texts, locale: string): string {
  if (dueAt === null || state.is === 'paid' || state.is === 'closed') return ''
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(dueAt)
  return `<p>${escapeHtml(texts.dueOn)} ${escapeHtml(date)}</p>\n`
}

function actionOf(
  { state, amountDue }: InvoicePage,
  texts: Texts,
  money: (amount: bigint) => string,
): string {
  switch (state.is) {
    case 'payable':
      return `<form method="post" action="${escapeHtml(state.payUrl)}"><button>${escapeHtml(texts.pay)} ${money(amountDue)}</button></form>`
    case 'to_confirm':
      return `<p><a class="button" href="${escapeHtml(state.url)}">${escapeHtml(texts.confirm)}</a></p>`
    case 'processing':
    case 'paid':
    case 'closed':
      return `<p role="status" class="status">${escapeHtml(texts[state.is])}</p>`
  }
}
