/**
 * The semantic model of EN 16931: the content of an electronic invoice or credit note, before it is written as CII or
 * UBL. Comments name the business terms (BT) and groups (BG) of the standard. Amounts are in minor units.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { ElectronicAddress } from '../../../kernel/parties.ts'

/**
 * What the receiver requires in addition to EN 16931. `en16931`: nothing, as in Factur-X and ZUGFeRD. `xrechnung`: the
 * rules of German authorities. `peppol`: the rules of Peppol BIS Billing 3.0.
 */
export const profiles = ['en16931', 'xrechnung', 'peppol'] as const
export type Profile = (typeof profiles)[number]

export const vatCategories = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const
export type VatCategory = (typeof vatCategories)[number]

/** A date such as `2026-11-18`. */
export type IsoDate = string
export type DatePeriod = { readonly start: IsoDate; readonly end: IsoDate }

/** BG-4 seller and BG-7 buyer. Null: missing. The rules require some of the fields. */
export type ModelParty = {
  /** BT-27, BT-44 */
  readonly name: string | null
  /** BT-34, BT-49 */
  readonly electronicAddress: ElectronicAddress | null
  /** BT-31, BT-48, with the prefix of the country. */
  readonly vatId: string | null
  /** BT-32: a tax number that is not a VAT id. Only for the seller. */
  readonly taxNumber: string | null
  /** BT-30, BT-47 */
  readonly registrationNumber: string | null
  /** BT-33 */
  readonly legalInformation: string | null
  /** BG-5, BG-8 */
  readonly address: {
    readonly line1: string | null
    readonly line2: string | null
    readonly city: string | null
    readonly postalCode: string | null
    readonly state: string | null
    /** BT-40, BT-55 */
    readonly country: string | null
  }
  /** BG-6. Only for the seller. */
  readonly contact: {
    readonly name: string | null
    readonly phone: string | null
    readonly email: string | null
  } | null
}

/** BG-27, or BG-28 if `isCharge`. Amounts are positive. */
export type LineAdjustment = {
  readonly isCharge: boolean
  /** BT-136, BT-141 */
  readonly amount: bigint
  /** BT-139, BT-144 */
  readonly reason: string
}

/** BG-25. `quantity × price ÷ baseQuantity − allowances + charges = net`, exactly. */
export type ModelLine = {
  /** BT-126 */
  readonly id: string
  /** BT-153 */
  readonly name: string
  /** BT-129. Negative for a line that credits an amount, because prices are never negative (BR-27). */
  readonly quantity: number
  /** BT-146, in minor units with all their decimals. */
  readonly price: string
  /** BT-149: the number of units that the price is for. */
  readonly baseQuantity: number
  readonly adjustments: readonly LineAdjustment[]
  /** BT-131 */
  readonly net: bigint
  /** BG-26 */
  readonly period: DatePeriod | null
  /** BT-151. Null if the line has no tax rate, and no category follows from the seller. */
  readonly category: VatCategory | null
  /** BT-152 */
  readonly percentage: string
}

/** BG-23: the tax of one category and percentage. */
export type VatBreakdown = {
  readonly category: VatCategory
  readonly percentage: string
  /** BT-116 */
  readonly taxable: bigint
  /** BT-117 */
  readonly tax: bigint
  /** BT-120, BT-121. Null for categories S and Z. */
  readonly exemption: { readonly reason: string | null; readonly code: string | null } | null
}

export type Totals = {
  /** BT-106: sum of the net amounts of the lines. */
  readonly lines: bigint
  /** BT-109 */
  readonly excludingVat: bigint
  /** BT-110 */
  readonly vat: bigint
  /** BT-112 */
  readonly includingVat: bigint
  /** BT-113: credit of the customer, and amounts that are carried to or from other invoices. */
  readonly paid: bigint
  /** BT-115 */
  readonly payable: bigint
}

