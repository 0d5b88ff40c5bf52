/**
 * The card details in a settlement report, normalized to the values that payments use, so that both can be compared. An
 * invalid value becomes null: card details are only informational, and the raw values contain the original. No side
 * effects.
 */
import { cardFundings } from '../../../../providers/contract.ts'

/** Names of card brands in reports, in lowercase without spaces, if they differ from ours. */
const brandsByName: { readonly [name: string]: string } = {
  mc: 'mastercard',
  americanexpress: 'amex',
  dinersclub: 'diners',
  cup: 'unionpay',
  chinaunionpay: 'unionpay',
}

type StatedCard = {
  readonly brand: string | null
  readonly country: string | null
  readonly funding: string | null
}

export function cardDetails({ brand, country, funding }: StatedCard) {
  const fundingName = funding?.toLowerCase() ?? null
  const countryCode = country?.toUpperCase() ?? ''
  return {
    cardBrand: brandOf(brand),
    cardCountry: /^[A-Z]{2}$/.test(countryCode) ? countryCode : null,
    cardFunding: cardFundings.find((name) => name === fundingName) ?? null,
  }
}

function brandOf(text: string | null): string | null {
  const name = (text ?? '').toLowerCase().replaceAll(/[\s_-]/g, '')
  if (!/^[a-z0-9]{1,40}$/.test(name)) return null
  return brandsByName[name] ?? name
}
