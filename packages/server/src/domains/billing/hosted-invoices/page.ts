/** The hosted page of an invoice as HTML without scripts. Pure. Every text is escaped. */
import type { Currency } from '../../../kernel/currency.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { moneyText } from '../../../kernel/money-text.ts'
import { textsFor } from './texts.ts'

export type InvoicePage = {
  readonly seller: {
    readonly name: string
    readonly logo_url: string | null
    readonly accent_color: string | null
    readonly accent_text_color: string | null
  }
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
  const { texts, locale } = textsFor(page.locale)
  const { seller, currency } = page
  const money = (amount: bigint) => escapeHtml(moneyText(amount, currency, locale))
  const title = `${texts.invoice} ${page.number}`
  const logo = seller.logo_url === null ? '' : `<img src="${escapeHtml(seller.logo_url)}" alt="" height="40">`
  const rows = page.lines.map(
    ({ name, amount }) => `<tr><td>${escapeHtml(name ?? texts.item)}</td><td>${money(amount)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${locale.startsWith('ar') ? 'rtl' : 'ltr'}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${styleOf(seller)}</style>
<main>
<header>${logo}<strong>${escapeHtml(seller.name)}</strong></header>
${page.isTest ? `<p class="test">${escapeHtml(texts.test)}</p>` : ''}
<h1>${escapeHtml(title)}</h1>
<p class="due">${escapeHtml(texts.amountDue)}<strong>${money(page.amountDue)}</strong></p>
${actionOf(page, texts, money)}
<table>
<tbody>${rows.join('')}</tbody>
<tfoot><tr><th scope="row">${escapeHtml(texts.total)}</th><td>${money(page.total)}</td></tr></tfoot>
</table>
<p><a href="${escapeHtml(page.pdfUrl)}">${escapeHtml(texts.download)}</a></p>
</main>
</html>
`
}

function actionOf(
  { state, amountDue }: InvoicePage,
  texts: ReturnType<typeof textsFor>['texts'],
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

function styleOf({ accent_color: color, accent_text_color: text }: InvoicePage['seller']): string {
  return `
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: #f3f4f6; color: #111827 }
  main { max-width: 34rem; margin: 2rem auto; padding: 2rem; background: #fff; box-sizing: border-box }
  header { display: flex; gap: .75rem; align-items: center }
  h1 { font-size: 1.4rem }
  .due { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem }
  .due strong { font-size: 1.8rem }
  .test, .status { padding: .5rem .75rem; background: #fef3c7; color: #78350f }
  .status { background: #e5f3ea; color: #14532d }
  button, .button { display: block; width: 100%; box-sizing: border-box; text-align: center; font: inherit; font-weight: 600;
    padding: .8rem; border: 0; border-radius: 6px; text-decoration: none; cursor: pointer;
    background: ${color ?? '#111827'}; color: ${text ?? '#ffffff'} }
  button:focus-visible, a:focus-visible { outline: 3px solid #2563eb }
  table { width: 100%; border-collapse: collapse; margin: 1.5rem 0 }
  td, th { padding: .5rem 0; border-bottom: 1px solid #e5e7eb; text-align: start; font-weight: inherit }
  td:last-child { text-align: end }
  tfoot td, tfoot th { font-weight: 600; border: 0 }
  a { color: #1d4ed8 }
  @media (max-width: 36rem) { main { margin: 0; min-height: 100vh } }
`
}
