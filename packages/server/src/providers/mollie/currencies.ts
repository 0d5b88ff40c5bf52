/**
 * The currencies of card payments at Mollie (docs.mollie.com, Multicurrency, 2026-07-29). Mollie uses the
 * decimal places of ISO 4217 for all of them, including HUF (2), ISK (0) and JPY (0), so every amount is
 * exact.
 */
import type { Currency } from '../../kernel/currency.ts'

// biome-ignore format: a table.
export const supportedCurrencies: readonly Currency[] = [
  'aed', 'aud', 'cad', 'chf', 'czk', 'dkk', 'eur', 'gbp', 'hkd', 'huf', 'ils', 'isk', 'jpy', 'nok', 'nzd', 'php',
  'pln', 'ron', 'sek', 'sgd', 'usd', 'zar',
]
