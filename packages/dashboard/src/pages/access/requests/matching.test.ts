import type { LoggedRequest } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { apiFiltersOf, errorsOf, matchesFilters } from './matching.ts'

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
])('a request is shown if it matches all filters: %o', (filterValues, isMatch) => {
  expect(matchesFilters(filterValues)(request({ status: 402, error_code: 'card_declined' }))).toBe(isMatch)
})

test('errors are counted by code, the most frequent first, without successful requests', () => {
  const codes = ['not_found', 'card_declined', null, 'card_declined']
  expect(errorsOf(codes.map((error_code) => request({ error_code })))).toEqual([
    { code: 'card_declined', count: 2 },
    { code: 'not_found', count: 1 },
  ])
})

test('requests of the dashboard are hidden unless the source filter includes them', () => {
  const dashboardRequest = request({ source: 'dashboard', method: 'GET' })
  expect(matchesFilters({})(dashboardRequest)).toBe(false)
  expect(matchesFilters({ source: 'dashboard' })(dashboardRequest)).toBe(true)
})

test.each([
  [{ method: 'POST', status: '2xx' }, {}],
  [{ method: 'POST', status: '5xx' }, { status_class: '5xx' }],
  [{ status: '4xx', code: 'not_found' }, { error_code: 'not_found' }],
])('the filters %o become the API query %o', (filterValues, query) => {
  expect(apiFiltersOf(filterValues)).toEqual(query)
})
