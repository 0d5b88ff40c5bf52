import { expect, test } from 'vitest'
import { idFromUuid, idMaker } from '../../kernel/id.ts'
import { linkOf, readLink } from './payer-link.ts'

const next = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)
const refs = Array.from({ length: 20 }, () => ({
  workspaceId: idFromUuid('workspace', 'test', next()),
  id: idFromUuid('payment', 'test', next()),
}))
const [first, second] = refs as [(typeof refs)[0], (typeof refs)[0]]
const key = Buffer.alloc(32, 1)
const older = Buffer.alloc(32, 2)

test.each(refs)('a link leads to the payment it was made for, and is the same each time', (ref) => {
  const link = linkOf([key], ref)

  expect(readLink([key], 'test', link)).toEqual(ref)
  expect(linkOf([key], ref)).toBe(link)
  expect(link).toMatch(/^payment_test_[0-9A-Z]{26}\.[\w-]{43}$/)
})

test('a link of an older key is still good; one of no key is none', () => {
  expect(readLink([key, older], 'test', linkOf([older], first))).toEqual(first)
  expect(readLink([key], 'test', linkOf([older], first))).toBeNull()
})

test('parts of two links make none, and neither does a link at the other address', () => {
  const [ours = '', proof = ''] = linkOf([key], first).split('.')
  const [, other = ''] = linkOf([key], second).split('.')

  expect(readLink([key], 'test', `${ours}.${other}`)).toBeNull()
  expect(readLink([key], 'live', `${ours}.${proof}`)).toBeNull()
  for (const text of ['', '.', ours, `${ours}.`, `${ours}.${proof.slice(1)}`, `${ours}.${proof}A`])
    expect(readLink([key], 'test', text), text).toBeNull()
})
