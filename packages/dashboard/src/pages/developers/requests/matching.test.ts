import type { LoggedRequest } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { askedFor, errorsOf, keeps } from './matching.ts'

const request = (changes: Partial<LoggedRequest>) =>
  ({
    method: 'POST',
    status: 201,
    source: 'api',
    error_code: null,
    path: '/payments',
    ...changes,
  }) as LoggedRequest

test.each([
  [{}, true],
  [{ method: 'POST', status: '4xx', source: 'api', code: 'card_declined', path: '/payments' }, true],
  [{ status: '402' }, true],
  [{ method: 'GET' }, false],
  [{ status: '5xx' }, false],
  [{ source: 'dashboard' }, false],
  [{ source: 'any' }, true],
  [{ code: 'not_found' }, false],
  [{ path: '/refunds' }, false],
])('a call is kept if it is all that the filter asks for: %o', (chosen, isKept) => {
  expect(keeps(chosen)(request({ status: 402, error_code: 'card_declined' }))).toBe(isKept)
})

test('errors are counted by their code, the most frequent first, and successes are none', () => {
  const codes = ['not_found', 'card_declined', null, 'card_declined']
  expect(errorsOf(codes.map((error_code) => request({ error_code })))).toEqual([
    { code: 'card_declined', count: 2 },
    { code: 'not_found', count: 1 },
  ])
})

test('what the dashboard has read is left out unless somebody asks for it', () => {
  const read = request({ source: 'dashboard', method: 'GET' })
  expect(keeps({})(read)).toBe(false)
  expect(keeps({ source: 'dashboard' })(read)).toBe(true)
})

test.each([
  [{ method: 'POST', status: '2xx' }, {}],
  [{ method: 'POST', status: '5xx' }, { status_class: '5xx' }],
  [{ status: '4xx', code: 'not_found' }, { error_code: 'not_found' }],
])('of %o the API is asked for %o', (chosen, asked) => {
  expect(askedFor(chosen)).toEqual(asked)
})
