import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/hostile/support/cpu.ts'
import { corpus, notUtf8 } from '../../../test/hostile/support/json-corpus.ts'
import { Refusal } from '../../kernel/errors.ts'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string) => parseJsonBody(Buffer.from(text))

/** The message of the refusal. */
function refusalOf(bytes: Buffer): string {
  const outcome = outcomeOf(bytes)
  if (outcome instanceof Refusal) return outcome.message
  throw new Error(`was accepted: ${bytes.subarray(0, 100)}`)
}

describe('the corpus', () => {
  test.each(corpus.accept)('parses %s like JSON.parse', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  test.each(corpus.refuse)('rejects %s, like JSON.parse', (_, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(refusalOf(Buffer.from(text))).toMatch(/, at character \d+\.$/)
  })

  test.each(corpus.strict)('rejects %s, which JSON.parse accepts', (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(refusalOf(Buffer.from(text))).toMatch(/, at character \d+\.$/)
  })

  test.each(notUtf8)('rejects %s as invalid UTF-8', (_, bytes) => {
    expect(refusalOf(bytes)).toBe('The body is not valid UTF-8.')
  })
})

describe('generated input', () => {
  test('JSON with any whitespace is parsed like JSON.parse', () => {
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

  test('a text is parsed the same when every character of its strings is escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(!value.includes('\0'))
        const escaped = Array.from({ length: value.length }, (_, index) =>
          unicodeEscape(value.charCodeAt(index)),
        )
        expect(parse(`{"a":"${escaped.join('')}"}`)).toStrictEqual({ a: value })
      }),
      { numRuns: 500 },
    )
  })

  test('a text with one changed character is parsed like JSON.parse, or rejected', () => {
    const edit = fc.record({
      position: fc.nat(),
      character: fc.constantFrom(...'{}[]",:\\u0e1-+. \ud83dtn\0'.split('')),
    })
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), edit, (text, { position, character }) => {
        const index = position % text.length
        expectSameOrRefusal(text.slice(0, index) + character + text.slice(index + 1))
      }),
      { numRuns: 2_000 },
    )
  })

  test('bytes that are not JSON are rejected, and nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        expectSameOrRefusal(Buffer.from(bytes))
      }),
      { numRuns: 2_000 },
    )
  })
})

test('an empty body is an empty object, because a body is optional', () => {
  expect(parse('')).toEqual({})
})

test('a member name in the message is truncated, and never within a surrogate pair', () => {
  const name = `${'n'.repeat(39)}\u{1F600}`

  const message = refusalOf(Buffer.from(JSON.stringify({ a: 1 }).replace('"a":1', `"${name}":1,"${name}":2`)))

  expect(message.isWellFormed()).toBe(true)
  expect(message).toContain('appears twice')
})

test('members named like those of Object.prototype stay plain data', () => {
  const parsed = parse('{"constructor":{"prototype":{"polluted":true}},"toString":"x"}') as object

  expect(Object.hasOwn(parsed, 'constructor')).toBe(true)
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  expect(({} as { polluted?: true }).polluted).toBeUndefined()
})

const size = 256 * 1024 - 16
const fill = (part: string) => part.repeat(Math.floor(size / part.length))

describe('a body of 256 KB is parsed within 100 ms', () => {
  test.each([
    ['a string', `"${fill('a')}"`],
    ['a string that does not end', `"${fill('a')}`],
    ['short escapes', `"${fill('\\n')}"`],
    ['short escapes without an end', `"${fill('\\n')}`],
    ['unicode escapes', `"${fill('\\u00e9')}"`],
    ['backslashes', `"${fill('\\')}`],
    ['escaped quotes', `"${fill('\\"')}`],
    ['escaped unpaired surrogates', `"${fill('\\ud800')}"`],
    ['emoji', `"${fill('\u{1F600}')}"`],
    ['opening brackets', fill('[')],
    ['opening braces', fill('{"a":')],
    ['quotes', fill('"')],
    ['empty strings in an array', `[${fill('"",')}`],
    ['spaces', fill(' ')],
    ['spaces between brackets', fill('[ ')],
    ['digits', fill('9')],
    ['digits after the decimal point', `0.${fill('9')}`],
    ['digits in the exponent', `1e${fill('9')}`],
    ['minus signs', fill('-')],
    ['commas', `[${fill(',')}`],
    ['members', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":0`).join()}}`],
    ['full objects', `[${Array(28).fill(`{${Array.from({ length: 999 }, (_, n) => `"k${n}":0`)}}`)}]`],
    ['incomplete literals', fill('tru')],
    ['NUL bytes', fill('\0')],
  ])('%s', (_, text) => {
    expect(text.length).toBeGreaterThan(200_000)
    const bytes = Buffer.from(text)
    expect(cpuMs(() => outcomeOf(bytes))).toBeLessThan(100)
  })
})

/** The result equals that of JSON.parse, or is a refusal. */
function expectSameOrRefusal(body: string | Buffer): void {
  const bytes = Buffer.from(body as string)
  const outcome = outcomeOf(bytes)
  if (!(outcome instanceof Refusal))
    expect(JSON.stringify(outcome)).toBe(JSON.stringify(JSON.parse(bytes.toString())))
}

/** The parsed value, or the refusal. A TypeError or a stack overflow is rethrown and fails the test. */
function outcomeOf(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_json') return error
    throw error
  }
}

/** Whether the value follows our rules: fast-check also generates NUL, lone surrogates and `__proto__`. */
function isPlain(value: unknown): boolean {
  const text = JSON.stringify(value)
  return !/\\u0000|\\ud[89a-f]|"__proto__"/i.test(text)
}

function unicodeEscape(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
