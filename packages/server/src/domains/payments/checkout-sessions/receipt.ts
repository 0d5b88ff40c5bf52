/** The receipt of a payment, for the payment page and the e-mail. Pure functions. */
import type { Currency } from '../../../kernel/currency.ts'
import { cardText, moneyText } from '../../../kernel/money-text.ts'

export type Receipt = {
  readonly seller: string
  readonly amount: bigint
  readonly currency: Currency
  /** The amount is authorized, and captured later. */
  readonly isAuthorizationOnly: boolean
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly amount: number }[]
  readonly description: string | null
  readonly card: { readonly brand: string; readonly last4: string }
  readonly paidAt: Date
  readonly reference: string
  readonly statementDescriptor: string | null
  readonly locale: string | null
  readonly isTest: boolean
}

type Labels = {
  readonly subject: (seller: string) => string
  readonly thanks: string
  readonly authorized: string
  readonly amount: string
  readonly date: string
  readonly method: string
  readonly reference: string
  readonly statement: string
  readonly test: string
}

const en: Labels = {
  subject: (seller) => `Your receipt from ${seller}`,
  thanks: 'Thank you for your payment.',
  authorized: 'Thank you. The amount is authorized on your card and will be charged later.',
  amount: 'Amount',
  date: 'Date',
  method: 'Paid with',
  reference: 'Reference',
  statement: 'On your statement',
  test: 'This was a test payment. Nothing was charged.',
}

const languages: { readonly [language: string]: Labels } = {
  en,
  de: {
    subject: (seller) => `Ihr Beleg von ${seller}`,
    thanks: 'Vielen Dank. Sie haben bezahlt.',
    authorized: 'Vielen Dank. Der Betrag ist auf Ihrer Karte vorgemerkt und wird später abgebucht.',
    amount: 'Betrag',
    date: 'Datum',
    method: 'Bezahlt mit',
    reference: 'Referenz',
    statement: 'Auf Ihrer Abrechnung',
    test: 'Das war ein Test. Es wurde kein Geld bewegt.',
  },
  es: {
    subject: (seller) => `Su recibo de ${seller}`,
    thanks: 'Gracias. Ha pagado.',
    authorized: 'Gracias. El importe está retenido en su tarjeta y se cobrará más tarde.',
    amount: 'Importe',
    date: 'Fecha',
    method: 'Pagado con',
    reference: 'Referencia',
    statement: 'En su extracto',
    test: 'Esto fue una prueba. No se movió dinero.',
  },
  fr: {
    subject: (seller) => `Votre reçu de ${seller}`,
    thanks: 'Merci. Vous avez payé.',
    authorized: 'Merci. Le montant est réservé sur votre carte et sera débité plus tard.',
    amount: 'Montant',
    date: 'Date',
    method: 'Payé avec',
    reference: 'Référence',
    statement: 'Sur votre relevé',
    test: 'C’était un test. Aucun argent n’a été débité.',
  },
  ja: {
    subject: (seller) => `${seller}からの領収書`,
    thanks: 'お支払いありがとうございました。',
    authorized: 'ありがとうございます。金額はカードで確保され、後日引き落とされます。',
    amount: '金額',
    date: '日付',
    method: 'お支払い方法',
    reference: '照会番号',
    statement: 'ご利用明細の表示',
    test: 'これはテストです。実際の引き落としはありません。',
  },
  ar: {
    subject: (seller) => `إيصالك من ${seller}`,
    thanks: 'شكرًا لك. لقد تم الدفع.',
    authorized: 'شكرًا لك. المبلغ محجوز على بطاقتك وسيُخصم لاحقًا.',
    amount: 'المبلغ',
    date: 'التاريخ',
    method: 'تم الدفع بواسطة',
    reference: 'المرجع',
    statement: 'في كشف حسابك',
    test: 'كان هذا اختبارًا. لم يتم تحويل أي أموال.',
  },
}

export type Mail = { readonly subject: string; readonly text: string }

/** The e-mail in the language of the page, or in English if the language is not supported. */
export function receiptMail(receipt: Receipt): Mail {
  const tag = receipt.locale ?? 'en'
  const language = tag.split('-')[0] as string
  const isSupported = Object.hasOwn(languages, language)
  const labels = isSupported ? (languages[language] as Labels) : en
  const locale = isSupported ? tag : 'en'
  return { subject: oneLine(labels.subject(receipt.seller)), text: textOf(receipt, labels, locale) }
}

function textOf(receipt: Receipt, labels: Labels, locale: string): string {
  const { card, items, description, isAuthorizationOnly, isTest, statementDescriptor: statement } = receipt
  const lines = [
    receipt.seller,
    '',
    isAuthorizationOnly ? labels.authorized : labels.thanks,
    ...(isTest ? [labels.test] : []),
    '',
    ...(description === null ? [] : [description, '']),
    ...items.map(({ name, quantity, amount }) => {
      return `${quantity} × ${name}: ${moneyText(BigInt(amount), receipt.currency, locale)}`
    }),
    ...(items.length === 0 ? [] : ['']),
    `${labels.amount}: ${moneyText(receipt.amount, receipt.currency, locale)}`,
    `${labels.method}: ${cardText(card)}`,
    `${labels.date}: ${dateText(receipt.paidAt, locale)}`,
    `${labels.reference}: ${receipt.reference}`,
    ...(statement === null ? [] : [`${labels.statement}: ${statement}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** The time in UTC, with the zone, because the time zone of the payer is unknown. */
function dateText(at: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
    .format(at)
    .concat(' UTC')
}

/** Removes line breaks, which would end an e-mail header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ')
}
