/**
 * Decides the tax rate of an invoice line from the seller, the customer, the rules and the product. Pure, so that a
 * preview and the invoice that follows it have the same tax.
 */
import type { TaxRate } from '../../../kernel/invoice-arithmetic.ts'
import type { SellerParty, TaxedCustomer, TaxedPrice } from '../../../kernel/parties.ts'
import { checkTaxId } from '../../../kernel/tax-ids.ts'

export const customerTypes = ['business', 'consumer'] as const
export type CustomerType = (typeof customerTypes)[number]

/** Null matches everything. */
export type RuleConditions = {
  readonly country: string | null
  readonly customerType: CustomerType | null
  readonly taxCode: string | null
}

export type RuleWithRate = RuleConditions & {
  readonly id: string
  readonly rate: Pick<TaxRate, 'id' | 'percentage' | 'category'> & { readonly exemptionReason: string | null }
}

/** Why a line has its rate, or no tax. */
export const taxReasons = [
  'tax_off',
  'tax_provider',
  'small_business',
  'customer_exempt',
  'reverse_charge',
  'rule',
  'no_rule',
] as const

export type TaxDecision = {
  readonly reason: (typeof taxReasons)[number]
  readonly ruleId: string | null
  /** Null: no tax. */
  readonly rate: Omit<TaxRate, 'inclusive'> | null
}

/** The data of a workspace that determines the tax of its invoice lines. */
export type TaxSetup = {
  readonly seller: Pick<SellerParty, 'tax_ids' | 'vat_scheme'> & { readonly country: string | null }
  /** In the order of their positions. */
  readonly rules: readonly RuleWithRate[]
}

/** Returns a function from a price to its rate, to be used for all lines of the customer. Null: no tax. */
export function taxOfCustomer(
  setup: TaxSetup,
  customer: TaxedCustomer,
): (price: TaxedPrice) => TaxRate | null {
  const decide = decisionsOf(setup, customer)
  return ({ isInclusive, taxCode }) => {
    const { rate } = decide(taxCode)
    return rate && { ...rate, inclusive: isInclusive }
  }
}

/** Returns a function that decides the rate of a tax code, with the reason. */
export function decisionsOf(
  setup: TaxSetup,
  customer: TaxedCustomer,
): (taxCode: string | null) => TaxDecision {
  const { seller, rules } = setup
  if (seller.vat_scheme === 'small_business') return () => untaxed('small_business')
  const special = specialCaseOf(seller, customer)
  if (special !== null) return () => special
  const country = countryOf(setup, customer)
  const customerType = customerTypeOf(customer)
  return (taxCode) => {
    const rule = rules.find((candidate) => matches(candidate, { country, customerType, taxCode }))
    if (rule === undefined) return untaxed('no_rule')
    const { id, percentage, category, exemptionReason: note } = rule.rate
    return { reason: 'rule', ruleId: rule.id, rate: { id, percentage, category, note } }
  }
}

export function untaxed(reason: TaxDecision['reason']): TaxDecision {
  return { reason, ruleId: null, rate: null }
}

/** Customers with a tax id are businesses. */
export function customerTypeOf({ taxIds }: TaxedCustomer): CustomerType {
  return taxIds.length > 0 ? 'business' : 'consumer'
}

function specialCaseOf(seller: TaxSetup['seller'], customer: TaxedCustomer): TaxDecision | null {
  const rateOf = (category: 'E' | 'AE') => ({ id: null, percentage: '0', category, note: null })
  if (customer.isExempt) return { reason: 'customer_exempt', ruleId: null, rate: rateOf('E') }
  if (!isReverseCharge(seller.tax_ids, customer.taxIds)) return null
  return { reason: 'reverse_charge', ruleId: null, rate: rateOf('AE') }
}

/** Both have a well-formed VAT id, of different EU countries. */
export function isReverseCharge(
  sellerIds: SellerParty['tax_ids'],
  customerIds: SellerParty['tax_ids'],
): boolean {
  const sellerCountries = euCountriesOf(sellerIds)
  const customerCountries = euCountriesOf(customerIds)
  return (
    sellerCountries.length > 0 &&
    customerCountries.length > 0 &&
    // A seller that is registered in the country of the customer charges the tax of that country.
    !customerCountries.some((country) => sellerCountries.includes(country))
  )
}

function euCountriesOf(ids: SellerParty['tax_ids']): string[] {
  return ids.flatMap((id) => {
    const checked = checkTaxId(id)
    return checked?.isInEu === true ? [checked.country] : []
  })
}

/** The country of the address, of a VAT id, or of the seller. Without an address a sale counts as domestic. */
export function countryOf({ seller }: TaxSetup, { country, taxIds }: TaxedCustomer): string | null {
  const countryOfId = taxIds.flatMap((id) => checkTaxId(id)?.country ?? [])[0]
  return country ?? countryOfId ?? seller.country
}

type LineConditions = {
  readonly country: string | null
  readonly customerType: CustomerType
  readonly taxCode: string | null
}

function matches(rule: RuleConditions, line: LineConditions): boolean {
  return (
    (rule.country === null || rule.country === line.country) &&
    (rule.customerType === null || rule.customerType === line.customerType) &&
    (rule.taxCode === null || rule.taxCode === line.taxCode)
  )
}
