import { expect, test } from 'vitest'
import { currencies, exponentOf, isCurrency } from './currency.ts'

/** Out of use, and so no longer in List One. ICU keeps them for old documents. */
const withdrawn = ['ang', 'bgn', 'cuc', 'hrk', 'sll', 'zwl']
/** In List One with "N.A." in place of a minor unit. */
const withoutMinorUnit = [
  ...['xag', 'xau', 'xba', 'xbb', 'xbc', 'xbd', 'xdr', 'xpd', 'xpt', 'xsu', 'xts', 'xua', 'xxx'],
]

test('the table holds the 165 codes of List One that have a minor unit, each once and in lower case', () => {
  expect(currencies).toHaveLength(165)
  expect(currencies.filter((code) => !/^[a-z]{3}$/.test(code))).toEqual([])
  expect(currencies).toEqual(currencies.toSorted())
})

test.each(['xcg', 'zwg', 'sle', 'ved', 'xad', 'eur'])(
  '%s, which is new or took over, is a currency',
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

test('what is neither of two places is what ISO lists as such', () => {
  const withPlaces = (places: number) => currencies.filter((code) => exponentOf(code) === places).join(' ')
  expect(withPlaces(0)).toBe('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf')
  expect(withPlaces(3)).toBe('bhd iqd jod kwd lyd omr tnd')
  expect(withPlaces(4)).toBe('clf uyw')
})

test('Intl disagrees about exactly these sixteen', () => {
  // If this fails after an update of Node, ICU has changed. Our table follows ISO and stays as it is; correct
  // this list, and look where amounts are formatted with Intl.
  const differing = currencies
    .map((code) => ({ code, iso: exponentOf(code), intl: placesOfIntl(code) }))
    .filter(({ iso, intl }) => iso !== intl)
    .map(({ code, iso, intl }) => `${code} ${iso} ${intl}`)

  const twoBecomeNone = 'afn all cop huf idr irr kpw lak lbp mga mmk pkr sos syp yer'.split(' ')
  const expected = [...twoBecomeNone.map((code) => `${code} 2 0`), 'iqd 3 0']
  expect(differing).toEqual(expected.toSorted())
})

test('whatever else Intl knows was withdrawn or has no minor unit', () => {
  const known = new Set<string>([...currencies, ...withdrawn, ...withoutMinorUnit])
  const others = Intl.supportedValuesOf('currency').filter((code) => !known.has(code.toLowerCase()))
  expect(others).toEqual([])
})

function placesOfIntl(currency: string): number | undefined {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
}
