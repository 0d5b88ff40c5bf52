// Payments to look at, made through the front door.

import { expect } from 'vitest'
import { typed } from '../../../support/cards.ts'
import { cards } from '../../../support/checkout.ts'
import type { Workspace } from '../../../support/switchyard.ts'

export async function pay(workspace: Workspace, number: string = cards.good, members: object = {}) {
  const { body: token } = await workspace.post('/tokens', { type: 'card', card: { ...typed, number } })
  const wish = { amount: 12_900, currency: 'eur', token: token.id, ...members }
  const { body } = await workspace.post('/payments', wish)
  // A decline is an error to its caller, and names the payment.
  const id = body.object === 'payment' ? body.id : body.resource_id
  expect(id, JSON.stringify(body)).toBeDefined()
  return (await workspace.get(`/payments/${id}`)).body
}
