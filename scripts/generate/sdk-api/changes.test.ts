import { expect, test } from 'vitest'
import { allowsBreakingChanges, changesBetween } from './changes.ts'

const reportOf = (...lines: string[]) =>
  ['# version 0.1.0', 'import from @switchyard/sdk', '', ...lines, ''].join('\n')
const inputType = (...members: string[]) =>
  reportOf('interface CreateCustomer (input)', ...members.map((member) => `  ${member}`))
const outputType = (...members: string[]) =>
  reportOf('interface Customer (output)', ...members.map((member) => `  ${member}`))
const method = (signature: string) => reportOf('class Switchyard (output)', `  customers.get: ${signature}`)

const breaking: [string, string, string, string][] = [
  ['a removed export', outputType('id: string'), reportOf(), 'Customer is gone'],
  [
    'a removed member',
    outputType('id: string', 'name: string'),
    outputType('id: string'),
    'Customer.name is gone',
  ],
  [
    'a removed nested member',
    outputType('a: object', 'a.b: string'),
    outputType('a: object'),
    'Customer.a.b is gone',
  ],
  [
    'a new required member of a body',
    inputType('a?: string'),
    inputType('a?: string', 'b: string'),
    'required',
  ],
  [
    'an optional member of a body that becomes required',
    inputType('a?: string'),
    inputType('a: string'),
    'is required now',
  ],
  [
    'a member of a response that becomes optional',
    outputType('a: string'),
    outputType('a?: string'),
    'may be missing',
  ],
  [
    'a member of a response that becomes nullable',
    outputType('a: string'),
    outputType('a: string | null'),
    'string | null',
  ],
  ['a member of a response with another type', outputType('a: string'), outputType('a: number'), '`number`'],
  ['a removed value of a body', inputType("a: 'x' | 'y'"), inputType("a: 'x'"), "`'x'`"],
  ['a new required parameter', method('(id: string) => X'), method('(id: string, b: B) => X'), 'b: B'],
  ['a removed parameter', method('(id: string, b?: B) => X'), method('(id: string) => X'), '(id: string)'],
  ['another return type of a method', method('(id: string) => X'), method('(id: string) => Y'), '=> Y'],
]

test.each(breaking)('%s is breaking', (_, before, after, text) => {
  const changes = changesBetween(before, after).filter(({ isBreaking }) => isBreaking)

  expect(changes.map(({ path, description }) => `${path} ${description}`)).toEqual([
    expect.stringContaining(text),
  ])
})

const harmless: [string, string, string][] = [
  ['a new export', reportOf(), inputType('a: string')],
  ['a new optional member of a body', inputType('a: string'), inputType('a: string', 'b?: string')],
  [
    'a new member of a response',
    outputType('a: string'),
    outputType('a: string', 'b: object', 'b.c: string'),
  ],
  [
    'a required member of a body that becomes optional',
    inputType('a: string'),
    inputType('a?: string | undefined'),
  ],
  [
    'an optional member of a response that becomes required',
    outputType('a?: string'),
    outputType('a: string'),
  ],
  ['a new value of a response', outputType("a: 'x'"), outputType("a: 'x' | 'y'")],
  ['a removed value of a response', outputType("a: 'x' | 'y'"), outputType("a: 'x'")],
  ['a body that accepts more types', inputType("a: 'x'"), inputType('a: string | null')],
  ['a new optional parameter', method('(id: string) => X'), method('(id: string, b?: B) => X')],
  ['another name of a parameter', method('(id: string) => X'), method('(other: string) => X')],
  ['a different order of values', inputType("a: 'x' | 'y'"), inputType("a: 'y' | 'x'")],
]

test.each(harmless)('%s is reported and is not breaking', (_, before, after) => {
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
])('breaking changes from %s to %s are allowed: %s', (earlier, later, expected) => {
  expect(allowsBreakingChanges(earlier, later)).toBe(expected)
})
