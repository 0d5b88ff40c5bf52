// Expiry of authorizations. The provider sets the expiry by its own clock, so no other test may advance the
// clock of this file.

import { expect, test } from 'vitest'
import { createToken, eventTypesOf } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function authorize(workspace: Workspace) {
  const token = await createToken(workspace)
  const order = { amount: 1299, currency: 'eur', capture_method: 'manual', token }
  return (await workspace.post('/payments', order)).body
}

test('one event is emitted 24 hours before an authorization expires, and it can still be captured', async () => {
  const workspace = await switchyard.newWorkspace()
  const authorized = await authorize(workspace)
  const hours = Math.floor(
    (Date.parse(authorized.capture_before_at) - Date.parse(authorized.created_at)) / 3_600_000,
  )
  switchyard.clock.advance({ hours: hours - 25 })
  await switchyard.settle()
  expect(await eventTypesOf(workspace, authorized.id)).toEqual(['payment.created', 'payment.authorized'])
  for (const hours of [2, 1]) {
    switchyard.clock.advance({ hours })
    await switchyard.settle()
  }
  expect((await eventTypesOf(workspace, authorized.id)).slice(2)).toEqual(['payment.authorization_expiring'])

  const { body } = await workspace.post(`/payments/${authorized.id}/capture`)
  expect(body.status).toBe('succeeded')
})
