// Finds what was planted, in whatever form it may lie in bytes: a log, a dump, a page of a table, the write-ahead
// log. What is too short to be told from chance is looked for only where it stands as a value.

export type Planted = { readonly name: string; readonly text: string }

/** `form` says how it lay there. */
export type Hit = `${string} as ${string}`

export function findIn(bytes: Buffer, planted: readonly Planted[]): Hit[] {
  const searched = planted.flatMap(({ name, text }) =>
    formsOf(text).map(([form, pattern]) => ({ hit: `${name} as ${form}` as Hit, pattern })),
  )
  const byStart = Map.groupBy(searched, ({ pattern }) => pattern.readUInt16LE())
  const isStart = new Uint8Array(0x1_00_00)
  for (const start of byStart.keys()) isStart[start] = 1
  const found = new Set<Hit>()
  // One pass over all bytes, however much is looked for: a write-ahead log is long.
  for (let at = 0; at + 1 < bytes.length; at += 1) {
    const start = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
    if (isStart[start] === 0) continue
    for (const { hit, pattern } of byStart.get(start) ?? [])
      if (bytes.subarray(at, at + pattern.length).equals(pattern)) found.add(hit)
  }
  return [...found]
}

type Form = readonly [form: string, pattern: Buffer]

export function formsOf(text: string): readonly Form[] {
  if (/^\d{3,4}$/.test(text)) return formsOfCode(text)
  return [...formsOfText(text), ...(/^\d{13,19}$/.test(text) ? formsOfNumber(text) : [])]
}

/** A value of JSON, of SQL, of a form, and a text in a row: its length before it. */
function formsOfCode(code: string): Form[] {
  const inRow = Buffer.concat([Buffer.from([(code.length + 1) * 2 + 1]), Buffer.from(code)])
  const named = [`"${code}"`, `'${code}'`, `cvc=${code}`, `cvc":${code}`, `cvc: ${code}`, `code ${code}`]
  return [
    ...named.map((text): Form => [`the value ${text}`, Buffer.from(text)]),
    ...(code.length > 3 ? [['a text in a row', inRow] as const] : []),
  ]
}

function formsOfText(text: string): Form[] {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  return [
    ['plain text', bytes],
    ['hex', Buffer.from(hex)],
    ['hex in capitals', Buffer.from(hex.toUpperCase())],
    ['two bytes a character', Buffer.from(text, 'utf16le')],
    ['backwards', Buffer.from([...text].reverse().join(''))],
    ...([0, 1, 2] as const).flatMap((shift) => formsOfBase64(bytes, shift)),
  ]
}

/** As it looks inside a longer text: what stands before it moves its bits, and its edges mix with its neighbours. */
function formsOfBase64(bytes: Buffer, shift: 0 | 1 | 2): Form[] {
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

function formsOfNumber(number: string): Form[] {
  const groups = number.length === 15 ? /^(\d{4})(\d{6})(\d{5})$/ : /^(\d{4})(\d{4})(\d{4})(\d{4})$/
  const parts = groups.exec(number)?.slice(1) ?? [number]
  const integer = Buffer.alloc(8)
  integer.writeBigUInt64LE(BigInt(number))
  return [
    ...[' ', '-', '.', '+', '%20', '\u00a0'].map(
      (between): Form => [`digits apart by "${between}"`, Buffer.from(parts.join(between))],
    ),
    ['every digit apart', Buffer.from([...number].join(' '))],
    ['an integer, low byte first', integer],
    ['an integer, high byte first', Buffer.from(integer).reverse()],
    ['two digits a byte', Buffer.from(number.length % 2 === 0 ? number : `0${number}`, 'hex')],
    ...formsOfNumeric(number),
  ]
}

/** In groups of four digits, each a number of two bytes: so `numeric` lies in a row. */
function formsOfNumeric(number: string): Form[] {
  const groups = number.padStart(Math.ceil(number.length / 4) * 4, '0').match(/\d{4}/g) ?? []
  // Zeros at the end are not stored, and what is left may be met by chance.
  if (groups.at(-1) === '0000') return []
  const bytes = Buffer.alloc(groups.length * 2)
  for (const [place, group] of groups.entries()) bytes.writeUInt16LE(Number(group), place * 2)
  return [['numeric', bytes]]
}
