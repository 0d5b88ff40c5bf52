import type { AuditEntry } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { apiFiltersOf, detailsText, matchesFilters } from './matching.ts'

const entry = { act: 'api_token.rolled', source: 'dashboard', object_id: 'api_token_test_17' } as AuditEntry

test.each([
  [{}, true],
  [{ act: 'api_token.rolled', source: 'dashboard', object: 'test_17' }, true],
  [{ act: 'api_token.revoked' }, false],
  [{ source: 'system' }, false],
  [{ object: 'test_18' }, false],
])('an entry is shown if it matches all filters: %o', (filterValues, isMatch) => {
  expect(matchesFilters(filterValues)(entry)).toBe(isMatch)
})

test('changes are shown as names and values, and cleared values as a dash', () => {
  expect(detailsText({ role: 'ADMIN', overlap_seconds: 3600, name: null })).toBe(
    'role: ADMIN, overlap_seconds: 3600, name: –',
  )
})

test.each([
  [{}, {}],
  [{ source: 'system' }, {}],
  [{ act: 'api_token.rolled', object: 'test_17' }, { act: 'api_token.rolled' }],
  [
    { act: 'api_token.rolled', object: 'api_token_test_01KXYZ0000000000000000000A' },
    { object_id: 'api_token_test_01KXYZ0000000000000000000A' },
  ],
])('the filters %o become the API query %o', (filterValues, query) => {
  expect(apiFiltersOf(filterValues)).toEqual(query)
})
