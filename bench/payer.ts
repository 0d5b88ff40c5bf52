/** Functions that prepare payments: disable simulator webhooks, create card tokens and saved cards. */
import { Client } from 'pg'
import { idFromUuid } from '../packages/server/src/kernel/id.ts'

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
  readonly key?: string
}

/** Returns the id of the object. Throws unless the response is a success. */
export type Send = (call: Call) => Promise<string>

/** Test cards by outcome. */
export const cards = { good: '4242424242424242', failsAfterCharging: '4000000050030008' } as const

export function newToken(send: Send, number: string = cards.good): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return send({ method: 'POST', path: '/tokens', body: { type: 'card', card } })
}

export async function createSavedCard(send: Send): Promise<string> {
  const customer_id = await send({ method: 'POST', path: '/customers', body: { name: 'Ada Lovelace' } })
  const token = await newToken(send)
  const id = await send({ method: 'POST', path: '/payment-methods', body: { token } })
  return send({ method: 'POST', path: `/payment-methods/${id}/attach`, body: { customer_id } })
}

/** A typical request body of a payment. */
export function charge(source: { token: string } | { payment_method_id: string }): object {
  return { amount: 1299, currency: 'eur', description: 'Order 1815', metadata: { order: '1815' }, ...source }
}

/** Turns off the simulator's webhooks, because their requests would distort the measurement. */
export async function disableSimulatorWebhooks(
  simulatorUrl: string,
  databaseUrl: string,
  workspaceUuid: string,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select id from provider_accounts where workspace_id = $1', [
    workspaceUuid,
  ])
  await client.end()
  for (const { id } of rows) {
    const url = `${simulatorUrl}/control/${idFromUuid('provider_account', 'test', id)}/config`
    const response = await fetch(url, { method: 'PUT', body: JSON.stringify({ webhooks: 'off' }) })
    if (!response.ok) throw new Error(`The simulator responded with ${response.status} to ${url}.`)
  }
}
