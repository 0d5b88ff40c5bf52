/** What it takes to pay: a simulator that keeps to itself, tokens, and a customer whose card was kept. */
import { Client } from 'pg'
import { idFromUuid } from '../packages/server/src/kernel/id.ts'

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: object
  readonly key?: string
}

/** Answers the id of the object. Throws unless the answer is a success. */
export type Send = (call: Call) => Promise<string>

/** Test cards by what the simulator does with them. */
export const cards = { good: '4242424242424242', failsAfterCharging: '4000000050030008' } as const

export function newToken(send: Send, number: string = cards.good): Promise<string> {
  const card = { number, exp_month: 12, exp_year: 2030, cvc: '123' }
  return send({ method: 'POST', path: '/tokens', body: { type: 'card', card } })
}

export async function keptCard(send: Send): Promise<string> {
  const customer_id = await send({ method: 'POST', path: '/customers', body: { name: 'Ada Lovelace' } })
  const token = await newToken(send)
  const id = await send({ method: 'POST', path: '/payment-methods', body: { token } })
  return send({ method: 'POST', path: `/payment-methods/${id}/attach`, body: { customer_id } })
}

/** The body of a payment, as a shop would send it. */
export function charge(means: { token: string } | { payment_method_id: string }): object {
  return { amount: 1299, currency: 'eur', description: 'Order 1815', metadata: { order: '1815' }, ...means }
}

/** It tells us what it has answered already: that would be more requests than those that are measured. */
export async function silence(
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
    const answer = await fetch(url, { method: 'PUT', body: JSON.stringify({ webhooks: 'off' }) })
    if (!answer.ok) throw new Error(`The simulator answered ${answer.status} to ${url}.`)
  }
}
