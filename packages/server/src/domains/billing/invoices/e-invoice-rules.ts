/**
 * The business rules of EN 16931 that depend on the data of an invoice, and those of XRechnung and Peppol. A document
 * that violates one is not written: a receiver would reject it. Rules that the writers fulfil in every document, such as
 * BR-1 (there is a profile), are not checked here.
 */
import { type Currency, exponentOf } from '../../../kernel/currency.ts'
import { taxOn } from '../../../kernel/invoice-arithmetic.ts'
import type { EInvoice, ModelParty, VatBreakdown, VatCategory } from './e-invoice-model.ts'

export type Violation = {
  /** The field that is missing or wrong, such as `seller.address.country`. */
  readonly field: string
  /** Such as `BR-9`. */
  readonly rule: string
  /** What is wrong, as the end of a sentence that begins with the field. */
  readonly reason: string
}

type Check = readonly [isViolated: boolean, field: string, rule: string, reason: string]

export function violationsOf(document: EInvoice): Violation[] {
  const checks = [
    ...documentChecks(document),
    ...partyChecks(document),
    ...lineChecks(document),
    ...document.breakdown.flatMap((group) => categoryChecks(document, group)),
    ...totalChecks(document),
    ...(document.profile === 'xrechnung' ? xrechnungChecks(document) : []),
    ...(document.profile === 'peppol' ? peppolChecks(document) : []),
  ]
  return checks
    .filter(([isViolated]) => isViolated)
    .map(([, field, rule, reason]) => ({ field, rule, reason }))
}

const required = 'is required'

function documentChecks(document: EInvoice): Check[] {
  const { currency, lines, payment, totals, dueDate, paymentTerms } = document
  const isTransfer = payment.meansCode === '30' || payment.meansCode === '58'
  return [
    [exponentOf(currency) > 2, 'currency', 'BR-DEC-12', 'must have at most two decimals'],
    [lines.length === 0, 'lines', 'BR-16', 'must contain at least one line that is not carried over'],
    [isTransfer && payment.account === null, 'seller.bank.iban', 'BR-61', required],
    [totals.payable > 0n && dueDate === null && paymentTerms === null, 'due_at', 'BR-CO-25', required],
  ]
}

function partyChecks({ seller, buyer }: EInvoice): Check[] {
  const isIdentified = seller.registrationNumber !== null || seller.vatId !== null
  return [
    [seller.name === null, 'seller.legal_name', 'BR-6', required],
    [seller.address.country === null, 'seller.address.country', 'BR-9', required],
    [buyer.name === null, 'customer.name', 'BR-7', required],
    [buyer.address.country === null, 'customer.address.country', 'BR-11', required],
    [
      !isIdentified,
      'seller.tax_ids',
      'BR-CO-26',
      'must contain a VAT id, or the seller needs a registration',
    ],
    [!hasPrefix(seller), 'seller.tax_ids', 'BR-CO-9', 'must begin with the country code'],
    [!hasPrefix(buyer), 'customer.tax_ids', 'BR-CO-9', 'must begin with the country code'],
  ]
}

function hasPrefix({ vatId }: ModelParty): boolean {
  return vatId === null || /^[A-Z]{2}/.test(vatId)
}

function lineChecks({ lines }: EInvoice): Check[] {
  return lines.flatMap(({ category, percentage, period, price }, index): Check[] => {
    const path = `lines[${index}]`
    return [
      [category === null, `${path}.tax_rate_id`, 'BR-CO-4', 'is required: the line has no tax rate'],
      [
        category === 'S' && percentage === '0',
        `${path}.tax_rate_id`,
        'BR-S-5',
        'must have a percentage above 0',
      ],
      [
        category !== null && category !== 'S' && percentage !== '0',
        `${path}.tax_rate_id`,
        `BR-${ruleNames[category ?? 'S']}-5`,
        `must have the percentage 0 in category ${category}`,
      ],
      [
        period !== null && period.end < period.start,
        `${path}.service.end_at`,
        'BR-30',
        'must not be before start_at',
      ],
      [price.startsWith('-'), `${path}.amount`, 'BR-27', 'must have a price that is not negative'],
    ]
  })
}

/** The part of a rule's name that stands for the category. */
const ruleNames: { readonly [C in VatCategory]: string } = {
  S: 'S',
  Z: 'Z',
  E: 'E',
  AE: 'AE',
  K: 'IC',
  G: 'G',
  O: 'O',
}

