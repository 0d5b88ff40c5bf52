// A server for tests of subscriptions, and subscriptions that are created through the API.

import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { workTypes } from '../../src/work-types.ts'
import { billingForThisFile } from './billing.ts'
import { inTransaction } from './invoices.ts'
import { asOwner } from './owner.ts'
import { settleThisTest } from './settle.ts'
import type { Workspace } from './switchyard.ts'

/** A server on which the work of subscriptions and dunning also runs. */
export async function subscriptionsForThisFile() {
  const billing = await billingForThisFile()
  const settle = () => settleThisTest(billing.deps)
  return {
    ...billing,
    settle,
    /** Runs only the work with these names, so that a test can stop between two commits. */
    settleOnly: (...names: readonly string[]) =>
      settleThisTest(
        billing.deps,
        workTypes.filter(({ name }) => names.includes(name)),
      ),
    /**
     * Locks an invoice, starts both actions so that they wait for the lock in this order, and releases it.
     * Everything that the second action reads without a lock is therefore read before the first action has
     * written anything.
     */
    async inOrder(
      { workspaceId, invoiceId }: { readonly workspaceId: string; readonly invoiceId: string },
      first: () => Promise<unknown>,
      second: () => Promise<unknown>,
    ): Promise<void> {
      const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const lockHolder = inTransaction(billing.deps, workspaceId, async (tx) => {
        await sql`select from invoices where id = ${uuidOf(invoiceId as Id<'invoice'>)} for update`.execute(
          tx.db,
        )
        locked.resolve()
        await released.promise
      })
      await locked.promise
      const started: Promise<unknown>[] = []
      for (const start of [first, second]) {
        started.push(start())
        await waitForLockWaiters(billing.databaseUrl, started.length)
      }
      released.resolve()
      await Promise.all([lockHolder, ...started])
    },
    /** Advances the clocks of the server and the simulator, and runs due work. */
    async advanceTime(rounds = 4): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        await billing.advanceTime(1)
        await settle()
      }
    },
  }
}

/** Waits until `expected` connections to the database wait for a lock. */
function waitForLockWaiters(databaseUrl: string, expected: number): Promise<void> {
  const countWaiting = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return asOwner(databaseUrl, (client) =>
    vi.waitFor(async () => expect((await client.query(countWaiting)).rows).toEqual([{ waiting: expected }]), {
      timeout: 20_000,
      interval: 10,
    }),
  )
}

export async function aPrice({ post }: Workspace, members: object = {}): Promise<string> {
  const { body: product } = await post('/products', { name: 'Team plan' })
  const price = {
    product_id: product.id,
    currency: 'usd',
    unit_amount: 2999,
    recurring: { interval: 'month' },
    ...members,
  }
  const { status, body } = await post('/prices', price)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

/**
 * Creates a subscription, by default with a monthly price. It waits for its first payment until due work has
 * run.
 */
export async function aSubscription(workspace: Workspace, members: object = {}) {
  const customer_id =
    'customer_id' in members ? members.customer_id : await workspace.aCustomer({ email: 'ada@example.com' })
  const items = 'items' in members ? members.items : [{ price_id: await aPrice(workspace) }]
  const { status, body } = await workspace.post('/subscriptions', { ...members, customer_id, items })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
