// Finds secrets in bytes such as a log, a dump, the pages of a table or the write-ahead log, in every
// encoding in which they may be stored. A CVC is too short to search for its digits alone, so the search looks
// for it as a complete value.

export type PlantedSecret = { readonly name: string; readonly text: string }

/** The name of the secret and its encoding. */
export type Hit = `${string} as ${string}`

export function findIn(bytes: Buffer, planted: readonly PlantedSecret[]): Hit[] {
  const patterns = planted.flatMap(({ name, text }) =>
    formsOf(text).map(([form, pattern]) => ({ hit: `${name} as ${form}` as Hit, pattern })),
  )
  const byStart = Map.groupBy(patterns, ({ pattern }) => pattern.readUInt16LE())
  const isStart = new Uint8Array(0x1_00_00)
  for (const start of byStart.keys()) isStart[start] = 1
  const found = new Set<Hit>()
  // Search for all patterns in one pass, because a write-ahead log is large.
  for (let index = 0; index + 1 < bytes.length; index += 1) {
    const start = (bytes[index] as number) | ((bytes[index + 1] as number) << 8)
    if (isStart[start] === 0) continue
    for (const { hit, pattern } of byStart.get(start) ?? [])
      if (bytes.subarray(index, index + pattern.length).equals(pattern)) found.add(hit)
  }
  return [...found]
}

type EncodedForm = readonly [form: string, pattern: Buffer]

export function formsOf(text: string): readonly EncodedForm[] {
  if (/^\d{3,4}$/.test(text)) return formsOfCode(text)
  return [...formsOfText(text), ...(/^\d{13,19}$/.test(text) ? formsOfNumber(text) : [])]
}

/** The CVC as a value of JSON, SQL or a form, and as a string in a row, which is preceded by its length. */
function formsOfCode(code: string): EncodedForm[] {
  const inRow = Buffer.concat([Buffer.from([(code.length + 1) * 2 + 1]), Buffer.from(code)])
  const named = [`"${code}"`, `'${code}'`, `cvc=${code}`, `cvc":${code}`, `cvc: ${code}`, `code ${code}`]
  return [
    ...named.map((text): EncodedForm => [`the value ${text}`, Buffer.from(text)]),
    ...(code.length > 3 ? [['a string in a row', inRow] as const] : []),
  ]
}

function formsOfText(text: string): EncodedForm[] {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  return [
    ['plain text', bytes],
    ['hex', Buffer.from(hex)],
    ['hex in capitals', Buffer.from(hex.toUpperCase())],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['reversed', Buffer.from([...text].reverse().join(''))],
    ...([0, 1, 2] as const).flatMap((shift) => formsOfBase64(bytes, shift)),
  ]
}

/**
 * Base64 inside a longer string: preceding bytes shift the bits, and the characters at the edges depend on
 * neighbors.
 */
function formsOfBase64(bytes: Buffer, shift: 0 | 1 | 2): EncodedForm[] {
  const before = [0, 2, 3][shift] as number
  const after = [0, 2, 3][(bytes.length + shift) % 3] as number
  return (['base64', 'base64url'] as const).map((encoding) => {
    const unpadded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString(encoding)
      .replace(/=+$/, '')
    const whole = unpadded.slice(before, after === 0 ? undefined : -1)
    return [`${encoding}, shifted by ${shift}`, Buffer.from(whole)]
  })
}

function formsOfNumber(number: string): EncodedForm[] {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : /^(\d{4})(\d{4})(\d{4})(\d{4})$/
  const parts = groups.exec(number)?.slice(1) ?? [number]
  const integer = Buffer.alloc(8)
  integer.writeBigUInt64LE(BigInt(number))
  return [
    ...[' ', '-', '.', '+', '%20', '\u00a0'].map(
      (separator): EncodedForm => [`groups separated by "${separator}"`, Buffer.from(parts.join(separator))],
    ),
    ['separate digits', Buffer.from([...number].join(' '))],
    ['little-endian integer', integer],
    ['big-endian integer', Buffer.from(integer).reverse()],
    ['binary-coded decimal', Buffer.from(number.length % 2 === 0 ? number : `0${number}`, 'hex')],
    ...formsOfNumeric(number),
  ]
}

/** The storage format of `numeric`: each group of four digits is a number of two bytes. */
function formsOfNumeric(number: string): EncodedForm[] {
  const groups = number.padStart(Math.ceil(number.length / 4) * 4, '0').match(/\d{4}/g) ?? []
  // Trailing zeros are not stored, and the rest may be found by chance.
  if (groups.at(-1) === '0000') return []
  const bytes = Buffer.alloc(groups.length * 2)
  for (const [index, group] of groups.entries()) bytes.writeUInt16LE(Number(group), index * 2)
  return [['numeric', bytes]]
}
