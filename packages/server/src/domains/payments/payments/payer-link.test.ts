import { expect, test } from 'vitest'
import { idFromUuid, idMaker } from '../../../kernel/id.ts'
import { createPayerLink, verifyPayerLink } from './payer-link.ts'

const newUuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)
const refs = Array.from({ length: 20 }, () => ({
  workspaceId: idFromUuid('workspace', 'test', newUuid()),
  id: idFromUuid('payment', 'test', newUuid()),
}))
const [first, second] = refs as [(typeof refs)[0], (typeof refs)[0]]
const key = Buffer.alloc(32, 1)
const olderKey = Buffer.alloc(32, 2)

test.each(refs)('a link identifies its payment and is deterministic', (ref) => {
  const link = createPayerLink([key], ref)

  expect(verifyPayerLink([key], 'test', link)).toEqual(ref)
  expect(createPayerLink([key], ref)).toBe(link)
  expect(link).toMatch(/^payment_test_[0-9A-Z]{26}\.[\w-]{43}$/)
})

test('a link signed with an older key is valid, and one signed with an unknown key is not', () => {
  expect(verifyPayerLink([key, olderKey], 'test', createPayerLink([olderKey], first))).toEqual(first)
  expect(verifyPayerLink([key], 'test', createPayerLink([olderKey], first))).toBeNull()
})

test('parts of two links do not form a valid link, and a link is invalid in the other mode', () => {
  const [idText = '', signature = ''] = createPayerLink([key], first).split('.')
  const [, other = ''] = createPayerLink([key], second).split('.')

  expect(verifyPayerLink([key], 'test', `${idText}.${other}`)).toBeNull()
  expect(verifyPayerLink([key], 'live', `${idText}.${signature}`)).toBeNull()
  for (const text of [
    '',
    '.',
    idText,
    `${idText}.`,
    `${idText}.${signature.slice(1)}`,
    `${idText}.${signature}A`,
  ])
    expect(verifyPayerLink([key], 'test', text), text).toBeNull()
})
