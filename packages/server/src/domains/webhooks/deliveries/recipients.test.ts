import { expect, test } from 'vitest'
import { type Id, idFromUuid, idMaker } from '../../../kernel/id.ts'
import { type Candidate, defaultRecipients, namedRecipients } from './recipients.ts'

const nextUuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 1)
const newId = () => idFromUuid('webhook_endpoint', 'test', nextUuid())

function candidate(changes: Partial<Candidate>): Candidate {
  return {
    id: newId(),
    isEnabled: true,
    isSubscribed: false,
    hasDelivery: false,
    isAboutEndpoint: false,
    ...changes,
  }
}

// biome-ignore format: a table.
const cases: [Partial<Candidate>, boolean, string][] = [
  [{ isSubscribed: true },                                true,  'it subscribes to the type now'],
  [{ hasDelivery: true },                                  true,  'it already has a delivery, although it no longer subscribes to the type'],
  [{},                                               false, 'it neither subscribes to the type nor has a delivery'],
  [{ isSubscribed: true, isEnabled: false },              false, 'it is disabled'],
  [{ isSubscribed: true, isAboutEndpoint: true },              false, 'the event is about the endpoint itself'],
  [{ isSubscribed: true, isAboutEndpoint: true, hasDelivery: true }, true,  'the event is about the endpoint, but was sent to it anyway, like a test event'],
]

test.each(cases)('an endpoint with %j is a default recipient: %s, because %s', (changes, isRecipient) => {
  expect(defaultRecipients([candidate(changes)])).toHaveLength(isRecipient ? 1 : 0)
})

test('a named endpoint gets the event whatever it subscribes to', () => {
  const [named, unnamed] = [candidate({ isAboutEndpoint: true }), candidate({ isSubscribed: true })]

  expect(namedRecipients([named, unnamed], [named.id])).toEqual([named])
})

test('every unknown id is reported', () => {
  const known = candidate({})
  const ids: (Id<'webhook_endpoint'> | null)[] = [known.id, null, newId()]

  expect(() => namedRecipients([known], ids)).toThrow(
    expect.objectContaining({
      code: 'reference_not_found',
      members: {
        errors: [
          expect.objectContaining({ pointer: '/webhook_endpoint_ids/1' }),
          expect.objectContaining({ pointer: '/webhook_endpoint_ids/2', code: 'not_found' }),
        ],
      },
    }),
  )
})

test('naming a disabled endpoint is rejected', () => {
  const disabled = candidate({ isEnabled: false })

  expect(() => namedRecipients([disabled], [disabled.id])).toThrow(
    expect.objectContaining({
      code: 'invalid_state',
      members: expect.objectContaining({ current_status: 'disabled' }),
    }),
  )
})
