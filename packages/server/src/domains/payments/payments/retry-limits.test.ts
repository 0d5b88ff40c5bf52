// The retry limit of a saved card in test mode, and the failure of a payment that exceeds it.

import { expect, test } from 'vitest'
import { createAttachedMethod, createToken } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

/** Charges a saved card off-session, as dunning does. */
const charge = (workspace: Workspace, payment_method_id: string, simulate: string) =>
  chargeWith(workspace, { payment_method_id }, simulate)

/** Charges off-session with these members. */
async function chargeWith({ post, get }: Workspace, members: object, simulate: string) {
  const order = { amount: 1299, currency: 'eur', initiator: 'merchant', metadata: { simulate }, ...members }
  const { body } = await post('/payments', order)
  return (await get(`/payments/${body.resource_id ?? body.id}`)).body
}

test('a payment with a card at its retry limit fails without an attempt; another customer can still pay with that card', async () => {
  const workspace = await switchyard.newWorkspace()
  const first = await createAttachedMethod(workspace, await workspace.aCustomer())
  for (let nth = 0; nth < 4; nth += 1)
    expect((await charge(workspace, first, 'decline:51')).failure.code).toBe('insufficient_funds')

  const limited = await charge(workspace, first, 'approve')
  const second = await createAttachedMethod(workspace, await workspace.aCustomer())
  const other = await charge(workspace, second, 'approve')

  expect(limited).toMatchObject({
    status: 'failed',
    failure: {
      code: 'retry_limit_reached',
      advice_code: 'card_limit',
      message: 'This card was declined too often, so we did not contact your bank again. Use another card.',
    },
    summary:
      'Payment failed: Visa •••• 4242 has reached its retry limit, so no request was sent to the bank.',
  })
  expect(await ledger.fetchTotals(limited.id)).toMatchObject({ approvals: 0 })
  expect(other).toMatchObject({ status: 'succeeded', amount_captured: 1299 })
})

test('payments with a card token are counted per customer', async () => {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await workspace.aCustomer(), await workspace.aCustomer()]
  const chargeToken = async (customer_id: string, simulate: string) =>
    chargeWith(workspace, { customer_id, token: await createToken(workspace) }, simulate)
  for (let nth = 0; nth < 4; nth += 1)
    expect((await chargeToken(first, 'decline:51')).failure.code).toBe('insufficient_funds')

  expect((await chargeToken(first, 'approve')).failure?.code).toBe('retry_limit_reached')
  expect((await chargeToken(second, 'approve')).status).toBe('succeeded')
})

test('after an approval the count restarts, even if declines and approval have the same timestamp', async () => {
  const workspace = await switchyard.newWorkspace()
  const method = await createAttachedMethod(workspace, await workspace.aCustomer())
  const codes: (string | undefined)[] = []
  // The clock does not advance during this test.
  for (const scenario of [
    'decline:51',
    'approve',
    'decline:51',
    'decline:51',
    'decline:51',
    'decline:51',
    'approve',
  ])
    codes.push((await charge(workspace, method, scenario)).failure?.code)

  const declined = 'insufficient_funds'
  expect(codes).toEqual([declined, undefined, declined, declined, declined, declined, 'retry_limit_reached'])
})
