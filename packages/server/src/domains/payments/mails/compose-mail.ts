/** Composes an e-mail from its kind and facts, in the language of the payer. No side effects. */
import { cardText, moneyText } from '../../../kernel/money-text.ts'
import { type Block, renderHtml, renderText } from './blocks.ts'
import type { CustomText, CustomTexts, MailFacts, MailKind } from './mail.ts'
import { languages, type Texts } from './texts.ts'

export type MailInput = {
  readonly kind: MailKind
  readonly facts: MailFacts
  /** English if the language is not supported. */
  readonly locale: string | null
  readonly seller: {
    readonly name: string
    readonly logo_url: string | null
    readonly accent_color: string | null
    readonly accent_text_color: string | null
  }
  /** The address of the button; null without a button. */
  readonly url: string | null
  /** The page on which the customer replaces their card; null without a customer. */
  readonly cardUrl: string | null
  /** The code of a `login_code` e-mail. */
  readonly code: string | null
  readonly isTest: boolean
  /** The wording of the workspace, which replaces the default. */
  readonly customTexts: CustomTexts
}

export type ComposedMail = { readonly subject: string; readonly text: string; readonly html: string }

const noText: CustomText = { subject: null, body: null }
const defaultColor = '#111827'

export function composeMail(input: MailInput): ComposedMail {
  const { seller, kind, facts } = input
  const { language, locale, texts } = languageOf(input.locale)
  const values = { seller: seller.name, date: facts.at === undefined ? '' : dateText(facts.at, locale) }
  const custom = input.customTexts[kind]?.[language] ?? noText
  const subject = fill(custom.subject ?? texts.kinds[kind].subject, values)
  // Custom wording may say that the payment is complete, which is wrong for an authorization.
  const body = facts.held ? texts.held : (custom.body ?? texts.kinds[kind].body)
  const blocks: Block[] = [
    { type: 'heading', text: subject },
    { type: 'text', text: fill(body, values) },
    ...(input.code === null ? [] : [{ type: 'amount', label: texts.code, text: input.code } as const]),
    ...(input.isTest ? [{ type: 'notice', text: texts.test } as const] : []),
    ...detailsOf(input, texts, locale),
    ...buttonsOf(input, texts),
  ]
  const frame = {
    seller: seller.name,
    hasLogo: seller.logo_url !== null,
    color: seller.accent_color ?? defaultColor,
    textColor: seller.accent_text_color ?? '#ffffff',
    language,
    isRightToLeft: language === 'ar',
  }
  return { subject: oneLine(subject), text: renderText(frame, blocks), html: renderHtml(frame, blocks) }
}

function languageOf(tag: string | null) {
  const language = (tag ?? 'en').split('-')[0] as string
  const texts = Object.hasOwn(languages, language) ? languages[language] : undefined
  return texts === undefined
    ? { language: 'en', locale: 'en', texts: languages.en as Texts }
    : { language, locale: tag ?? 'en', texts }
}

function detailsOf({ kind, facts }: MailInput, texts: Texts, locale: string): Block[] {
  const { amount, currency, items = [], discounts = [], card, expiringCard, description = null } = facts
  const money = (value: bigint) => (currency === undefined ? '' : moneyText(value, currency, locale))
  const isDue = isAboutInvoice(kind)
  const rows = [
    ...items.map(({ name, quantity, amount }) => [`${quantity} × ${name}`, money(BigInt(amount))] as const),
    ...discounts.map(({ name, amount }) => [name, money(BigInt(-amount))] as const),
    ...(card === undefined ? [] : [[texts.method, cardText(card)] as const]),
    ...mandateRows(facts, texts),
    ...declarationRows(facts, texts, locale),
    ...textRow(texts.date, datedRowKinds.includes(kind) && facts.at ? timeText(facts.at, locale) : null),
    ...textRow(isDue ? texts.invoice : texts.reference, facts.reference),
    ...textRow(texts.dueOn, isDue && facts.at !== undefined ? dateText(facts.at, locale) : null),
    ...textRow(texts.statement, facts.statement),
  ]
  return [
    ...(description === null ? [] : [{ type: 'text', text: description } as const]),
    ...(expiringCard === undefined ? [] : [{ type: 'text', text: cardText(expiringCard) } as const]),
    ...(amount === undefined
      ? []
      : [
          {
            type: 'amount',
            label: isDue ? texts.amountDue : texts.amount,
            text: money(BigInt(amount)),
          } as const,
        ]),
    ...(rows.length === 0 ? [] : [{ type: 'rows', rows } as const]),
  ]
}

/** The kinds that show when the payer paid, or accepted the mandate. */
const datedRowKinds: readonly MailKind[] = ['receipt', 'mandate_created']

function mandateRows({ debit }: MailFacts, texts: Texts) {
  if (debit === undefined) return []
  return [...textRow(texts.bankAccount, `•••• ${debit.last4}`), ...textRow(texts.mandate, debit.mandate)]
}

/** What a subscriber has requested, and when it was received. */
function declarationRows({ declaration, contract, at = '' }: MailFacts, texts: Texts, locale: string) {
  if (declaration === undefined) return []
  return [
    [texts.declaration, texts.declarations[declaration]] as const,
    ...textRow(texts.contract, contract),
    [texts.received, timeText(at, locale)] as const,
  ]
}

const invoiceKinds: readonly MailKind[] = [
  'payment_failed',
  'action_required',
  'invoice_finalized',
  'invoice_sent',
  'invoice_reminder',
]

const isAboutInvoice = (kind: MailKind) => invoiceKinds.includes(kind)

function textRow(label: string, value: string | null | undefined): (readonly [string, string])[] {
  return value === null || value === undefined ? [] : [[label, value]]
}

function buttonsOf({ kind, url, cardUrl }: MailInput, texts: Texts): Block[] {
  const label = texts.kinds[kind].button
  const asksForCard = kind === 'payment_failed' || kind === 'card_expiring'
  return [
    ...(url === null || label === undefined ? [] : [{ type: 'button', label, url } as const]),
    ...(cardUrl === null || !asksForCard
      ? []
      : [{ type: 'button', label: texts.updateCard, url: cardUrl } as const]),
  ]
}

/** The replacement is a function, because patterns such as `$&` in a replacement string would be expanded. */
function fill(text: string, { seller, date }: { readonly seller: string; readonly date: string }): string {
  return text.replaceAll(/\{(seller|date)\}/g, (_, name) => (name === 'seller' ? seller : date))
}

function dateText(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at))
}

/** The time in UTC, with the zone, because the time zone of the payer is unknown. */
function timeText(at: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(new Date(at))} UTC`
}

/** Removes line breaks, which would end an e-mail header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ')
}
