/**
 * Parses a body more strictly than JSON.parse. Input that two parsers could interpret differently is rejected:
 * a duplicate member, `__proto__`, a lone surrogate, or a number beyond the range of a double. NUL is rejected
 * because the database cannot store it. Depth and array length are limited before anything is built.
 */
import { refuse } from '../../kernel/errors.ts'

const maxDepth = 32
const maxItems = 1_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return {}
  if (bytes.length > usualBytes && hasManyMembers(bytes))
    return notJson('A body of this size must have few members.')
  const text = decode(bytes)
  scan(text)
  return JSON.parse(text)
}

/**
 * Parsing takes time for every member, during which no other request is handled. A body above the usual size contains
 * one long string, so it has few commas.
 */
const usualBytes = 256 * 1024
const maxCommas = 64

function hasManyMembers(bytes: Buffer): boolean {
  let at = -1
  for (let commas = 0; commas <= maxCommas; commas += 1) {
    at = bytes.indexOf(',', at + 1)
    if (at < 0) return false
  }
  return true
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return notJson('The body is not valid UTF-8.')
  }
}

/** An object or array that is open at this point of the scan. `names` is null in an array. */
type OpenContainer = { readonly names: Set<string> | null; items: number }

/**
 * One pass over the characters, without recursion. It rejects the input listed above that JSON.parse would accept, and
 * checks that the text is valid JSON, so that JSON.parse cannot fail afterwards.
 */
function scan(text: string): void {
  const reader = new Reader(text)
  const open: OpenContainer[] = []
  do {
    if (readValue(reader, open)) continue
    while (open.length > 0 && closeIfComplete(reader, open)) open.pop()
    if (open.length > 0) readSeparator(reader, open.at(-1) as OpenContainer)
  } while (open.length > 0)
  reader.skipSpace()
  if (!reader.atEnd()) reader.fail('Unexpected data after the JSON value')
}

/** Reads one value. Returns true if it opened a non-empty object or array, whose first value comes next. */
function readValue(reader: Reader, open: OpenContainer[]): boolean {
  reader.skipSpace()
  const opener = reader.peek()
  if (opener !== '{' && opener !== '[') {
    reader.readScalar()
    return false
  }
  reader.advance()
  if (open.length >= maxDepth) reader.fail(`Nested deeper than ${maxDepth} levels`)
  const container: OpenContainer = { names: opener === '{' ? new Set() : null, items: 1 }
  open.push(container)
  reader.skipSpace()
  if (reader.peek() === (opener === '{' ? '}' : ']')) return false
  if (container.names !== null) readName(reader, container.names)
  return true
}

function closeIfComplete(reader: Reader, open: readonly OpenContainer[]): boolean {
  reader.skipSpace()
  const closer = (open.at(-1) as OpenContainer).names === null ? ']' : '}'
  if (reader.peek() !== closer) return false
  reader.advance()
  return true
}

function readSeparator(reader: Reader, container: OpenContainer): void {
  reader.expect(',')
  container.items += 1
  if (container.items > maxItems) reader.fail(`More than ${maxItems} entries`)
  reader.skipSpace()
  if (reader.peek() === '}' || reader.peek() === ']') reader.fail('Trailing comma')
  if (container.names !== null) readName(reader, container.names)
}

function readName(reader: Reader, names: Set<string>): void {
  reader.skipSpace()
  const name = reader.readString()
  if (name === '__proto__') reader.fail('A member must not be named "__proto__"')
  if (names.has(name)) reader.fail(`The member "${name.slice(0, 40).toWellFormed()}" appears twice`)
  names.add(name)
  reader.expect(':')
}

const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20]
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y
/** Matches most numbers in a body, faster than the complete pattern. These numbers are never too large. */
const shortInteger = /-?(?:0|[1-9]\d{0,14})(?![\d.eE])/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside a string.
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y

class Reader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  peek(): string | undefined {
    return this.#text[this.#position]
  }

  advance(): void {
    this.#position += 1
  }

  atEnd(): boolean {
    return this.#position >= this.#text.length
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#position))) this.#position += 1
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
    if (this.#skip(shortInteger)) return
    const from = this.#position
    if (!this.#skip(scalar)) this.fail('Not a JSON value')
    // JSON.parse turns it into Infinity, which JSON cannot represent.
    if (Math.abs(Number(this.#text.slice(from, this.#position))) === Infinity)
      this.fail('The number is too large')
  }

  readString(): string {
    const from = this.#position
    if (!this.#skip(string)) return this.fail('Not a JSON string')
    const raw = this.#text.slice(from, this.#position)
    const value: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
    if (value.includes('\u0000')) this.fail('A string must not contain the character NUL')
    if (!value.isWellFormed()) this.fail('A string contains an unpaired surrogate')
    return value
  }

  fail(problem: string): never {
    return notJson(`${problem}, at character ${this.#position + 1}.`)
  }

  /** Advances past the text that matches the pattern here. Returns false if it does not match. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#position
    if (!pattern.test(this.#text)) return false
    this.#position = pattern.lastIndex
    return true
  }
}

function isSpace(code: number): boolean {
  return code === blank || code === lineFeed || code === carriageReturn || code === tab
}

function notJson(detail: string): never {
  return refuse('invalid_json', { detail })
}
