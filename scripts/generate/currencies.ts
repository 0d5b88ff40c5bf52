/** The decimal places of currencies for the SDK: whoever shows an amount must not ask `Intl`. */
import { currencies, exponentOf } from '../../packages/server/src/kernel/currency.ts'

export function renderCurrencies(): string {
  const others = ([0, 3, 4] as const).map((places) => {
    const codes = currencies.filter((code) => exponentOf(code) === places)
    return `  ${places}: '${codes.join(' ')}',`
  })
  return `// Made by \`npm run generate\`. Do not edit.

/** Currencies by the decimal places of their smallest unit, where those are not two. */
const places = {
${others.join('\n')}
} as const

/**
 * How many decimal places the smallest unit of a currency stands for: 2 for eur, 0 for jpy, 3 for bhd. By ISO
 * 4217; \`Intl\` follows habits of display instead, and is wrong by a factor of 100 for some.
 */
export function exponentOf(currency: string): 0 | 2 | 3 | 4 {
  const code = currency.toLowerCase()
  for (const count of [0, 3, 4] as const) if (places[count].split(' ').includes(code)) return count
  return 2
}
`
}
