import type { Meter } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { aggregationText } from './meter-text.ts'
import { UsageAlerts } from './usage-alerts.tsx'
import { UsageReport } from './usage-report.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['meter', id], (api, signal) => api.meters.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Meter">
      {(meter) => (
        <>
          <PageHead crumbs={[{ text: 'Meters', to: '/meters' }, { text: meter.id }]} title={meter.event_name}>
            <Sentence>{`${aggregationText(meter)} of the events ${meter.event_name}.`}</Sentence>
          </PageHead>
          <Columns
            main={
              <>
                <UsageReport meter={meter} />
                <UsageAlerts meter={meter} />
              </>
            }
            side={<Details meter={meter} />}
          />
        </>
      )}
    </PageLoaded>
  )
}

function Details({ meter }: { meter: Meter }) {
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['ID', <Id key="id" id={meter.id} />],
          ['Event name', <code key="name">{meter.event_name}</code>],
          ['Usage', aggregationText(meter)],
          ['Dimensions', meter.dimensions.join(', ') || 'None'],
          ['Created', <Time key="created" at={meter.created_at} exact />],
        ]}
      />
    </Panel>
  )
}
