/** The year of a subscription on one screen: what was billed, what failed and what came of it. */

import type { DunningCampaign, Event, Invoice, Subscription } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { dayMs } from '../../../format/time.ts'
import { counted } from '../../../format/words.ts'
import { Line, type LineNode } from '../../../line/line.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { triesOf } from '../dunning/words.ts'
import { yearOf } from './year-story.ts'

type History = {
  readonly invoices: readonly Invoice[]
  readonly campaigns: readonly DunningCampaign[]
  readonly events: readonly Event[]
}

/** Two years of weekly invoices, or eight of monthly ones. */
const most = 100
/** No gap of a year shrinks: months should look as long as they are. */
const quietMs = 800 * dayMs

/** `at` is the time of the test clock, if it lives on one: with it the past grows. */
function useHistory({ id, updated_at }: Subscription, at: string) {
  return useObject<History>(['subscription', id, 'year', updated_at, at], async (api) => {
    const [invoices, campaigns, events] = await Promise.all([
      api.invoices.list({ subscription_id: id }).all({ max: most }),
      api.dunningCampaigns.list({ subscription_id: id }).all({ max: most }),
      api.events.list({ object_id: id }).all({ max: most }),
    ])
    return { invoices, campaigns, events }
  })
}

type YearProps = { subscription: Subscription; title?: string; at?: string }

export function Year({ subscription, title = 'Year', at = '' }: YearProps) {
  const history = useHistory(subscription, at)
  if (history.data === undefined)
    return (
      <Panel title={title}>
        <Loaded of={history}>{() => null}</Loaded>
      </Panel>
    )
  return (
    <Line
      {...yearOf({ subscription, ...history.data })}
      label={`The year of ${subscription.id}`}
      title={title}
      note={summaryOf(history.data)}
      axis="date"
      quietMs={quietMs}
      name={`at-${subscription.id.slice(-4)}`}
      detail={(node) => <Detail node={node} />}
    />
  )
}

/** The id of a node begins with that of what it is about. */
function Detail({ node }: { node: LineNode }) {
  const [id = null] = node.id.split(' ')
  return <ObjectLink id={id} />
}

function summaryOf({ invoices, campaigns }: History): string {
  const paid = invoices.filter(({ status }) => status === 'paid').length
  const retries = campaigns.reduce((sum, campaign) => sum + triesOf(campaign), 0)
  return `${counted(invoices.length, 'invoice')}, ${paid} paid · ${counted(retries, 'retry', 'retries')}`
}
