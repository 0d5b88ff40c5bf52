/**
 * Reads a body more strictly than JSON.parse does: what two readers could understand differently is
 * refused. That is a member named twice, `__proto__`, half of a surrogate pair, a number beyond any double,
 * and NUL, which the database cannot hold. Depth and the length of arrays are bounded before anything is built.
 */
import { refuse } from '../../kernel/errors.ts'

const maxDepth = 32
const maxItems = 1_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  const text = decode(bytes)
  scan(text)
  return JSON.parse(text)
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return notJson('The body is not valid UTF-8.')
  }
}

/** An object or array that is open at the moment of reading. `names` is null in an array. */
type Open = { readonly names: Set<string> | null; items: number }

/**
 * One pass over the characters, without recursion. It checks what JSON.parse lets through, and that the
 * text is JSON at all, so that JSON.parse cannot fail afterwards.
 */
function scan(text: string): void {
  const reader = new Reader(text)
  const open: Open[] = []
  do {
    if (readValue(reader, open)) continue
    while (open.length > 0 && closes(reader, open)) open.pop()
    if (open.length > 0) separate(reader, open.at(-1) as Open)
  } while (open.length > 0)
  reader.skipSpace()
  if (!reader.atEnd()) reader.fail('Something follows after the value')
}

/** Reads one value. True if it opened an object or array that has content, whose first value comes next. */
function readValue(reader: Reader, open: Open[]): boolean {
  reader.skipSpace()
  const opener = reader.peek()
  if (opener !== '{' && opener !== '[') {
    reader.readScalar()
    return false
  }
  reader.advance()
  if (open.length >= maxDepth) reader.fail(`Nested deeper than ${maxDepth} levels`)
  const entered: Open = { names: opener === '{' ? new Set() : null, items: 1 }
  open.push(entered)
  reader.skipSpace()
  if (reader.peek() === (opener === '{' ? '}' : ']')) return false
  if (entered.names !== null) readName(reader, entered.names)
  return true
}

function closes(reader: Reader, open: readonly Open[]): boolean {
  reader.skipSpace()
  const closer = (open.at(-1) as Open).names === null ? ']' : '}'
  if (reader.peek() !== closer) return false
  reader.advance()
  return true
}

function separate(reader: Reader, inside: Open): void {
  reader.expect(',')
  inside.items += 1
  if (inside.items > maxItems) reader.fail(`More than ${maxItems} entries`)
  reader.skipSpace()
  if (reader.peek() === '}' || reader.peek() === ']') reader.fail('A comma has nothing behind it')
  if (inside.names !== null) readName(reader, inside.names)
}

function readName(reader: Reader, names: Set<string>): void {
  reader.skipSpace()
  const name = reader.readString()
  if (name === '__proto__') reader.fail('A member must not be named "__proto__"')
  if (names.has(name)) reader.fail(`The member "${name.slice(0, 40).toWellFormed()}" stands twice`)
  names.add(name)
  reader.expect(':')
}

const space = new Set([' ', '\t', '\n', '\r'])
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside a string.
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  peek(): string | undefined {
    return this.#text[this.#at]
  }

  advance(): void {
    this.#at += 1
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  skipSpace(): void {
    while (space.has(this.#text[this.#at] as string)) this.#at += 1
  }

  expect(character: string): void {
    this.skipSpace()
    if (this.peek() !== character) this.fail(`Expected "${character}"`)
    this.advance()
  }

  readScalar(): void {
    if (this.peek() === '"') {
      this.readString()
      return
    }
    const raw = this.#match(scalar)
    if (raw === null) this.fail('Not a JSON value')
    // JSON.parse makes Infinity of it, which no JSON can say again.
    else if (Math.abs(Number(raw)) === Infinity) this.fail('The number is too large')
  }

  readString(): string {
    const raw = this.#match(string)
    if (raw === null) return this.fail('Not a JSON string')
    const value: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
    if (value.includes('\u0000')) this.fail('A string must not hold the character NUL')
    if (!value.isWellFormed()) this.fail('A string holds half of a surrogate pair')
    return value
  }

  fail(what: string): never {
    return notJson(`${what}, at character ${this.#at + 1}.`)
  }

  #match(pattern: RegExp): string | null {
    const from = this.#at
    pattern.lastIndex = from
    if (!pattern.test(this.#text)) return null
    this.#at = pattern.lastIndex
    return this.#text.slice(from, this.#at)
  }
}

function notJson(detail: string): never {
  return refuse('invalid_json', { detail })
}
