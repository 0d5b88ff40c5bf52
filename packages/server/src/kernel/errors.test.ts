import { describe, expect, test } from 'vitest'
import { type ErrorCode, type ErrorDefinition, errors, Refusal, refuse, refuseMember } from './errors.ts'

const catalogue = Object.entries<ErrorDefinition>(errors).map(([code, definition]) => ({
  code,
  ...definition,
}))

describe.each(catalogue)('$code', ({ code, status, retryable, title, detail, cause, fix }) => {
  test('the code is snake_case, because it is also the name of its documentation page', () => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  test('the status is 4xx or 5xx', () => {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThanOrEqual(599)
  })

  test('it is retryable only if the identical request may succeed later', () => {
    if (retryable) expect([409, 429, 500, 502, 503, 504]).toContain(status)
    // 429 and 5xx are temporary: a client that does not retry would lose its request.
    if (status === 429 || status >= 500) expect(retryable).toBe(true)
  })

  test('the title is a heading, and the other strings are complete sentences', () => {
    expect(title).toMatch(/^[A-Z].*[^.]$/)
    for (const sentence of [detail, cause, fix]) expect(sentence).toMatch(/^[A-Z`].*\.$/)
  })
})

test('no two codes share a title', () => {
  const titles = catalogue.map(({ title }) => title)
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

test('a refusal uses the text of the catalogue by default', () => {
  expect(() => refuse('not_found')).toThrow(new Refusal('not_found', {}))
  expect(new Refusal('not_found', {}).message).toBe(errors.not_found.detail)
})

test('a refusal can override the detail and carries its members', () => {
  const members = {
    detail: 'A detached payment method cannot be attached.',
    current_status: 'detached',
    allowed_actions: [],
  }
  const refusal = new Refusal('invalid_state', members)
  expect(refusal).toMatchObject({ name: 'Refusal', code: 'invalid_state', message: members.detail, members })
})

test('a code that is not in the catalogue does not compile', () => {
  // @ts-expect-error: there is no such code.
  const unknown: ErrorCode = 'out_of_tea'
  expect(Object.hasOwn(errors, unknown)).toBe(false)
})

test('a refusal without its own detail names the first invalid member', () => {
  const required = { code: 'required', detail: 'is required' } as const
  const first = { pointer: '/tax_ids/0/value', ...required }

  expect(() => refuseMember('/amount', 'required', 'is required')).toThrow('amount is required')
  expect(new Refusal('invalid_request', { errors: [first] }).message).toBe('tax_ids[0].value is required')
  expect(new Refusal('invalid_request', { errors: [first, first, first] }).message).toBe(
    'tax_ids[0].value is required (and 2 more)',
  )
})
