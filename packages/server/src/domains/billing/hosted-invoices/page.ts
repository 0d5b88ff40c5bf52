/** The hosted page of an invoice as HTML without scripts. Pure. Every text is escaped. */
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
  readonly total: bigint
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
  return renderHostedPage({
    seller,
    locale,
    title: `${texts.invoice} ${page.number}`,
    notice: page.isTest ? texts.test : null,
    body: `<p class="due">${escapeHtml(texts.amountDue)}<strong>${money(page.amountDue)}</strong></p>
${actionOf(page, texts, money)}
<table>
<tbody>${rows.join('')}</tbody>
<tfoot><tr><th scope="row">${escapeHtml(texts.total)}</th><td>${money(page.total)}</td></tr></tfoot>
</table>
<p><a href="${escapeHtml(page.pdfUrl)}">${escapeHtml(texts.download)}</a></p>`,
  })
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
