/** The page on which a customer starts to replace their card. It shows no personal data. No side effects. */
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { type PageSeller, renderHostedPage, textsOf } from '../../../kernel/hosted-page.ts'
import { cardPageLanguages } from './texts.ts'

export type CardPage = {
  readonly seller: PageSeller
  readonly locale: string | null
  readonly isTest: boolean
  /** Whether the customer has just stored a card, and returns from the payment page. */
  readonly isStored: boolean
  readonly url: string
}

export function renderCardPage({ seller, locale: tag, isTest, isStored, url }: CardPage): string {
  const { texts, locale } = textsOf(cardPageLanguages, tag)
  return renderHostedPage({
    seller,
    locale,
    title: texts.title,
    notice: isTest ? texts.test : null,
    body: isStored
      ? `<p role="status" class="status">${escapeHtml(texts.stored)}</p>`
      : `<p>${escapeHtml(texts.text)}</p>
<form method="post" action="${escapeHtml(url)}"><button>${escapeHtml(texts.button)}</button></form>`,
  })
}
