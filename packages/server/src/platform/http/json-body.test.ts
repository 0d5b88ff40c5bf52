import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/hostile/support/cpu.ts'
import { corpus, notUtf8 } from '../../../test/hostile/support/json-corpus.ts'
import { Refusal } from '../../kernel/errors.ts'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))

/** The sentence of the refusal. */
function refusalOf(bytes: Buffer): string {
  const outcome = outcomeOf(bytes)
  if (outcome instanceof Refusal) return outcome.message
  throw new Error(`was read: ${bytes.subarray(0, 100)}`)
}

describe('the corpus', () => {
  test.each(corpus.accept)('reads %s as JSON.parse does', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  test.each(corpus.refuse)('refuses %s, as JSON.parse does', (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(refusalOf(Buffer.from(text))).toMatch(/, at character \d+\.$/)
  })

  test.each(corpus.strict)('refuses %s, which JSON.parse would read', (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(refusalOf(Buffer.from(text))).toMatch(/, at character \d+\.$/)
  })

  test.each(notUtf8)('refuses %s as not UTF-8', (_, bytes) => {
    expect(refusalOf(bytes)).toBe('The body is not valid UTF-8.')
  })
})

describe('whatever is generated', () => {
  test('JSON is read as JSON.parse reads it, however it is spaced', () => {
    const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary', noUnicodeString: false } as object)
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, '\t'), (generated, indent) => {
        fc.pre(isPlain(generated))
        const text = JSON.stringify(generated, null, indent)
        expect(parse(text)).toStrictEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  test('a text is read the same when every character of its strings is escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(!value.includes('\0'))
        const escaped = Array.from({ length: value.length }, (_, at) => unicodeEscape(value.charCodeAt(at)))
        expect(parse(`{"a":"${escaped.join('')}"}`)).toStrictEqual({ a: value })
      }),
      { numRuns: 500 },
    )
  })

  test('a text with one character changed is read as JSON.parse reads it, or refused', () => {
    const edit = fc.record({ at: fc.nat(), by: fc.constantFrom(...'{}[]",:\\u0e1-+. \ud83dtn\0'.split('')) })
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), edit, (text, { at, by }) => {
        const place = at % text.length
        agreesOrRefuses(text.slice(0, place) + by + text.slice(place + 1))
      }),
      { numRuns: 2_000 },
    )
  })

  test('bytes that are no JSON are refused, and nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        agreesOrRefuses(Buffer.from(bytes))
      }),
      { numRuns: 2_000 },
    )
  })
})

test('no bytes at all are an empty object, since a body may be left out', () => {
  expect(parse('')).toEqual({})
})

test('a name is repeated in the sentence cut and whole, never as half of a pair', () => {
  const name = `${'n'.repeat(39)}\u{1F600}`

  const sentence = refusalOf(
    Buffer.from(JSON.stringify({ a: 1 }).replace('"a":1', `"${name}":1,"${name}":2`)),
  )

  expect(sentence.isWellFormed()).toBe(true)
  expect(sentence).toContain('stands twice')
})

test('members that are named like those of every object stay plain data', () => {
  const read = parse('{"constructor":{"prototype":{"polluted":true}},"toString":"x"}') as object

  expect(Object.hasOwn(read, 'constructor')).toBe(true)
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  expect(({} as { polluted?: true }).polluted).toBeUndefined()
})

const size = 256 * 1024 - 16
const fill = (part: string) => part.repeat(Math.floor(size / part.length))

describe('a body of 256 KB is done with within 100 ms', () => {
  test.each([
    ['a string', `"${fill('a')}"`],
    ['a string that does not end', `"${fill('a')}`],
    ['short escapes', `"${fill('\\n')}"`],
    ['short escapes without an end', `"${fill('\\n')}`],
    ['unicode escapes', `"${fill('\\u00e9')}"`],
    ['backslashes', `"${fill('\\')}`],
    ['escaped quotes', `"${fill('\\"')}`],
    ['escaped halves of pairs', `"${fill('\\ud800')}"`],
    ['emoji', `"${fill('\u{1F600}')}"`],
    ['opening brackets', fill('[')],
    ['opening braces', fill('{"a":')],
    ['quotes', fill('"')],
    ['empty strings in an array', `[${fill('"",')}`],
    ['spaces', fill(' ')],
    ['spaces between brackets', fill('[ ')],
    ['digits', fill('9')],
    ['digits behind the point', `0.${fill('9')}`],
    ['digits in the exponent', `1e${fill('9')}`],
    ['minus signs', fill('-')],
    ['commas', `[${fill(',')}`],
    ['members', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`).join()}}`],
    ['full objects', `[${Array(28).fill(`{${Array.from({ length: 999 }, (_, n) => `"k${n}":0`)}}`)}]`],
    ['nearly literals', fill('tru')],
    ['NUL bytes', fill('\0')],
  ])('%s', (_, text) => {
    expect(text.length).toBeGreaterThan(200_000)
    const bytes = Buffer.from(text)
    expect(cpuMs(() => outcomeOf(bytes))).toBeLessThan(100)
  })
})

/** Our reading is that of JSON.parse, or a refusal. */
function agreesOrRefuses(body: string | Buffer): void {
  const bytes = Buffer.from(body as string)
  const read = outcomeOf(bytes)
  if (!(read instanceof Refusal))
    expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(bytes.toString())))
}

/** What was read, or the refusal. A TypeError or a full stack is thrown on, and fails the test. */
function outcomeOf(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_json') return error
    throw error
  }
}

/** Whether the value keeps our rules: fast-check also makes NUL, halves of pairs and `__proto__`. */
function isPlain(value: unknown): boolean {
  const text = JSON.stringify(value)
  return !/\\u0000|\\ud[89a-f]|"__proto__"/i.test(text)
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
