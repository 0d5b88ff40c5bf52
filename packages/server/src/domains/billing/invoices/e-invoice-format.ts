/** Values that both syntaxes of e-invoices write the same way. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Profile, VatCategory } from './e-invoice-model.ts'
import { unitPriceInMajorUnits } from './pdf-format.ts'

/** BT-24 */
export const guidelines: { readonly [P in Profile]: string } = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  peppol: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
}

/** BT-23 */
export function processOf(profile: Profile): string | null {
  return profile === 'en16931' ? null : 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'
}

/** BT-130: the code of UN/ECE recommendation 20 for the unit "one". */
export const unitCode = 'C62'

/** Formats 1299 minor units as `12.99`. Minor units may be fractional. */
export function decimalOf(minorUnits: string, currency: Currency): string {
  return unitPriceInMajorUnits(minorUnits, currency)
}

/** Null if there is no tax liability, because such lines have no percentage (BR-O-5). */
export function shownPercentage({
  category,
  percentage,
}: {
  readonly category: VatCategory | null
  readonly percentage: string
}): string | null {
  return category === 'O' ? null : percentage
}
