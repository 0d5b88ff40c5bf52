/**
 * Verifies the result of a soak run: no payment, event or delivery is lost or duplicated, and the provider's
 * ledger matches the database.
 */
import type { Client } from 'pg'
import { idFromUuid } from '../../packages/server/src/kernel/id.ts'
import {
  fetchLedger,
  findInconsistencies,
  findLedgerViolations,
  findLostObjects,
  isIdle,
} from '../../packages/server/test/drills/database-checks.ts'
import type { Acknowledged, Kind } from '../../packages/server/test/drills/load-generator.ts'
import { until } from '../../packages/server/test/flows/support/wait.ts'
import { isSubscribed, type SoakInstallation, subscriptions } from './installation.ts'
import type { SoakLoad } from './load.ts'

export type Totals = {
  readonly payments: number
  readonly refunds: number
  readonly renewals: number
  readonly events: number
  readonly deliveries: number
}

export type Verified = { readonly totals: Totals; readonly violations: readonly string[] }

/** The time limit for the installation to finish all accepted work. */
const drainMs = 120_000
const maxExamples = 5

export async function verifyRun(
  installation: SoakInstallation,
  { acknowledged, failures }: Pick<SoakLoad, 'acknowledged' | 'failures'>,
): Promise<Verified> {
  const { owner, bench } = installation
  const unfinished = await waitUntilFinished(owner)
  const lost = await findLostObjects(owner, acknowledged)
  const deliveries = await findDeliveryViolations(installation)
  const totals = { ...(await countTotals(owner)), deliveries: deliveries.received }
  return {
    totals,
    violations: [
      ...unfinished,
      ...shorten(lost.map(({ violation }) => violation)),
      ...findDoubledPayments(totals, acknowledged, failures.length),
      ...(await findInconsistencies(owner)),
      ...shorten(await findLedgerViolations(owner, await fetchLedger(bench.simulator.url, owner))),
      ...deliveries.violations,
    ],
  }
}

async function waitUntilFinished(owner: Client): Promise<string[]> {
  const isFinished = async () => {
    const { rows } = await owner.query(
      "select count(*)::int as count from deliveries where state = 'pending'",
    )
    return rows[0].count === 0 && (await isIdle(owner))
  }
  return until('no operation is open and no delivery is pending', isFinished, {
    withinMs: drainMs,
    everyMs: 500,
  }).then(
    () => [],
    (error: Error) => [error.message],
  )
}

async function countTotals(owner: Client): Promise<Omit<Totals, 'deliveries'>> {
  const { rows } = await owner.query(`
    select (select count(*)::int from payments where purpose = 'payment' and invoice_id is null) as payments,
      (select count(*)::int from payments where invoice_id is not null) as renewals,
      (select count(*)::int from refunds) as refunds,
      (select count(*)::int from events where fan_out > 0) as events`)
  return rows[0]
}

/** Each request has its own idempotency key. A failed request may or may not have been processed. */
export function findDoubledPayments(
  { payments, refunds }: Pick<Totals, 'payments' | 'refunds'>,
  acknowledged: readonly Pick<Acknowledged, 'kind' | 'id'>[],
  failed: number,
): string[] {
  const compare = (kind: Kind, found: number) => {
    const expected = new Set(acknowledged.filter((object) => object.kind === kind).map(({ id }) => id)).size
    if (found >= expected && found <= expected + failed) return []
    return [`There are ${found} objects of kind ${kind}; ${expected} were acknowledged and ${failed} failed.`]
  }
  return [...compare('payment', payments), ...compare('refund', refunds)]
}

/** Without faults, no delivery may be repeated. */
async function findDeliveryViolations({ owner, sink, webhooks }: SoakInstallation) {
  const { rows } = await owner.query<{ id: string; type: string }>(
    'select id, type from events where fan_out > 0',
  )
  const { paths, refusals } = await sink.summary()
  const violations: string[] = [...refusals]
  let received = 0
  for (const [index, { path }] of webhooks.endpoints.entries()) {
    const expected = rows
      .filter(({ type }) => isSubscribed(subscriptions[index] ?? [], type))
      .map(({ id }) => idFromUuid('event', 'test', id))
    const { count, examples } = await sink.missing({ paths: [path], eventIds: expected })
    const tally = paths[path] ?? { receipts: 0, received: 0, requests: 0 }
    received += tally.received
    if (count > 0) violations.push(`${count} deliveries did not arrive: ${examples.join(', ')}`)
    if (tally.received > expected.length - count)
      violations.push(`${path} received ${tally.received} events; ${expected.length} were addressed to it.`)
    if (tally.receipts > tally.received)
      violations.push(`${path} received ${tally.receipts - tally.received} deliveries more than once.`)
  }
  return { received, violations }
}

function shorten(violations: readonly string[]): string[] {
  const rest = violations.length - maxExamples
  return [...violations.slice(0, maxExamples), ...(rest > 0 ? [`and ${rest} more`] : [])]
}