function categoryChecks(document: EInvoice, group: VatBreakdown): Check[] {
  const { seller, buyer, period, breakdown } = document
  const { category, exemption } = group
  const name = `BR-${ruleNames[category]}`
  const isTaxed = category === 'S' || category === 'Z' || category === 'E'
  const hasReason = exemption !== null && (exemption.reason !== null || exemption.code !== null)
  const sellerNeeds = isTaxed || category === 'AE' ? (seller.vatId ?? seller.taxNumber) : seller.vatId
  const checks: Check[] = [
    [
      category !== 'O' && sellerNeeds === null,
      'seller.tax_ids',
      `${name}-2`,
      `must contain a VAT id: category ${category}`,
    ],
    [
      exemption !== null && !hasReason,
      'tax_breakdown.note',
      `${name}-10`,
      'is required: the tax rate has no exemption_reason',
    ],
    [
      !isTaxOf(group, document.currency),
      'tax_breakdown.tax',
      `${name}-9`,
      'is not the percentage of the taxable amount',
    ],
  ]
  if (category === 'AE')
    checks.push([!isBusiness(buyer), 'customer.tax_ids', 'BR-AE-2', 'must contain a VAT id: reverse charge'])
  if (category === 'K')
    checks.push(
      [buyer.vatId === null, 'customer.tax_ids', 'BR-IC-2', 'must contain a VAT id: intra-community supply'],
      [period === null, 'lines.service', 'BR-IC-11', required],
    )
  if (category === 'O')
    checks.push(
      [seller.vatId !== null, 'seller.tax_ids', 'BR-O-2', 'must not contain a VAT id: not subject to tax'],
      [buyer.vatId !== null, 'customer.tax_ids', 'BR-O-2', 'must not contain a VAT id: not subject to tax'],
      [
        breakdown.length > 1,
        'lines',
        'BR-O-11',
        'must not mix lines that are subject to tax with lines that are not',
      ],
    )
  return checks
}

const isBusiness = ({ vatId, registrationNumber }: ModelParty) =>
  vatId !== null || registrationNumber !== null

/**
 * BR-CO-17: the tax is the taxable amount times the percentage, rounded to the minor unit. If amounts include the tax,
 * the tax was rounded first, so the two can differ by one unit, and by two if the group also contains lines to which tax
 * is added. The tax of a credit note is a difference: the tax on all credited amounts, minus the tax of earlier
 * credit notes. The validators of CEN allow less than one unit of the currency.
 */
function isTaxOf(group: VatBreakdown, currency: Currency): boolean {
  const difference = group.tax - taxOn({ id: null, inclusive: false, ...group }, group.taxable)
  const unit = 10n ** BigInt(exponentOf(currency))
  return difference > -unit && difference < unit
}

/**
 * BR-CO-10 to BR-CO-16, and BR-S-8 with its equivalents for the other categories. A violation would be a bug
 * in the model.
 */
function totalChecks({ lines, breakdown, totals }: EInvoice): Check[] {
  const wrong = 'does not add up'
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
  const isGroupWrong = breakdown.some(
    ({ category, percentage, taxable }) =>
      taxable !==
      sum(
        lines
          .filter((line) => line.category === category && line.percentage === percentage)
          .map(({ net }) => net),
      ),
  )
  const hasAll = lines.every(({ category }) => category !== null)
  return [
    [totals.lines !== sum(lines.map(({ net }) => net)), 'subtotal', 'BR-CO-10', wrong],
    [totals.excludingVat !== totals.lines, 'total_excluding_tax', 'BR-CO-13', wrong],
    [totals.vat !== sum(breakdown.map(({ tax }) => tax)), 'tax_total', 'BR-CO-14', wrong],
    [totals.includingVat !== totals.excludingVat + totals.vat, 'total', 'BR-CO-15', wrong],
    [totals.payable !== totals.includingVat - totals.paid, 'amount_due', 'BR-CO-16', wrong],
    [hasAll && breakdown.length === 0 && lines.length > 0, 'tax_breakdown', 'BR-CO-18', required],
    [isGroupWrong, 'tax_breakdown.net', 'BR-S-8', wrong],
  ]
}

/** XRechnung 3.0. Its BR-DE-1 (payment instructions) is always fulfilled. */
function xrechnungChecks({ seller, buyer, buyerReference }: EInvoice): Check[] {
  return [
    [buyerReference === null, 'customer.buyer_reference', 'BR-DE-15', required],
    [seller.contact?.phone == null, 'seller.contact.phone', 'BR-DE-6', required],
    [seller.contact?.email == null, 'seller.contact.email', 'BR-DE-7', required],
    [seller.address.city === null, 'seller.address.city', 'BR-DE-3', required],
    [seller.address.postalCode === null, 'seller.address.postal_code', 'BR-DE-4', required],
    [buyer.address.city === null, 'customer.address.city', 'BR-DE-8', required],
    [buyer.address.postalCode === null, 'customer.address.postal_code', 'BR-DE-9', required],
    [seller.electronicAddress === null, 'seller.electronic_address', 'PEPPOL-EN16931-R020', required],
    [buyer.electronicAddress === null, 'customer.electronic_address', 'PEPPOL-EN16931-R010', required],
  ]
}

/** Peppol BIS Billing 3.0. */
function peppolChecks({ seller, buyer, buyerReference, purchaseOrder }: EInvoice): Check[] {
  return [
    [
      buyerReference === null && purchaseOrder === null,
      'customer.buyer_reference',
      'PEPPOL-EN16931-R003',
      'is required, or the invoice needs a purchase_order',
    ],
    [seller.electronicAddress === null, 'seller.electronic_address', 'PEPPOL-EN16931-R020', required],
    [buyer.electronicAddress === null, 'customer.electronic_address', 'PEPPOL-EN16931-R010', required],
  ]
}
