/**
 * Problems that tenants would notice first: failing webhook endpoints, expiring secrets, and inconsistent
 * amounts.
 */
import { randomUUID } from 'node:crypto'
import { modeOf } from '../kernel/id.ts'
import type { Databases, Shard } from '../platform/db/databases.ts'
import {
  expiringTokens,
  failingEndpoints,
  paymentRecordFacts,
  sampleWorkspaces,
  unsignedEndpoints,
  workspacesWithExpiringTokens,
} from '../platform/db/inspect-tenants.ts'
import { mapConcurrently } from '../platform/map-concurrently.ts'
import { type Check, fail, instantOf, ok, warn } from './check.ts'

/** The check uses the connection pool of requests, so it takes only a few connections. */
const maxTransactions = 3

const inAllShards = async <T>({ shards }: Databases, read: (shard: Shard) => Promise<readonly T[]>) =>
  (await Promise.all(shards.map(read))).flat()

const endpoints: Check = {
  id: 'endpoints',
  title: 'Webhook endpoints',
  async run({ databases }) {
    const failing = await inAllShards(databases, (shard) => shard.as('switchyard_delivery', failingEndpoints))
    if (failing.length === 0) return ok('The last delivery to every enabled endpoint succeeded.')
    return warn(
      `${failing.length} enabled ${failing.length === 1 ? 'endpoint is' : 'endpoints are'} failing.`,
      'Check the delivery attempts: they show whether DNS, the connection, TLS or the response failed. Contact the owner of the receiver, or disable the endpoint.',
      failing,
    )
  },
}

const dayMs = 86_400_000

const secrets: Check = {
  id: 'secrets',
  title: 'Expiring secrets',
  async run({ databases, clock }) {
    const now = instantOf(clock)
    const unsigned = await inAllShards(databases, (shard) =>
      shard.as('switchyard_delivery', (db) => unsignedEndpoints(db, now)),
    )
    if (unsigned.length > 0)
      return fail(
        `${countText(unsigned.length, 'enabled webhook endpoint')} without a valid secret, so deliveries cannot be signed.`,
        'Rotate the secret of each: POST /webhook-endpoints/{id}/rotate_secret.',
        unsigned,
      )
    const expiring = await inAllShards(databases, (shard) => expiringTokensOf(shard, now))
    if (expiring.length === 0) return ok('No secret in use expires within a week.')
    return warn(
      `${expiring.length} API ${expiring.length === 1 ? 'token' : 'tokens'} used today ${expiring.length === 1 ? 'expires' : 'expire'} within a week.`,
      'Create a new token, hand it to the user of the old one, and check that the old one is no longer used.',
      expiring,
    )
  },
}

async function expiringTokensOf(shard: Shard, now: Date) {
  const before = new Date(now.getTime() + 7 * dayMs)
  const usedSince = new Date(now.getTime() - dayMs)
  const workspaces = await shard.as('switchyard_due', (db) => workspacesWithExpiringTokens(db, now, before))
  const tokens = await mapConcurrently(maxTransactions, workspaces, (id) =>
    shard.inWorkspace(id, (db) => expiringTokens(db, id, modeOf(id), { now, before, usedSince })),
  )
  return tokens.flat()
}

const [sampledWorkspaces, paymentsPerWorkspace] = [10, 200]

const paymentRecords: Check = {
  id: 'books',
  title: 'Payment records',
  async run({ databases, clock }) {
    const sample = { now: instantOf(clock), count: paymentsPerWorkspace }
    const results = await inAllShards(databases, async (shard) => {
      const workspaces = await shard.as('switchyard_due', (db) =>
        sampleWorkspaces(db, randomUUID(), sampledWorkspaces),
      )
      return mapConcurrently(maxTransactions, workspaces, (id) =>
        shard.inWorkspace(id, (db) => paymentRecordFacts(db, id, modeOf(id), sample)),
      )
    })
    const unbalanced = results.flatMap((result) => result.unbalanced)
    const withoutEvent = results.flatMap((result) => result.withoutEvent)
    const advice =
      'Rows were changed manually, or a backup was restored partially. Stop writing to these tables, and compare them with the last backup and with the provider.'
    if (unbalanced.length > 0)
      return fail(`The refunds of ${paymentsText(unbalanced.length)} do not add up.`, advice, unbalanced)
    if (withoutEvent.length > 0)
      return fail(
        `${paymentsText(withoutEvent.length)} with changes but no event, or with a gap in the event sequence.`,
        advice,
        withoutEvent,
      )
    const checked = results.reduce((sum, result) => sum + result.checked, 0)
    return ok(
      `No errors in ${paymentsText(checked)} of ${countText(results.length, 'workspace')}. Each run checks a different sample.`,
    )
  },
}

const countText = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`
const paymentsText = (count: number) => countText(count, 'payment')

export const tenantChecks = [endpoints, secrets, paymentRecords]
