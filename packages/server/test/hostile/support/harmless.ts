// What holds for every answer, whatever was asked.

import { expect } from 'vitest'
import { errors } from '../../../src/kernel/errors.ts'
import type { Reply } from './ask.ts'

const innards =
  /\bat .{0,200}\.(?:ts|js):\d+|node_modules|\bselect\b.+\bfrom\b|insert into|syntax error at|pg_catalog|SQLSTATE|TypeError|RangeError|FST_ERR/i

/** No fault of ours, in the form of the catalogue, and nothing of our insides. */
export function expectHarmless(reply: Reply, about = ''): void {
  const { status, headers, text, body } = reply
  expect(status, `${about}: ${text.slice(0, 300)}`).toBeLessThan(500)
  expect(text, about).not.toMatch(innards)
  if (status < 400) return
  expect(headers['content-type'], about).toMatch(/^application\/problem\+json/)
  expect(Object.keys(errors), about).toContain(body.code)
  expect(body, about).toMatchObject({ status, request_id: headers['request-id'] })
  expect(errors[body.code as keyof typeof errors].status, about).toBe(status)
  expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text), about).toBe(true)
}

/** For people: a page, or the page that says that there is none, and nothing of our insides either. */
export function expectPage({ status, headers, text }: Reply, about: string): void {
  expect([200, 400, 404], about).toContain(status)
  expect(headers['content-type'], about).toMatch(/^text\/html|^application\/problem\+json/)
  expect(text, about).not.toMatch(innards)
}
