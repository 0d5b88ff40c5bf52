import type { MethodTerms } from './contract.ts'

/** The countries of the Single Euro Payments Area. */
const countries =
  'AD AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM VA'.split(
    ' ',
  )

/** The terms of SEPA debits, which the scheme defines. */
export const sepaDebit: MethodTerms = {
  flow: 'direct',
  reusable: true,
  confirmDays: 14,
  refund: true,
  currencies: ['eur'],
  countries,
}
