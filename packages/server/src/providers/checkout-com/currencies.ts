/**
 * The currencies that Checkout.com accepts and whose amounts are exact. Its three-decimal currencies are not offered:
 * the last digit of their amounts must be 0. Amounts of Chilean pesos have two decimals, which are always 00.
 */
import type { Currency } from '../../kernel/currency.ts'
import type { ProviderExponents } from '../provider-amounts.ts'

export const exponents: ProviderExponents = { clp: 2 }

/** Amounts have at most nine digits. */
export const maxAmount = 999_999_999

// biome-ignore format: each initial letter starts a new line, so that a code is easy to find.
export const currencies: readonly Currency[] = [
  'aed', 'afn', 'all', 'amd', 'aoa', 'ars', 'aud', 'awg', 'azn',
  'bam', 'bbd', 'bdt', 'bif', 'bmd', 'bnd', 'bob', 'brl', 'bsd', 'btn', 'bwp', 'byn', 'bzd',
  'cad', 'cdf', 'chf', 'clp', 'cny', 'cop', 'crc', 'cup', 'cve', 'czk',
  'djf', 'dkk', 'dop', 'dzd',
  'egp', 'ern', 'etb', 'eur',
  'fjd', 'fkp',
  'gbp', 'gel', 'ghs', 'gip', 'gmd', 'gnf', 'gtq', 'gyd',
  'hkd', 'hnl', 'htg', 'huf',
  'idr', 'ils', 'inr', 'irr', 'isk',
  'jmd', 'jpy',
  'kes', 'kgs', 'khr', 'kmf', 'kpw', 'krw', 'kyd', 'kzt',
  'lak', 'lbp', 'lkr', 'lrd', 'lsl',
  'mad', 'mdl', 'mga', 'mkd', 'mmk', 'mnt', 'mop', 'mru', 'mur', 'mvr', 'mwk', 'mxn', 'myr', 'mzn',
  'nad', 'ngn', 'nio', 'nok', 'npr', 'nzd',
  'pab', 'pen', 'pgk', 'php', 'pkr', 'pln', 'pyg',
  'qar',
  'ron', 'rsd', 'rub', 'rwf',
  'sar', 'sbd', 'scr', 'sdg', 'sek', 'sgd', 'shp', 'sos', 'srd', 'stn', 'svc', 'syp', 'szl',
  'thb', 'tjs', 'tmt', 'top', 'try', 'ttd', 'twd', 'tzs',
  'uah', 'ugx', 'usd', 'uyu', 'uzs',
  'vnd', 'vuv',
  'wst',
  'xaf', 'xcd', 'xof', 'xpf',
  'yer',
  'zar', 'zmw',
]