export type PaymentInstructions = {
  /** BT-81. `58`: SEPA transfer. `30`: transfer. `68`: online payment service. `97`: clearing between the parties. */
  readonly meansCode: '30' | '58' | '68' | '97'
  /** BT-83 */
  readonly reference: string
  /** BG-17. Only for transfers. */
  readonly account: {
    readonly iban: string
    readonly holder: string | null
    readonly bic: string | null
  } | null
}

export type EInvoice = {
  /** BT-23, BT-24 */
  readonly profile: Profile
  /** BT-3. `380`: invoice. `381`: credit note. */
  readonly typeCode: '380' | '381'
  /** BT-1 */
  readonly number: string
  /** BT-2 */
  readonly issueDate: IsoDate
  /** BT-9 */
  readonly dueDate: IsoDate | null
  /** BT-5 */
  readonly currency: Currency
  /** BT-10 */
  readonly buyerReference: string | null
  /** BT-13 */
  readonly purchaseOrder: string | null
  /** BT-22 */
  readonly note: string | null
  /** BG-3: the invoice that a credit note reverses. */
  readonly precedingInvoice: { readonly number: string; readonly issueDate: IsoDate } | null
  readonly seller: ModelParty
  readonly buyer: ModelParty
  /** BG-16 */
  readonly payment: PaymentInstructions
  /** BT-20 */
  readonly paymentTerms: string | null
  /** BG-14 */
  readonly period: DatePeriod | null
  /** BT-80. Only for intra-community supplies. */
  readonly deliveryCountry: string | null
  readonly lines: readonly ModelLine[]
  readonly breakdown: readonly VatBreakdown[]
  readonly totals: Totals
}

const exemptionCodes: { readonly [C in VatCategory]: string | null } = {
  S: null,
  Z: null,
  E: null,
  AE: 'VATEX-EU-AE',
  K: 'VATEX-EU-IC',
  G: 'VATEX-EU-G',
  O: 'VATEX-EU-O',
}

/** A line with its tax, or the reason why no tax is charged. */
export type TaxedModelLine = ModelLine & { readonly tax: bigint; readonly reason: string | null }

/**
 * One entry for each category and percentage. Lines whose amounts include the tax and lines to which it is added are in
 * the same entry, because the standard has amounts without tax only. Lines without a category are left out; such a
 * document is refused.
 */
export function breakdownOf(lines: readonly TaxedModelLine[]): VatBreakdown[] {
  const groups = new Map<string, VatBreakdown>()
  for (const { category, percentage, net, tax, reason } of lines) {
    if (category === null) continue
    const key = `${category} ${percentage}`
    const group = groups.get(key) ?? { category, percentage, taxable: 0n, tax: 0n, exemption: null }
    groups.set(key, {
      ...group,
      taxable: group.taxable + net,
      tax: group.tax + tax,
      exemption: exemptionOf(category, [group.exemption?.reason, reason]),
    })
  }
  return [...groups.values()]
}

function exemptionOf(
  category: VatCategory,
  reasons: readonly (string | null | undefined)[],
): VatBreakdown['exemption'] {
  if (category === 'S' || category === 'Z') return null
  const texts = [...new Set(reasons.filter((reason) => typeof reason === 'string' && reason !== ''))]
  return { reason: texts.length === 0 ? null : texts.join('; '), code: exemptionCodes[category] }
}

/** BR-CO-10 to BR-CO-16. `payable` is the amount due; the rest counts as paid. */
export function totalsOf(
  lines: readonly ModelLine[],
  breakdown: readonly VatBreakdown[],
  payable: bigint | null,
): Totals {
  const lineTotal = lines.reduce((sum, { net }) => sum + net, 0n)
  const vat = breakdown.reduce((sum, { tax }) => sum + tax, 0n)
  const includingVat = lineTotal + vat
  const due = payable ?? includingVat
  return {
    lines: lineTotal,
    excludingVat: lineTotal,
    vat,
    includingVat,
    paid: includingVat - due,
    payable: due,
  }
}
