/** The year of a subscription: its invoices, failures and retries. */

import type { DunningCampaign, Event, Invoice, Subscription } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { countText } from '../../../format/text.ts'
import { dayMs } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { TimelineChart, type TimelineNode } from '../../../timeline/timeline-chart.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { retryCount } from '../dunning/campaign-text.ts'
import { yearTimeline } from './year-timeline.ts'

type History = {
  readonly invoices: readonly Invoice[]
  readonly campaigns: readonly DunningCampaign[]
  readonly events: readonly Event[]
}

/** The maximum number of invoices, campaigns and events: enough for two years of weekly invoices. */
const maxObjects = 100
/** Gaps are not shortened, so that all months are to scale. */
const maxGapMs = 800 * dayMs

/** `clockTime` is the time of the test clock, if any: the history is refetched when it advances. */
function useHistory({ id, updated_at }: Subscription, clockTime: string) {
  return useObject<History>(['subscription', id, 'year', updated_at, clockTime], async (api) => {
    const [invoices, campaigns, events] = await Promise.all([
      api.invoices.list({ subscription_id: id }).all({ max: maxObjects }),
      api.dunningCampaigns.list({ subscription_id: id }).all({ max: maxObjects }),
      api.events.list({ object_id: id }).all({ max: maxObjects }),
    ])
    return { invoices, campaigns, events }
  })
}

type YearProps = { subscription: Subscription; title?: string; clockTime?: string }

export function Year({ subscription, title = 'Year', clockTime = '' }: YearProps) {
  const history = useHistory(subscription, clockTime)
  if (history.data === undefined)
    return (
      <Panel title={title}>
        <Loaded query={history}>{() => null}</Loaded>
      </Panel>
    )
  return (
    <TimelineChart
      {...yearTimeline({ subscription, ...history.data })}
      label={`Year of ${subscription.id}`}
      title={title}
      note={summaryOf(history.data)}
      axis="date"
      maxGapMs={maxGapMs}
      name={`at-${subscription.id.slice(-4)}`}
      detail={(node) => <Detail node={node} />}
    />
  )
}

/** The id of a node starts with the id of its object. */
function Detail({ node }: { node: TimelineNode }) {
  const [id = null] = node.id.split(' ')
  return <ObjectLink id={id} />
}

function summaryOf({ invoices, campaigns }: History): string {
  const paid = invoices.filter(({ status }) => status === 'paid').length
  const retries = campaigns.reduce((sum, campaign) => sum + retryCount(campaign), 0)
  return `${countText(invoices.length, 'invoice')}, ${paid} paid · ${countText(retries, 'retry', 'retries')}`
}
