/** The UI text of added tax. It is not in the translations of the page, because most pages do not show it. */
import { currentLocale } from '../translations.ts'

const languages: Readonly<Record<string, string>> = {
  en: 'Includes {percentage}% tax: {amount}',
  de: 'Enthält {percentage} % Steuer: {amount}',
  es: 'Incluye un {percentage} % de impuestos: {amount}',
  fr: 'Comprend {percentage} % de taxe : {amount}',
  ja: '{percentage}%の税を含む: {amount}',
  ar: 'يشمل ضريبة {percentage}%: {amount}',
}

export function taxText(percentage: string, amount: string): string {
  const text = languages[currentLocale().split('-')[0] ?? ''] ?? languages.en ?? ''
  return text.replace('{percentage}', percentage).replace('{amount}', amount)
}
