// Creates payments through the API.

import { expect } from 'vitest'
import { cardInput } from '../../../support/cards.ts'
import { cards } from '../../../support/checkout.ts'
import type { Workspace } from '../../../support/switchyard.ts'

export async function pay(workspace: Workspace, number: string = cards.approved, members: object = {}) {
  const { body: token } = await workspace.post('/tokens', { type: 'card', card: { ...cardInput, number } })
  const input = { amount: 12_900, currency: 'eur', token: token.id, ...members }
  const { body } = await workspace.post('/payments', input)
  // The error response for a decline contains the id of the payment.
  const id = body.object === 'payment' ? body.id : body.resource_id
  expect(id, JSON.stringify(body)).toBeDefined()
  return (await workspace.get(`/payments/${id}`)).body
}
