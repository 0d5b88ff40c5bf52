// What is held runs out. Its provider says when, by its own clock, so no other test moves the clock of this file.

import { expect, test } from 'vitest'
import { aToken, typesOf } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function hold(workspace: Workspace) {
  const token = await aToken(workspace)
  const order = { amount: 1299, currency: 'eur', capture_method: 'manual', token }
  return (await workspace.post('/payments', order)).body
}

test('what is held is spoken of a day before it is let go, once', async () => {
  const workspace = await switchyard.newWorkspace()
  const held = await hold(workspace)
  const hours = Math.floor((Date.parse(held.capture_before_at) - Date.parse(held.created_at)) / 3_600_000)
  switchyard.clock.advance({ hours: hours - 25 })
  await switchyard.settle()
  expect(await typesOf(workspace, held.id)).toEqual(['payment.created', 'payment.authorized'])
  for (const step of [2, 1]) {
    switchyard.clock.advance({ hours: step })
    await switchyard.settle()
  }
  expect((await typesOf(workspace, held.id)).slice(2)).toEqual(['payment.authorization_expiring'])

  const { body } = await workspace.post(`/payments/${held.id}/capture`)
  expect(body.status).toBe('succeeded')
})
