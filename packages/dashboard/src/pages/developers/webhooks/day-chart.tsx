/** The deliveries of a day by what became of them. */
import type { Delivery } from '@switchyard/sdk'
import { lookAtMost } from '../../../api/latest.ts'
import { StackedBars } from '../../../charts/bars.tsx'
import { clockText } from '../../../format/time.ts'
import { Panel } from '../../../ui/panel.tsx'
import { dayOf } from './failures.ts'

const series = [
  { name: 'delivered at first try', color: 'ink2' },
  { name: 'delivered by a later attempt', color: 'caution-solid' },
  { name: 'on the way', color: 'lock' },
  { name: 'not delivered', color: 'danger-solid' },
] as const

export function DayChart({ day }: { day: readonly Delivery[] }) {
  const bars = dayOf(day, Date.now()).map(({ startMs, values }) => ({
    label: clockText(startMs).slice(0, 5),
    values,
  }))
  return (
    <Panel title="Deliveries, 24 hours" beside={day.length === lookAtMost && <>the latest 1,000</>}>
      <StackedBars label="Deliveries of the last 24 hours" series={series} bars={bars} />
    </Panel>
  )
}
