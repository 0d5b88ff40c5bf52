import { describe, expect, test } from 'vitest'
import { type ErrorCode, type ErrorDefinition, errors, Refusal, refuse } from './errors.ts'

const catalogue = Object.entries<ErrorDefinition>(errors).map(([code, definition]) => ({
  code,
  ...definition,
}))

describe.each(catalogue)('$code', ({ code, status, retryable, title, detail, cause, fix }) => {
  test('the code is snake_case, for it is also the name of its page', () => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })

  test('the status is that of a refusal or of a fault', () => {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThanOrEqual(599)
  })

  test('it invites a repeat only where the very same request may succeed later', () => {
    if (retryable) expect([409, 429, 500, 502, 503, 504]).toContain(status)
    // Too many, or our fault: it passes, and a client that gave up would have lost its request.
    if (status === 429 || status >= 500) expect(retryable).toBe(true)
  })

  test('the title is a heading, and the rest are whole sentences', () => {
    expect(title).toMatch(/^[A-Z].*[^.]$/)
    for (const sentence of [detail, cause, fix]) expect(sentence).toMatch(/^[A-Z`].*\.$/)
  })
})

test('no two codes share a title, so they can be told apart by reading', () => {
  const titles = catalogue.map(({ title }) => title)
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

test('a refusal says what the catalogue says', () => {
  expect(() => refuse('not_found')).toThrow(new Refusal('not_found', {}))
  expect(new Refusal('not_found', {}).message).toBe(errors.not_found.detail)
})

test('a refusal may say something more exact, and carries its members', () => {
  const members = {
    detail: 'Not possible: attach while detached.',
    current_status: 'detached',
    allowed_actions: [],
  }
  const refusal = new Refusal('invalid_state', members)
  expect(refusal).toMatchObject({ name: 'Refusal', code: 'invalid_state', message: members.detail, members })
})

test('what is not in the catalogue does not compile', () => {
  // @ts-expect-error: there is no such code.
  const unknown: ErrorCode = 'out_of_tea'
  expect(Object.hasOwn(errors, unknown)).toBe(false)
})
