import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digitsOf, formatCardNumber, formatExpiry, parseExpiry, type TextInput } from './typing.ts'

const anyNumber = fc.stringMatching(/^[0-9]{0,19}$/)

test('typing a number digit by digit gives the same result as pasting it with any separators', () => {
  fc.assert(
    fc.property(anyNumber, fc.constantFrom('', ' ', '-', '.', '  '), (digits, separator) => {
      const typed = [...digits].reduce(
        (field, digit) => formatCardNumber({ text: field.text + digit, caret: field.text.length + 1 }),
        { text: '', caret: 0 },
      )
      const text = [...digits].join(separator)
      const pasted = formatCardNumber({ text, caret: text.length })

      expect(pasted.text).toBe(typed.text)
      expect(digitsOf(typed.text)).toBe(digits)
    }),
  )
})

test('when a digit is typed or deleted anywhere, the caret stays after the same digit', () => {
  fc.assert(
    fc.property(anyNumber, fc.nat(30), fc.constantFrom('7', ''), (digits, position, typed) => {
      const { text } = formatCardNumber({ text: digits, caret: 0 })
      const caret = Math.min(position, text.length)
      const before = text.slice(0, typed === '' ? Math.max(0, caret - 1) : caret) + typed
      const next = formatCardNumber({ text: before + text.slice(caret), caret: before.length })

      expect(digitsOf(next.text.slice(0, next.caret))).toBe(digitsOf(before).slice(0, 19))
    }),
  )
})

// biome-ignore format: a table.
test.each([
  ['4242424242424242',    '4242 4242 4242 4242'],
  ['4242424242424242424', '4242 4242 4242 4242 424'],
  ['378282246310005',     '3782 822463 10005'],
  ['36227206271667',      '3622 720627 1667'],
  ['٤٢٤٢٤٢٤٢',            '4242 4242'],
  ['４２４２４',             '4242 4'],
])('%s is shown as on the card: %s', (typed, formatted) => {
  expect(formatCardNumber({ text: typed, caret: typed.length }).text).toBe(formatted)
})

// biome-ignore format: a table.
test.each([
  ['4/28',    '04 / 28',   4, 2028],
  ['04/2028', '04 / 2028', 4, 2028],
  ['042028',  '04 / 2028', 4, 2028],
  ['0428',    '04 / 28',   4, 2028],
  ['428',     '04 / 28',   4, 2028],
  ['12-30',   '12 / 30',  12, 2030],
])('the expiry %s is formatted and parsed', (typed, formatted, month, year) => {
  const { text } = formatExpiry({ text: typed, caret: typed.length }, false)

  expect([text, parseExpiry(text)]).toEqual([formatted, { month, year }])
})

test.each(['', '4', '04', '04 / ', '04 / 2', '04 / 202', 'abc'])(
  '%j is not a complete expiry date',
  (text) => {
    expect(parseExpiry(text)).toBeNull()
  },
)

test('an expiry can be typed and deleted again key by key, without getting stuck', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 26, max: 60 }), (month, year) => {
      const keys = `${String(month).padStart(2, '0')}${year}`
      let field: TextInput = { text: '', caret: 0 }
      for (const key of keys) field = formatExpiryText(field.text + key, false)
      expect(parseExpiry(field.text)).toEqual({ month, year: 2000 + year })

      for (let remaining = field.text.length; remaining > 0 && field.text !== ''; remaining -= 1)
        field = formatExpiryText(field.text.slice(0, -1), true)
      expect(field.text).toBe('')
    }),
  )
})

function formatExpiryText(text: string, wasDeleted: boolean): TextInput {
  return formatExpiry({ text, caret: text.length }, wasDeleted)
}
