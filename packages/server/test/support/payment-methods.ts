// Payment methods through the front door, for tests. The simulator has to run.

import { expect } from 'vitest'
import type { Workspace } from './switchyard.ts'

/** Test cards by what they do. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000510000',
  silentAfterCharging: '4000000050040007',
  asksThePayer: '4000000030000006',
} as const

/** A provider that is silent is waited for a moment, not for a minute. */
export const impatient = { limits: { providerMs: 1_500, requestMs: 10_000 } }

export async function aToken({ post }: Workspace, number: string = cards.good): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await post('/tokens', { type: 'card', card })).body.id
}

export async function createMethod(workspace: Workspace, number: string = cards.good, members: object = {}) {
  return workspace.post('/payment-methods', { token: await aToken(workspace, number), ...members })
}

export async function anAuthorized(workspace: Workspace): Promise<string> {
  const { status, body } = await createMethod(workspace)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

export async function anAttached(
  workspace: Workspace,
  customer_id: string,
  members: object = {},
): Promise<string> {
  const { body } = await createMethod(workspace, cards.good, members)
  const attached = await workspace.post(`/payment-methods/${body.id}/attach`, { customer_id })
  expect(attached.status, JSON.stringify(attached.body)).toBe(200)
  return body.id
}

export const typesOf = async ({ eventsOf }: Workspace, id: string): Promise<string[]> =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)
