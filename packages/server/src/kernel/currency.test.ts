import { expect, test } from 'vitest'
import { currencies, exponentOf, isCurrency } from './currency.ts'

/** No longer in List One because they are out of use. ICU keeps them for old documents. */
const withdrawn = ['ang', 'bgn', 'cuc', 'hrk', 'sll', 'zwl']
/** In List One with "N.A." in place of a minor unit. */
const withoutMinorUnit = [
  'xag',
  'xau',
  'xba',
  'xbb',
  'xbc',
  'xbd',
  'xdr',
  'xpd',
  'xpt',
  'xsu',
  'xts',
  'xua',
  'xxx',
]

test('the table has the 165 codes of List One with a minor unit, each once and in lower case', () => {
  expect(currencies).toHaveLength(165)
  expect(currencies.filter((code) => !/^[a-z]{3}$/.test(code))).toEqual([])
  expect(currencies).toEqual(currencies.toSorted())
})

test.each(['xcg', 'zwg', 'sle', 'ved', 'xad', 'eur'])(
  '%s, which is new or replaced another code, is a currency',
  (code) => {
    expect(isCurrency(code)).toBe(true)
  },
)

test.each(withdrawn)('%s, which was withdrawn, is not a currency', (code) => {
  expect(isCurrency(code)).toBe(false)
})

test.each(withoutMinorUnit)('%s, which has no minor unit, is not a currency', (code) => {
  expect(isCurrency(code)).toBe(false)
})

test.each(['', 'EUR', 'Eur', ' eur', 'euro', 'constructor', 'toString', '__proto__'])(
  '"%s" is not a currency',
  (text) => {
    expect(isCurrency(text)).toBe(false)
  },
)

test('the currencies without exactly two decimal places are those that ISO lists', () => {
  const withPlaces = (places: number) => currencies.filter((code) => exponentOf(code) === places).join(' ')
  expect(withPlaces(0)).toBe('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf')
  expect(withPlaces(3)).toBe('bhd iqd jod kwd lyd omr tnd')
  expect(withPlaces(4)).toBe('clf uyw')
})

test('Intl has different decimal places for exactly these sixteen currencies', () => {
  // If this fails after a Node update, ICU has changed. Our table follows ISO, so do not change it: update
  // this list, and check the places that format amounts with Intl.
  const differing = currencies
    .map((code) => ({ code, iso: exponentOf(code), intl: placesOfIntl(code) }))
    .filter(({ iso, intl }) => iso !== intl)
    .map(({ code, iso, intl }) => `${code} ${iso} ${intl}`)

  const twoBecomeNone = 'afn all cop huf idr irr kpw lak lbp mga mmk pkr sos syp yer'.split(' ')
  const expected = [...twoBecomeNone.map((code) => `${code} 2 0`), 'iqd 3 0']
  expect(differing).toEqual(expected.toSorted())
})

test('every other currency that Intl knows was withdrawn or has no minor unit', () => {
  const known = new Set<string>([...currencies, ...withdrawn, ...withoutMinorUnit])
  const others = Intl.supportedValuesOf('currency').filter((code) => !known.has(code.toLowerCase()))
  expect(others).toEqual([])
})

function placesOfIntl(currency: string): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
}
