// A webhook endpoint for all events of a drill, and the check that all of them arrived.

import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { until } from '../flows/support/wait.ts'
import { readEventIds } from './database-checks.ts'
import type { DrillInstallation } from './installation.ts'

const defaultPath = '/drill'
const types = ['payment.*', 'refund.*', 'customer.*', 'subscription.*', 'invoice.*'] as const

/** Creates a webhook endpoint that receives all subsequent events of the workspace. */
export async function registerReceiver(
  { sink, address }: DrillInstallation,
  token: string,
  path = defaultPath,
): Promise<void> {
  const client = new Switchyard({ token, baseUrl: address })
  const { id } = await client.webhookEndpoints.create({ url: sink.url(path), event_types: [...types] })
  const { secret } = await client.webhookEndpoints.revealSecret(id)
  await sink.secrets({ [path]: [secret] })
}

export type DeliveryReport = {
  /** The number of distinct events that the receiver accepted, including events that the restore lost. */
  readonly received: number
  readonly repeated: number
  /** Events in the database that did not arrive. */
  readonly missing: readonly string[]
  readonly rejected: readonly string[]
}

/** Waits until all events in the database have arrived at the path, or the timeout is reached. */
export async function waitForDeliveries(
  { sink }: DrillInstallation,
  client: Client,
  withinMs: number,
  path = defaultPath,
): Promise<DeliveryReport> {
  const missing = async () => sink.missing({ paths: [path], eventIds: await readEventIds(client) })
  await until('all events have arrived', async () => (await missing()).count === 0, {
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
    rejected: refusals,
  }
}
