// Triggers every error code over HTTP, and checks that the URL in `type` leads to a page about that code. A
// code that cannot be triggered does not belong in the catalogue.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ErrorCode, errors } from '../../src/kernel/errors.ts'
import { errorTriggers, switchyard, triggerUndeclared } from './support/error-triggers.ts'
import { root } from './support/repository.ts'

const codes = Object.keys(errors) as ErrorCode[]
/**
 * Codes with the `Retry-After` header. After a conflict the client can retry immediately, and for an internal
 * error the server does not know how long it lasts.
 */
const withRetryAfter = [
  'idempotency_key_in_use',
  'rate_limited',
  'too_many_tries',
  'too_many_in_flight',
  'sign_in_locked',
  'unavailable',
  'read_only',
  'overloaded',
  'test_clock_advancing',
  'settlement_import_running',
]
const folder = join(root, 'docs/reference/errors')

test('errorTriggers contains exactly the codes of the catalogue', () => {
  expect(Object.keys(errorTriggers).toSorted()).toEqual(codes.toSorted())
})

// The triggers run concurrently, because two of them are slow.
test.concurrent.each(Object.entries(errorTriggers))(
  '%s is triggered, and its type leads to its page',
  async (code, trigger) => {
    const { status, headers, body } = await trigger()

    const { title, retryable, ...expected } = errors[code as ErrorCode]
    expect(body).toMatchObject({ code, title, retryable, status: expected.status })
    expect(status).toBe(expected.status)
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(body.request_id).toBe(headers.get('request-id'))
    expect(headers.has('retry-after')).toBe(withRetryAfter.includes(code))
    const page = await fetch(body.type)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(`<title>${code}: `)
  },
)

test.each(codes)('the page of %s explains what to do, and loads nothing from other hosts', async (code) => {
  const { status, headers, body: html } = await switchyard.call('live', 'GET', `/docs/errors/${code}`)

  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(html).toContain(`<h1><code>${code}</code>: ${errors[code].title}</h1>`)
  expect(html).toContain('What to do')
  expect(html).not.toMatch(/\b(?:src|href)="(?:https?:)?\/\//)
})

test('the page of an unknown code is not found', async () => {
  const { status, body: html } = await switchyard.call('test', 'GET', '/docs/errors/no_such_code')

  expect(status).toBe(404)
  expect(html).toContain('<h1>Page not found</h1>')
})

test('docs/reference/errors has one page per code, with an example of the response', () => {
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')

  expect(pages.toSorted()).toEqual(codes.map((code) => `${code}.md`).toSorted())
  for (const code of codes) {
    const text = readFileSync(join(folder, `${code}.md`), 'utf8')
    const example = JSON.parse(/```json\n(.+?)\n```/s.exec(text)?.[1] ?? '{}')
    const { status, title, retryable } = errors[code]
    expect(example).toMatchObject({ code, status, title, retryable, detail: expect.any(String) })
  }
})

test('the index of error pages links to every code', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')

  expect(codes.filter((code) => !index.includes(`(${code}.md)`))).toEqual([])
})

test('an error that an operation does not declare is detected', async () => {
  const sentences = await triggerUndeclared()

  expect(sentences).toEqual([
    expect.stringMatching(/^test\.act refused with conflict, which it does not declare/),
  ])
})
