/** What tenants would notice first: receivers that fail, secrets that end, and books that do not add up. */
import { randomUUID } from 'node:crypto'
import { modeOf } from '../kernel/id.ts'
import type { Databases, Shard } from '../platform/db/databases.ts'
import {
  bookFacts,
  endingTokens,
  failingEndpoints,
  someWorkspaces,
  unsignedEndpoints,
  workspacesWithEndingTokens,
} from '../platform/db/inspect-tenants.ts'
import { fewAtOnce } from '../platform/few-at-once.ts'
import { type Check, fail, instantOf, ok, warn } from './check.ts'

/** The pool is that of requests, and a look must leave it to them. */
const transactionsAtOnce = 3

const inAll = async <T>({ shards }: Databases, ask: (shard: Shard) => Promise<readonly T[]>) =>
  (await Promise.all(shards.map(ask))).flat()

const endpoints: Check = {
  id: 'endpoints',
  title: 'Webhook endpoints',
  async look({ databases }) {
    const failing = await inAll(databases, (shard) => shard.as('switchyard_delivery', failingEndpoints))
    if (failing.length === 0) return ok('Every enabled one took what it was sent last.')
    return warn(
      `${failing.length} enabled ${failing.length === 1 ? 'one does' : 'ones do'} not take what is sent.`,
      'Look at the attempts of their deliveries: they say whether the name, the connection, TLS or the answer failed. Tell whoever runs the receiver, or disable the endpoint.',
      failing,
    )
  },
}

const dayMs = 86_400_000

const secrets: Check = {
  id: 'secrets',
  title: 'Secrets that end',
  async look({ databases, clock }) {
    const now = instantOf(clock)
    const unsigned = await inAll(databases, (shard) =>
      shard.as('switchyard_delivery', (db) => unsignedEndpoints(db, now)),
    )
    if (unsigned.length > 0)
      return fail(
        `${unsigned.length} enabled webhook endpoints have no secret that has not expired, so nothing can be signed.`,
        'Rotate the secret of each: POST /webhook-endpoints/{id}/rotate_secret.',
        unsigned,
      )
    const ending = await inAll(databases, (shard) => endingTokensOf(shard, now))
    if (ending.length === 0) return ok('None that is in use ends within a week.')
    return warn(
      `${ending.length} API ${ending.length === 1 ? 'token that was' : 'tokens that were'} used today ${ending.length === 1 ? 'expires' : 'expire'} within a week.`,
      'Make a new token, give it to whoever uses the old one, and see that the old one is not used any more.',
      ending,
    )
  },
}

async function endingTokensOf(shard: Shard, now: Date) {
  const before = new Date(now.getTime() + 7 * dayMs)
  const usedSince = new Date(now.getTime() - dayMs)
  const workspaces = await shard.as('switchyard_due', (db) => workspacesWithEndingTokens(db, now, before))
  const found = await fewAtOnce(transactionsAtOnce, workspaces, (id) =>
    shard.inWorkspace(id, (db) => endingTokens(db, id, modeOf(id), { now, before, usedSince })),
  )
  return found.flat()
}

const [workspacesDrawn, paymentsOfEach] = [10, 200]

const books: Check = {
  id: 'books',
  title: 'Books',
  async look({ databases, clock }) {
    const wanted = { now: instantOf(clock), count: paymentsOfEach }
    const found = await inAll(databases, async (shard) => {
      const some = await shard.as('switchyard_due', (db) => someWorkspaces(db, randomUUID(), workspacesDrawn))
      return fewAtOnce(transactionsAtOnce, some, (id) =>
        shard.inWorkspace(id, (db) => bookFacts(db, id, modeOf(id), wanted)),
      )
    })
    const unbalanced = found.flatMap((one) => one.unbalanced)
    const untold = found.flatMap((one) => one.untold)
    const advice =
      'Somebody changed rows by hand, or a backup was restored in part. Stop writing to these tables, and compare them with the last backup and with the provider.'
    if (unbalanced.length > 0)
      return fail(`The refunds of ${unbalanced.length} payments do not add up.`, advice, unbalanced)
    if (untold.length > 0)
      return fail(`${untold.length} payments have changes without an event, or a gap.`, advice, untold)
    const looked = found.reduce((sum, one) => sum + one.looked, 0)
    return ok(`${looked} payments of ${found.length} workspaces add up. Each look takes others.`)
  },
}

export const tenantChecks = [endpoints, secrets, books]
