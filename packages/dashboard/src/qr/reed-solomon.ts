/** Check words by which a reader repairs what it could not see. Pure: arithmetic in the field of 256 elements. */

const powers: number[] = []
const logs: number[] = []
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  powers[exponent] = value
  logs[value] = exponent
  value = value < 128 ? value * 2 : (value * 2) ^ 0x11d
}

function times(a: number, b: number): number {
  if (a === 0 || b === 0) return 0
  return powers[((logs[a] ?? 0) + (logs[b] ?? 0)) % 255] ?? 0
}

/** The product of (x − 2^0) … (x − 2^(count − 1)), its highest term left out. */
function generatorOf(count: number): number[] {
  let terms = [1]
  for (let root = 0; root < count; root += 1) {
    const factor = powers[root] ?? 0
    const longer = [...terms, 0]
    terms = longer.map((term, index) => term ^ times(terms[index - 1] ?? 0, factor))
  }
  return terms.slice(1)
}

export function checkWordsOf(data: readonly number[], count: number): number[] {
  const generator = generatorOf(count)
  let rest: number[] = Array.from({ length: count }, () => 0)
  for (const word of data) {
    const factor = word ^ (rest[0] ?? 0)
    rest = generator.map((term, index) => (rest[index + 1] ?? 0) ^ times(term, factor))
  }
  return rest
}
