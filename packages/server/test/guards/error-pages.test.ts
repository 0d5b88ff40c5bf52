// Every code has a page, and a way to meet it: here each one is provoked over real HTTP, and the address in
// `type` is followed to its page. A code that nobody can meet is not in the catalogue.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ErrorCode, errors } from '../../src/kernel/errors.ts'
import { provocations, provokeUndeclared, switchyard } from './support/provocations.ts'
import { root } from './support/repository.ts'

const codes = Object.keys(errors) as ErrorCode[]
/** These say how long to wait. A conflict is read again at once, and a fault of ours has no known end. */
const waiting = [
  ...['idempotency_key_in_use', 'rate_limited', 'too_many_tries', 'too_many_in_flight'],
  'sign_in_locked',
  ...['unavailable', 'overloaded'],
  'test_clock_advancing',
]
const folder = join(root, 'docs/reference/errors')

test('every code is provoked here, and nothing else', () => {
  expect(Object.keys(provocations).toSorted()).toEqual(codes.toSorted())
})

// Together, because two of them have to be waited for.
test.concurrent.each(Object.entries(provocations))(
  '%s is met, and its type leads to its page',
  async (code, provoke) => {
    const { status, headers, body } = await provoke()

    const { title, retryable, ...expected } = errors[code as ErrorCode]
    expect(body).toMatchObject({ code, title, retryable, status: expected.status })
    expect(status).toBe(expected.status)
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(body.request_id).toBe(headers.get('request-id'))
    expect(headers.has('retry-after')).toBe(waiting.includes(code))
    const page = await fetch(body.type)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain(`<title>${code}: `)
  },
)

test.each(codes)('the page of %s says what it is and what to do, and asks no other host', async (code) => {
  const { status, headers, body: html } = await switchyard.call('live', 'GET', `/docs/errors/${code}`)

  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(html).toContain(`<h1><code>${code}</code>: ${errors[code].title}</h1>`)
  expect(html).toContain('What to do')
  expect(html).not.toMatch(/\b(?:src|href)="(?:https?:)?\/\//)
})

test('a code that does not exist has no page', async () => {
  const { status, body: html } = await switchyard.call('test', 'GET', '/docs/errors/no_such_code')

  expect(status).toBe(404)
  expect(html).toContain('<h1>There is no such page</h1>')
})

test('docs/reference/errors holds one page per code, with an example of the answer', () => {
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')

  expect(pages.toSorted()).toEqual(codes.map((code) => `${code}.md`).toSorted())
  for (const code of codes) {
    const text = readFileSync(join(folder, `${code}.md`), 'utf8')
    const example = JSON.parse(/```json\n(.+?)\n```/s.exec(text)?.[1] ?? '{}')
    const { status, title, retryable } = errors[code]
    expect(example).toMatchObject({ code, status, title, retryable, detail: expect.any(String) })
  }
})

test('the index of the pages names every code', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')

  expect(codes.filter((code) => !index.includes(`(${code}.md)`))).toEqual([])
})

test('a refusal that the operation does not declare is noticed', async () => {
  const sentences = await provokeUndeclared()

  expect(sentences).toEqual([
    expect.stringMatching(/^test\.act refused with conflict, which it does not declare/),
  ])
})
