/** The approval rate of a provider account over the last day, hour by hour. Shown on Home and on the providers page. */
import { HeatStrip } from '../charts/heat.tsx'
import { timeText } from '../format/time.ts'
import type { ProviderDay } from './totals.ts'

export function ApprovalStrip({ day, name }: { day: ProviderDay; name: string }) {
  const cells = day.hours.map(({ startMs, approval }) => ({
    label: timeText(startMs).slice(0, 5),
    rate: approval,
  }))
  return <HeatStrip kind="approval" label={`Approval rate of ${name} by hour`} cells={cells} />
}
