// Expectations for responses to any request.

import { expect } from 'vitest'
import { errors } from '../../../src/kernel/errors.ts'
import type { RawResponse } from './raw-request.ts'

const internalDetails =
  /\bat .{0,200}\.(?:ts|js):\d+|node_modules|\bselect\b.+\bfrom\b|insert into|syntax error at|pg_catalog|SQLSTATE|TypeError|RangeError|FST_ERR/i

/** Expects no server error, no internal details, and only errors from the catalogue. */
export function expectSafeResponse(response: RawResponse, message = ''): void {
  const { status, headers, text, body } = response
  expect(status, `${message}: ${text.slice(0, 300)}`).toBeLessThan(500)
  expect(text, message).not.toMatch(internalDetails)
  if (status < 400) return
  expect(headers['content-type'], message).toMatch(/^application\/problem\+json/)
  expect(Object.keys(errors), message).toContain(body.code)
  expect(body, message).toMatchObject({ status, request_id: headers['request-id'] })
  expect(errors[body.code as keyof typeof errors].status, message).toBe(status)
  expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text), message).toBe(true)
}

/** Expects a page or the not-found page, without internal details. */
export function expectPage({ status, headers, text }: RawResponse, message: string): void {
  expect([200, 400, 404], message).toContain(status)
  expect(headers['content-type'], message).toMatch(/^text\/html|^application\/problem\+json/)
  expect(text, message).not.toMatch(internalDetails)
}
