// An endpoint for everything a drill is told of, and whether all of it arrived.

import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { until } from '../flows/support/wait.ts'
import { eventIdsOf } from './books.ts'
import type { House } from './house.ts'

const path = '/drill'
const types = ['payment.*', 'refund.*', 'customer.*', 'subscription.*', 'invoice.*'] as const

/** From now on. Whatever is told before has no receiver. */
export async function addReceiver({ sink, address }: House, token: string): Promise<void> {
  const client = new Switchyard({ token, baseUrl: address })
  const { id } = await client.webhookEndpoints.create({ url: sink.url(path), event_types: [...types] })
  const { secret } = await client.webhookEndpoints.revealSecret(id)
  await sink.secrets({ [path]: [secret] })
}

export type Arrived = {
  /** Events that the receiver has taken, also those that the database does not know any more. */
  readonly received: number
  readonly repeated: number
  /** Events of the database that did not arrive. */
  readonly missing: readonly string[]
  readonly refused: readonly string[]
}

/** Waits until everything in the database has arrived, or the time is over. */
export async function allArrived({ sink }: House, client: Client, withinMs: number): Promise<Arrived> {
  const missing = async () => sink.missing({ paths: [path], eventIds: await eventIdsOf(client) })
  await until('all has arrived', async () => (await missing()).count === 0, {
    withinMs,
    everyMs: 250,
  }).catch(() => {})
  const { paths, refusals } = await sink.summary()
  const { receipts = 0, received = 0 } = paths[path] ?? {}
  const { count, examples } = await missing()
  return {
    received,
    repeated: receipts - received,
    missing: count === 0 ? [] : [`${count} events did not arrive: ${examples.join(', ')}`],
    refused: refusals,
  }
}
