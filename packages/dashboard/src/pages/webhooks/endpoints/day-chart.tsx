/** The deliveries of a day by outcome. */
import type { Delivery } from '@switchyard/sdk'
import { maxLatest } from '../../../api/latest.ts'
import { StackedBars } from '../../../charts/bars.tsx'
import { timeText } from '../../../format/time.ts'
import { Panel } from '../../../ui/panel.tsx'
import { halfHoursOf } from './failures.ts'

const series = [
  { name: 'delivered on first attempt', color: 'ink2' },
  { name: 'delivered after a retry', color: 'warning-solid' },
  { name: 'pending', color: 'info' },
  { name: 'not delivered', color: 'danger-solid' },
] as const

export function DayChart({ day }: { day: readonly Delivery[] }) {
  const bars = halfHoursOf(day, Date.now()).map(({ startMs, values }) => ({
    label: timeText(startMs).slice(0, 5),
    values,
  }))
  return (
    <Panel title="Deliveries, 24 hours" titleExtra={day.length === maxLatest && <>the latest 1,000</>}>
      <StackedBars label="Deliveries in the last 24 hours" series={series} bars={bars} />
    </Panel>
  )
}
