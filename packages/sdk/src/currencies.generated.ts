// Made by `npm run generate`. Do not edit.

/** Currencies by the decimal places of their smallest unit, where those are not two. */
const places = {
  0: 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf',
  3: 'bhd iqd jod kwd lyd omr tnd',
  4: 'clf uyw',
} as const

/**
 * How many decimal places the smallest unit of a currency stands for: 2 for eur, 0 for jpy, 3 for bhd. By ISO
 * 4217; `Intl` follows habits of display instead, and is wrong by a factor of 100 for some.
 */
export function exponentOf(currency: string): 0 | 2 | 3 | 4 {
  const code = currency.toLowerCase()
  for (const count of [0, 3, 4] as const) if (places[count].split(' ').includes(code)) return count
  return 2
}
