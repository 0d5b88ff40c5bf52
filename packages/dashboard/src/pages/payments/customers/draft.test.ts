import { expect, test } from 'vitest'
import { bodyOf, emptyDraft } from './draft.ts'

test('a new customer is created with the filled fields only', () => {
  expect(bodyOf(emptyDraft)).toEqual({})
  expect(bodyOf({ ...emptyDraft, name: ' Ada ', city: 'London', country: 'gb' })).toEqual({
    name: 'Ada',
    address: { city: 'London', country: 'GB' },
  })
})

test('an update contains only changed fields, and cleared fields are null', () => {
  const before = { ...emptyDraft, name: 'Ada', email: 'ada@example.com', city: 'London' }
  expect(bodyOf(before, before)).toEqual({})
  expect(bodyOf({ ...before, email: '' }, before)).toEqual({ email: null })
  expect(bodyOf({ ...before, city: '' }, before)).toEqual({ address: null })
  expect(bodyOf({ ...before, line1: '1 High St' }, before)).toEqual({
    address: { line1: '1 High St', city: 'London' },
  })
})
