/** Why an invoice charges no tax, in the language of the document. Article 226 (11) and (11a) of the VAT Directive. */
import type { TaxRate } from '../../../kernel/invoice-arithmetic.ts'
import type { DocumentLanguage } from '../../../kernel/parties.ts'

type Notes = { readonly [L in DocumentLanguage]: string }

const reverseCharge: Notes = {
  ar: 'الاحتساب العكسي للضريبة',
  de: 'Steuerschuldnerschaft des Leistungsempfängers',
  en: 'Reverse charge',
  es: 'Inversión del sujeto pasivo',
  fr: 'Autoliquidation',
  ja: 'リバースチャージ方式',
}

const exempt: Notes = {
  ar: 'معفى من الضريبة',
  de: 'Steuerbefreit',
  en: 'Exempt from tax',
  es: 'Exento de impuestos',
  fr: 'Exonéré de taxe',
  ja: '免税',
}

/** Why invoices of a small business have no tax. */
export const smallBusinessNotes: Notes = {
  ar: 'إعفاء المنشآت الصغيرة من الضريبة',
  de: 'Steuerbefreiung für Kleinunternehmer',
  en: 'Exemption for small businesses',
  es: 'Exención para pequeñas empresas',
  fr: 'Franchise en base de TVA',
  ja: '小規模事業者の免税',
}

/**
 * The reason from the tax rate, or a standard note for reverse charge and for exemptions. Null if tax is
 * charged.
 */
export function taxNoteOf({ category, note = null }: TaxRate, language: DocumentLanguage): string | null {
  if (category === 'AE') return reverseCharge[language]
  if (note !== null) return note
  return category === 'E' ? exempt[language] : null
}
