/** Describes tax rates, tax rules and their result for a customer. No side effects. */
import type { Invoice, TaxPreview, TaxRate, TaxRule } from '@switchyard/sdk'

export const categoryTexts: { readonly [C in TaxRate['category']]: string } = {
  S: 'Standard or reduced rate',
  Z: 'Zero rate',
  E: 'Exempt',
  AE: 'Reverse charge',
  K: 'Intra-community supply',
  G: 'Export',
  O: 'Not subject to tax',
}

/** `DE, consumers, tax code books`, or `Everything` for a rule without conditions. */
export function conditionsText({ country, customer_type: type, tax_code: code }: TaxRule): string {
  const conditions = [
    country,
    type === null ? null : type === 'business' ? 'businesses' : 'consumers',
    code === null ? null : `tax code ${code}`,
  ].filter((condition) => condition !== null)
  return conditions.length === 0 ? 'Everything' : conditions.join(', ')
}

/** The rate that applies to a customer, and why, as a sentence. */
export function previewText(preview: TaxPreview, rateName: string | null): string {
  const { reason, percentage, country, customer_type: type } = preview
  const customer = `${type === 'business' ? 'Business' : 'Consumer'}${country === null ? '' : ` in ${country}`}`
  switch (reason) {
    case 'rule':
      return `${customer}: ${rateName ?? 'tax'} (${percentage}%).`
    case 'no_rule':
      return `${customer}: no tax, because no rule matches.`
    case 'reverse_charge':
      return `${customer}: reverse charge. The customer owes the tax, because both VAT IDs are well-formed and from different EU countries.`
    case 'customer_exempt':
      return `${customer}: no tax, because the customer is exempt.`
    case 'small_business':
      return 'No tax, because the VAT scheme of the seller is small business.'
    case 'tax_provider':
      return `${customer}: the tax provider decides when an invoice is created.`
    case 'tax_off':
      return 'No tax, because tax is turned off.'
  }
}

type TaxGroup = Invoice['tax_breakdown'][number]

/** `19%, included in prices`, or the category if no tax is charged. */
export function groupText({ percentage, category, inclusive }: TaxGroup): string {
  const text = categoryTexts[category as TaxRate['category']] ?? category
  if (category !== 'S') return text
  return inclusive ? `${percentage}%, included in prices` : `${percentage}%`
}
