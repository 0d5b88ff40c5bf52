/**
 * The currencies of Adyen and their minor units, from docs.adyen.com/development-resources/currency-codes (read in
 * November 2026). For four currencies Adyen uses a different number of decimal places than ISO 4217.
 */
import type { Currency } from '../../kernel/currency.ts'
import type { ProviderExponents } from '../provider-amounts.ts'

export const exponents: ProviderExponents = { clp: 2, cve: 0, idr: 0, isk: 2 }

/** Without `cve` and `idr`: Adyen has no minor unit for them, so most of our amounts cannot be represented. */
// biome-ignore format: each initial letter starts a new line, so that a code is easy to find.
export const supportedCurrencies: readonly Currency[] = [
  'aed', 'all', 'amd', 'aoa', 'ars', 'aud', 'awg', 'azn',
  'bam', 'bbd', 'bdt', 'bhd', 'bmd', 'bnd', 'bob', 'brl', 'bsd', 'bwp', 'byn', 'bzd',
  'cad', 'chf', 'clp', 'cny', 'cop', 'crc', 'cup', 'czk',
  'djf', 'dkk', 'dop', 'dzd',
  'egp', 'etb', 'eur',
  'fjd', 'fkp',
  'gbp', 'gel', 'ghs', 'gip', 'gmd', 'gnf', 'gtq', 'gyd',
  'hkd', 'hnl', 'htg', 'huf',
  'ils', 'inr', 'iqd', 'isk',
  'jmd', 'jod', 'jpy',
  'kes', 'kgs', 'khr', 'kmf', 'krw', 'kwd', 'kyd', 'kzt',
  'lak', 'lkr', 'lyd',
  'mad', 'mdl', 'mkd', 'mmk', 'mnt', 'mop', 'mru', 'mur', 'mvr', 'mwk', 'mxn', 'myr', 'mzn',
  'nad', 'ngn', 'nio', 'nok', 'npr', 'nzd',
  'omr',
  'pab', 'pen', 'pgk', 'php', 'pkr', 'pln', 'pyg',
  'qar',
  'ron', 'rsd', 'rub', 'rwf',
  'sar', 'sbd', 'scr', 'sek', 'sgd', 'shp', 'sle', 'sos', 'srd', 'stn', 'svc', 'szl',
  'thb', 'tnd', 'top', 'try', 'ttd', 'twd', 'tzs',
  'uah', 'ugx', 'usd', 'uyu', 'uzs',
  'vnd', 'vuv',
  'wst',
  'xaf', 'xcd', 'xcg', 'xof', 'xpf',
  'yer',
  'zar', 'zmw',
]
