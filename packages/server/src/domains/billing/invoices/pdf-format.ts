/**
 * Dates and amounts of the invoice PDF. Names of months and separators are hard-coded: the document must not depend on the
 * locale data of the machine.
 */
import { civilDateIn } from '../../../kernel/calendar.ts'
import { type Currency, exponentOf } from '../../../kernel/currency.ts'
import { formatDecimal, money } from '../../../kernel/money.ts'
import type { DocumentLanguage } from '../../../kernel/parties.ts'

// biome-ignore format: a table.
const months: { readonly [L in Exclude<DocumentLanguage, 'ja'>]: readonly string[] } = {
  ar: ['يناير', 'فبراير', 'مارس', 'أبريل', 'مايو', 'يونيو', 'يوليو', 'أغسطس', 'سبتمبر', 'أكتوبر', 'نوفمبر', 'ديسمبر'],
  de: ['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni', 'Juli', 'August', 'September', 'Oktober', 'November', 'Dezember'],
  en: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
  es: ['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
  fr: ['janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet', 'août', 'septembre', 'octobre', 'novembre', 'décembre'],
}
const separators: { readonly [L in DocumentLanguage]: { readonly group: string; readonly decimal: string } } =
  {
    ar: { group: ',', decimal: '.' },
    de: { group: '.', decimal: ',' },
    en: { group: ',', decimal: '.' },
    es: { group: '.', decimal: ',' },
    fr: { group: '\u00a0', decimal: ',' },
    ja: { group: ',', decimal: '.' },
  }

export type PdfFormat = {
  date(at: Date): string
  /** With the currency code, because a currency symbol can be ambiguous. */
  withCurrency(amount: bigint): string
  amount(amount: bigint): string
  /** A unit price in minor units, with all its decimal places. */
  unitPrice(minorUnits: string): string
  number(value: number): string
}

export function pdfFormatOf(language: DocumentLanguage, currency: Currency, timeZone: string): PdfFormat {
  const localized = (decimal: string) => localizedDecimal(language, decimal)
  const amount = (value: bigint) => localized(formatDecimal(money(value, currency)))
  return {
    date: (at) => formatDate(language, civilDateIn(at, timeZone)),
    amount,
    withCurrency: (value) => `${currency.toUpperCase()} ${amount(value)}`,
    unitPrice: (minorUnits) => localized(unitPriceInMajorUnits(minorUnits, currency)),
    number: (value) => localized(String(value)),
  }
}

function formatDate(
  language: DocumentLanguage,
  { year, month, day }: { readonly year: number; readonly month: number; readonly day: number },
): string {
  if (language === 'ja') return `${year}年${month}月${day}日`
  const name = months[language][month - 1]
  if (language === 'de') return `${day}. ${name} ${year}`
  return language === 'es' ? `${day} de ${name} de ${year}` : `${day} ${name} ${year}`
}

export function unitPriceInMajorUnits(minorUnits: string, currency: Currency): string {
  const [whole = '', fraction = ''] = minorUnits.replace('-', '').split('.')
  const places = exponentOf(currency)
  const digits = whole.padStart(places + 1, '0')
  const cut = digits.length - places
  const decimals = digits.slice(cut) + fraction
  const sign = minorUnits.startsWith('-') ? '-' : ''
  return `${sign}${digits.slice(0, cut)}${decimals === '' ? '' : `.${decimals}`}`
}

function localizedDecimal(language: DocumentLanguage, decimalText: string): string {
  const { group, decimal } = separators[language]
  const [whole = '', fraction] = decimalText.split('.')
  const groupedWhole = whole.replaceAll(/\B(?=(\d{3})+$)/g, group)
  return fraction === undefined ? groupedWhole : `${groupedWhole}${decimal}${fraction}`
}
