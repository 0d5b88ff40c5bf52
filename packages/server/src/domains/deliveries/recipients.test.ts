import { expect, test } from 'vitest'
import { type Id, idFromUuid, idMaker } from '../../kernel/id.ts'
import { type Candidate, namedRecipients, usualRecipients } from './recipients.ts'

const nextUuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 1)
const newId = () => idFromUuid('webhook_endpoint', 'test', nextUuid())

function candidate(changes: Partial<Candidate>): Candidate {
  return { id: newId(), isEnabled: true, wantsIt: false, hadIt: false, isSpokenOf: false, ...changes }
}

// biome-ignore format: a table.
const cases: [Partial<Candidate>, boolean, string][] = [
  [{ wantsIt: true },                                true,  'it asks for the type now'],
  [{ hadIt: true },                                  true,  'it had the event, though it asks for others now'],
  [{},                                               false, 'it has nothing to do with the event'],
  [{ wantsIt: true, isEnabled: false },              false, 'it is disabled'],
  [{ wantsIt: true, isSpokenOf: true },              false, 'the event speaks of it'],
  [{ wantsIt: true, isSpokenOf: true, hadIt: true }, true,  'the event was addressed to it nevertheless, as a trial is'],
]

test.each(cases)('whether %j gets it by default is %s: %s', (changes, isChosen) => {
  expect(usualRecipients([candidate(changes)])).toHaveLength(isChosen ? 1 : 0)
})

test('an endpoint that is named gets the event whatever it asks for', () => {
  const [one, other] = [candidate({ isSpokenOf: true }), candidate({ wantsIt: true })]

  expect(namedRecipients([one, other], [one.id])).toEqual([one])
})

test('every name that leads nowhere is pointed at', () => {
  const one = candidate({})
  const names: (Id<'webhook_endpoint'> | null)[] = [one.id, null, newId()]

  expect(() => namedRecipients([one], names)).toThrow(
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

test('a disabled endpoint that is named is refused', () => {
  const one = candidate({ isEnabled: false })

  expect(() => namedRecipients([one], [one.id])).toThrow(
    expect.objectContaining({
      code: 'invalid_state',
      members: expect.objectContaining({ current_status: 'disabled' }),
    }),
  )
})
