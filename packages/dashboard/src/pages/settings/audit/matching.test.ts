import type { AuditEntry } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { askedFor, detailsText, keeps } from './matching.ts'

const entry = { act: 'api_token.rolled', source: 'dashboard', object_id: 'api_token_test_17' } as AuditEntry

test.each([
  [{}, true],
  [{ act: 'api_token.rolled', source: 'dashboard', object: 'test_17' }, true],
  [{ act: 'api_token.revoked' }, false],
  [{ source: 'system' }, false],
  [{ object: 'test_18' }, false],
])('an entry is kept if it is all that the filter asks for: %o', (chosen, isKept) => {
  expect(keeps(chosen)(entry)).toBe(isKept)
})

test('what changed reads as names and values, and what is cleared as a dash', () => {
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
])('of %o the API is asked for %o', (chosen, asked) => {
  expect(askedFor(chosen)).toEqual(asked)
})
