/** The currencies of card payments at Stripe, and how Stripe writes their amounts. */
import type { Currency } from '../../kernel/currency.ts'
import type { ProviderExponents } from '../provider-amounts.ts'

/**
 * Presentment currencies. The list is from several public copies that name docs.stripe.com/currencies as their source,
 * and was not compared with the page itself, which lists them per country. The country of an account may exclude some.
 *
 * Not offered: `bhd`, `jod`, `kwd`, `omr` and `tnd`, whose amounts must end in 0; `mga`, which has no decimal places at
 * Stripe but two in ISO 4217; and `ugx`, for which the page states both zero and two decimal places.
 */
// biome-ignore format: each initial letter starts a new line, so that a code is easy to find.
export const currencies: readonly Currency[] = [
  'aed', 'afn', 'all', 'amd', 'aoa', 'ars', 'aud', 'awg', 'azn',
  'bam', 'bbd', 'bdt', 'bif', 'bmd', 'bnd', 'bob', 'brl', 'bsd', 'bwp', 'byn', 'bzd',
  'cad', 'cdf', 'chf', 'clp', 'cny', 'cop', 'crc', 'cve', 'czk',
  'djf', 'dkk', 'dop', 'dzd',
  'egp', 'etb', 'eur',
  'fjd', 'fkp',
  'gbp', 'gel', 'gip', 'gmd', 'gnf', 'gtq', 'gyd',
  'hkd', 'hnl', 'htg', 'huf',
  'idr', 'ils', 'inr', 'isk',
  'jmd', 'jpy',
  'kes', 'kgs', 'khr', 'kmf', 'krw', 'kyd', 'kzt',
  'lak', 'lbp', 'lkr', 'lrd', 'lsl',
  'mad', 'mdl', 'mkd', 'mmk', 'mnt', 'mop', 'mur', 'mvr', 'mwk', 'mxn', 'myr', 'mzn',
  'nad', 'ngn', 'nio', 'nok', 'npr', 'nzd',
  'pab', 'pen', 'pgk', 'php', 'pkr', 'pln', 'pyg',
  'qar',
  'ron', 'rsd', 'rub', 'rwf',
  'sar', 'sbd', 'scr', 'sek', 'sgd', 'shp', 'sle', 'sos', 'srd', 'szl',
  'thb', 'tjs', 'top', 'try', 'ttd', 'twd', 'tzs',
  'uah', 'usd', 'uyu', 'uzs',
  'vnd', 'vuv',
  'wst',
  'xaf', 'xcd', 'xcg', 'xof', 'xpf',
  'yer',
  'zar', 'zmw',
]

/** Stripe writes 5 ISK as 500, for compatibility with the time when the króna had two decimal places. */
export const exponents: ProviderExponents = { isk: 2, mga: 0 }

/** The amount of such a currency cannot be read: its decimal places at Stripe are not certain. */
export const unreadableCurrency = 'ugx'
