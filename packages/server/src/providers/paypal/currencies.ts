/**
 * The currencies that PayPal accepts from accounts of any country. PayPal has no decimal places for `huf` and `twd`,
 * which have two in ISO 4217, so not every amount could be charged exactly: they are not offered. Neither are
 * currencies that only accounts of one country can use: `brl`, `cny`, `inr` and `myr`.
 */
import type { Currency } from '../../kernel/currency.ts'

export const paypalCurrencies: readonly Currency[] = [
  'aud',
  'cad',
  'chf',
  'czk',
  'dkk',
  'eur',
  'gbp',
  'hkd',
  'ils',
  'jpy',
  'mxn',
  'nok',
  'nzd',
  'php',
  'pln',
  'sek',
  'sgd',
  'thb',
  'usd',
]
