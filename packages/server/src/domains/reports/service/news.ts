/** What happened since a position of the cursor, in figures. Whoever keeps them and whoever reads them count alike. */
import type { View } from '../../../platform/db/unit-of-work.ts'
import { type CountedSubscription, type Share, type Step, shareOfSubscription } from '../billing.ts'
import type { Cursor } from '../cursor.ts'
import { type Figure, figuresOf, type News, uuidsOf } from '../figures.ts'
import { readNews } from '../store/cursors.ts'
import { readFacts } from '../store/facts.ts'
import { nextSubscriptions, readCampaigns, readShares, readSubscriptions } from '../store/shares.ts'

/** So many events at a time: the unit that counts them is over in a moment. */
export const portion = 1_000

export type DatedStep = Step & { readonly at: Date | null }

export function newsSince(view: View, cursor: Cursor) {
  return readNews(view, cursor, portion)
}

export async function paymentFigures(view: View, news: readonly News[]): Promise<readonly Figure[]> {
  return figuresOf(news, await readFacts(view, news))
}

/** From what each was counted as to what it is now. */
export async function billingSteps(view: View, news: readonly News[]): Promise<readonly DatedStep[]> {
  const about = (prefix: string) => news.filter(({ type }) => type.startsWith(prefix))
  const told = new Map(
    [...about('subscription.'), ...about('dunning_campaign.')].map((one) => [one.objectUuid, one.at]),
  )
  const [subscriptions, campaigns] = await Promise.all([
    readSubscriptions(view, uuidsOf(about('subscription.'))),
    readCampaigns(view, uuidsOf(about('dunning_campaign.'))),
  ])
  return stepsTo(
    view,
    [...subscriptions.map(shareOfSubscription), ...campaigns],
    (uuid) => told.get(uuid) ?? null,
  )
}

/** The same for subscriptions of which the event log may not tell any more. */
export async function walkSubscriptions(view: View, after: string) {
  const ids = await nextSubscriptions(view, after, portion)
  const shares = (await readSubscriptions(view, ids)).map((one: CountedSubscription) =>
    shareOfSubscription(one),
  )
  const walkedTo = ids.length < portion ? null : (ids.at(-1) ?? null)
  return { steps: await stepsTo(view, shares, () => null), walkedTo }
}

async function stepsTo(
  view: View,
  shares: readonly Share[],
  toldAt: (uuid: string) => Date | null,
): Promise<readonly DatedStep[]> {
  const before = await readShares(
    view,
    shares.map(({ uuid }) => uuid),
  )
  return shares.map((after) => ({ before: before.get(after.uuid) ?? null, after, at: toldAt(after.uuid) }))
}
