import { expect, test } from 'vitest'
import { changesBetween, mayBreak } from './changes.ts'

const reportOf = (...lines: string[]) =>
  ['# version 0.1.0', 'import from @switchyard/sdk', '', ...lines, ''].join('\n')
const taken = (...members: string[]) =>
  reportOf('interface CreateCustomer (taken)', ...members.map((member) => `  ${member}`))
const given = (...members: string[]) =>
  reportOf('interface Customer (given)', ...members.map((member) => `  ${member}`))
const method = (signature: string) => reportOf('class Switchyard (given)', `  customers.get: ${signature}`)

const breaking: [string, string, string, string][] = [
  ['an export that is gone', given('id: string'), reportOf(), 'Customer is gone'],
  [
    'a member that is gone',
    given('id: string', 'name: string'),
    given('id: string'),
    'Customer.name is gone',
  ],
  ['a member inside of one', given('a: object', 'a.b: string'), given('a: object'), 'Customer.a.b is gone'],
  ['a new required member of a body', taken('a?: string'), taken('a?: string', 'b: string'), 'required'],
  ['a member of a body that is required now', taken('a?: string'), taken('a: string'), 'is required now'],
  ['a member of an answer that may be missing', given('a: string'), given('a?: string'), 'may be missing'],
  ['an answer that may be null', given('a: string'), given('a: string | null'), 'string | null'],
  ['an answer of another type', given('a: string'), given('a: number'), '`number`'],
  ['a value that a body may not have any more', taken("a: 'x' | 'y'"), taken("a: 'x'"), "`'x'`"],
  ['a parameter that is required', method('(id: string) => X'), method('(id: string, b: B) => X'), 'b: B'],
  [
    'a parameter that is gone',
    method('(id: string, b?: B) => X'),
    method('(id: string) => X'),
    '(id: string)',
  ],
  ['another answer of a method', method('(id: string) => X'), method('(id: string) => Y'), '=> Y'],
]

test.each(breaking)('%s breaks', (_, before, after, words) => {
  const changes = changesBetween(before, after).filter(({ isBreaking }) => isBreaking)

  expect(changes.map(({ place, what }) => `${place} ${what}`)).toEqual([expect.stringContaining(words)])
})

const harmless: [string, string, string][] = [
  ['a new export', reportOf(), taken('a: string')],
  ['a new optional member of a body', taken('a: string'), taken('a: string', 'b?: string')],
  ['a new member of an answer', given('a: string'), given('a: string', 'b: object', 'b.c: string')],
  ['a member of a body that may be left out now', taken('a: string'), taken('a?: string | undefined')],
  ['a member of an answer that is always there now', given('a?: string'), given('a: string')],
  ['a new value of an answer', given("a: 'x'"), given("a: 'x' | 'y'")],
  ['a value that no answer has any more', given("a: 'x' | 'y'"), given("a: 'x'")],
  ['a body that takes more', taken("a: 'x'"), taken('a: string | null')],
  ['a new optional parameter', method('(id: string) => X'), method('(id: string, b?: B) => X')],
  ['another name of a parameter', method('(id: string) => X'), method('(other: string) => X')],
  ['another order of values', taken("a: 'x' | 'y'"), taken("a: 'y' | 'x'")],
]

test.each(harmless)('%s is told and breaks nobody', (_, before, after) => {
  const changes = changesBetween(before, after)

  expect(changes.length).toBeGreaterThan(0)
  expect(changes.filter(({ isBreaking }) => isBreaking)).toEqual([])
})

test.each([
  ['1.2.0', '1.3.0', false],
  ['1.2.0', '2.0.0', true],
  ['0.1.0', '0.1.1', false],
  ['0.1.0', '0.2.0', true],
  ['0.9.0', '1.0.0', true],
])('from %s to %s: %s', (earlier, later, expected) => {
  expect(mayBreak(earlier, later)).toBe(expected)
})
