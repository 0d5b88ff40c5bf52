/** What somebody has paid, for a page and for a mail. Pure: the same receipt has the same words each time. */
import { type Currency, exponentOf } from '../../kernel/currency.ts'
import { formatDecimal, money } from '../../kernel/money.ts'

export type Receipt = {
  readonly seller: string
  readonly amount: bigint
  readonly currency: Currency
  /** The amount is held, and taken later. */
  readonly isHeld: boolean
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly amount: number }[]
  readonly description: string | null
  readonly card: { readonly brand: string; readonly last4: string }
  readonly paidAt: Date
  readonly reference: string
  readonly statementDescriptor: string | null
  readonly locale: string | null
  readonly isTest: boolean
}

type Words = {
  readonly subject: (seller: string) => string
  readonly thanks: string
  readonly held: string
  readonly amount: string
  readonly card: (brand: string, last4: string) => string
  readonly date: string
  readonly method: string
  readonly reference: string
  readonly statement: string
  readonly test: string
}

const en: Words = {
  subject: (seller) => `Your receipt from ${seller}`,
  thanks: 'Thank you. You have paid.',
  held: 'Thank you. The amount is held on your card and taken later.',
  amount: 'Amount',
  card: (brand, last4) => `${brand} ending in ${last4}`,
  date: 'Date',
  method: 'Paid with',
  reference: 'Reference',
  statement: 'On your statement',
  test: 'This was a test. No money was moved.',
}

const languages: { readonly [language: string]: Words } = {
  en,
  de: {
    subject: (seller) => `Ihr Beleg von ${seller}`,
    thanks: 'Vielen Dank. Sie haben bezahlt.',
    held: 'Vielen Dank. Der Betrag ist auf Ihrer Karte vorgemerkt und wird später abgebucht.',
    amount: 'Betrag',
    card: (brand, last4) => `${brand} mit den Endziffern ${last4}`,
    date: 'Datum',
    method: 'Bezahlt mit',
    reference: 'Referenz',
    statement: 'Auf Ihrer Abrechnung',
    test: 'Das war ein Test. Es wurde kein Geld bewegt.',
  },
  es: {
    subject: (seller) => `Su recibo de ${seller}`,
    thanks: 'Gracias. Ha pagado.',
    held: 'Gracias. El importe está retenido en su tarjeta y se cobrará más tarde.',
    amount: 'Importe',
    card: (brand, last4) => `${brand} terminada en ${last4}`,
    date: 'Fecha',
    method: 'Pagado con',
    reference: 'Referencia',
    statement: 'En su extracto',
    test: 'Esto fue una prueba. No se movió dinero.',
  },
  fr: {
    subject: (seller) => `Votre reçu de ${seller}`,
    thanks: 'Merci. Vous avez payé.',
    held: 'Merci. Le montant est réservé sur votre carte et sera débité plus tard.',
    amount: 'Montant',
    card: (brand, last4) => `${brand} se terminant par ${last4}`,
    date: 'Date',
    method: 'Payé avec',
    reference: 'Référence',
    statement: 'Sur votre relevé',
    test: 'C’était un test. Aucun argent n’a été débité.',
  },
  ja: {
    subject: (seller) => `${seller}からの領収書`,
    thanks: 'お支払いありがとうございました。',
    held: 'ありがとうございます。金額はカードで確保され、後日引き落とされます。',
    amount: '金額',
    card: (brand, last4) => `${brand} 末尾 ${last4}`,
    date: '日付',
    method: 'お支払い方法',
    reference: '照会番号',
    statement: 'ご利用明細の表示',
    test: 'これはテストです。実際の引き落としはありません。',
  },
  ar: {
    subject: (seller) => `إيصالك من ${seller}`,
    thanks: 'شكرًا لك. لقد تم الدفع.',
    held: 'شكرًا لك. المبلغ محجوز على بطاقتك وسيُخصم لاحقًا.',
    amount: 'المبلغ',
    card: (brand, last4) => `${brand} المنتهية بـ ${last4}`,
    date: 'التاريخ',
    method: 'تم الدفع بواسطة',
    reference: 'المرجع',
    statement: 'في كشف حسابك',
    test: 'كان هذا اختبارًا. لم يتم تحويل أي أموال.',
  },
}

export type Mail = { readonly subject: string; readonly text: string }

/** The mail, in the language of the page. One that we do not speak is English. */
export function receiptMail(receipt: Receipt): Mail {
  const tag = receipt.locale ?? 'en'
  const language = tag.split('-')[0] as string
  const isSpoken = Object.hasOwn(languages, language)
  const words = isSpoken ? (languages[language] as Words) : en
  const locale = isSpoken ? tag : 'en'
  return { subject: oneLine(words.subject(receipt.seller)), text: textOf(receipt, words, locale) }
}

function textOf(receipt: Receipt, words: Words, locale: string): string {
  const { card, items, description, isHeld, isTest, statementDescriptor: statement } = receipt
  const lines = [
    receipt.seller,
    '',
    isHeld ? words.held : words.thanks,
    ...(isTest ? [words.test] : []),
    '',
    ...(description === null ? [] : [description, '']),
    ...items.map(({ name, quantity, amount }) => {
      return `${quantity} × ${name}: ${amountText(BigInt(amount), receipt.currency, locale)}`
    }),
    ...(items.length === 0 ? [] : ['']),
    `${words.amount}: ${amountText(receipt.amount, receipt.currency, locale)}`,
    `${words.method}: ${words.card(brandName(card.brand), card.last4)}`,
    `${words.date}: ${dateText(receipt.paidAt, locale)}`,
    `${words.reference}: ${receipt.reference}`,
    ...(statement === null ? [] : [`${words.statement}: ${statement}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** The decimal places are ours: `Intl` has other habits for some currencies. */
export function amountText(amount: bigint, currency: Currency, locale: string): string {
  const places = exponentOf(currency)
  // As a text: a number would lose the last digits of large amounts.
  const decimal = formatDecimal(money(amount, currency))
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(decimal as `${number}`)
}

/** In UTC, and it says so: nobody knows where the reader is. */
function dateText(at: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
    .format(at)
    .concat(' UTC')
}

function brandName(brand: string): string {
  const names: { readonly [brand: string]: string } = { amex: 'American Express', mastercard: 'Mastercard' }
  return names[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1)
}

/** A header has one line, whatever a name holds. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ')
}
