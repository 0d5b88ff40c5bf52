// Creates payment methods through the API. Requires the simulator.

import { expect } from 'vitest'
import type { Workspace } from './switchyard.ts'

/** Test cards by behaviour. */
export const cards = {
  approved: '4242424242424242',
  declined: '4000000000510000',
  noResponse: '4000000050040007',
  requiresAuthentication: '4000000030000006',
} as const

/** Short timeouts, so that tests do not wait long for a provider that does not respond. */
export const shortTimeouts = { limits: { providerMs: 1_500, requestMs: 10_000 } }

export async function createToken({ post }: Workspace, number: string = cards.approved): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await post('/tokens', { type: 'card', card })).body.id
}

export async function createMethod(
  workspace: Workspace,
  number: string = cards.approved,
  members: object = {},
) {
  return workspace.post('/payment-methods', { token: await createToken(workspace, number), ...members })
}

export async function createAuthorizedMethod(workspace: Workspace): Promise<string> {
  const { status, body } = await createMethod(workspace)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

export async function createAttachedMethod(
  workspace: Workspace,
  customer_id: string,
  members: object = {},
): Promise<string> {
  const { body } = await createMethod(workspace, cards.approved, members)
  const attached = await workspace.post(`/payment-methods/${body.id}/attach`, { customer_id })
  expect(attached.status, JSON.stringify(attached.body)).toBe(200)
  return body.id
}

export const eventTypesOf = async ({ eventsOf }: Workspace, id: string): Promise<string[]> =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)
