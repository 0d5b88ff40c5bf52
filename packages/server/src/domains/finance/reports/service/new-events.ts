/**
 * Computes figures from the events since a cursor. Used by the counting work and by reports, so that they
 * agree.
 */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import {
  type Contribution,
  type ContributionChange,
  type CountedSubscription,
  subscriptionContribution,
} from '../billing.ts'
import type { Cursor } from '../cursor.ts'
import { type Figure, figuresOfEvents, type NewEvent, objectUuids } from '../figures.ts'
import {
  idsOnTestClocks,
  nextSubscriptions,
  readCampaigns,
  readContributions,
  readSubscriptions,
} from '../store/contributions.ts'
import { readCountedObjects } from '../store/counted-objects.ts'
import { readEventRows, readTestClockEventRows } from '../store/cursors.ts'

/** Events per transaction, so that each transaction is short. */
export const batchSize = 1_000

/** The maximum number of events, subscriptions and campaigns of test clocks that a report reads. */
const maxOnTestClocks = 10_000

export type DatedChange = ContributionChange & { readonly at: Date | null }

export function readNewEvents(view: View, cursor: Cursor) {
  return readEventRows(view, cursor, batchSize)
}

export async function paymentFigures(view: View, events: readonly NewEvent[]): Promise<readonly Figure[]> {
  return figuresOfEvents(events, await readCountedObjects(view, events))
}

/** No figures are stored for test clocks, so this reads their events. */
export async function testClockFigures(
  view: View,
  period: { readonly from: Date; readonly to: Date },
): Promise<readonly Figure[]> {
  return paymentFigures(view, await readTestClockEventRows(view, period, maxOnTestClocks))
}

/** The current state of subscriptions and campaigns on test clocks. */
export async function testClockChanges(view: View, at: Date): Promise<readonly DatedChange[]> {
  const [subscriptionIds, campaignIds] = await Promise.all([
    idsOnTestClocks(view, 'subscriptions', maxOnTestClocks),
    idsOnTestClocks(view, 'dunning_campaigns', maxOnTestClocks),
  ])
  const [subscriptions, campaigns] = await Promise.all([
    readSubscriptions(view, subscriptionIds),
    readCampaigns(view, campaignIds),
  ])
  return [...subscriptions.map(subscriptionContribution), ...campaigns].map((after) => ({
    before: null,
    after,
    at,
  }))
}

/** The stored and the current contribution of each object that the events refer to. */
export async function billingChanges(
  view: View,
  events: readonly NewEvent[],
): Promise<readonly DatedChange[]> {
  const eventsOf = (prefix: string) => events.filter(({ type }) => type.startsWith(prefix))
  const eventTimes = new Map(
    [...eventsOf('subscription.'), ...eventsOf('dunning_campaign.')].map((event) => [
      event.objectUuid,
      event.at,
    ]),
  )
  const [subscriptions, campaigns] = await Promise.all([
    readSubscriptions(view, objectUuids(eventsOf('subscription.'))),
    readCampaigns(view, objectUuids(eventsOf('dunning_campaign.'))),
  ])
  return changesTo(
    view,
    [...subscriptions.map(subscriptionContribution), ...campaigns],
    (uuid) => eventTimes.get(uuid) ?? null,
  )
}

/** The stored and the current contributions of the next batch of subscriptions. Their events may be deleted. */
export async function readBackfill(view: View, after: string) {
  const ids = await nextSubscriptions(view, after, batchSize)
  const contributions = (await readSubscriptions(view, ids)).map((subscription: CountedSubscription) =>
    subscriptionContribution(subscription),
  )
  const backfilledTo = ids.length < batchSize ? null : (ids.at(-1) ?? null)
  return { changes: await changesTo(view, contributions, () => null), backfilledTo }
}

async function changesTo(
  view: View,
  contributions: readonly Contribution[],
  changedAt: (uuid: string) => Date | null,
): Promise<readonly DatedChange[]> {
  const before = await readContributions(
    view,
    contributions.map(({ uuid }) => uuid),
  )
  return contributions.map((after) => ({
    before: before.get(after.uuid) ?? null,
    after,
    at: changedAt(after.uuid),
  }))
}
