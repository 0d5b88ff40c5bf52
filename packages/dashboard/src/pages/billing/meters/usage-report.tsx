/** The usage of a meter over time, by customer and by dimensions. */
import type { Meter, MeterReport } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { StackedBars } from '../../../charts/bars.tsx'
import { dateText, timeText } from '../../../format/time.ts'
import { Figure, Figures } from '../../../metrics/figures.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { CustomerName } from '../names.tsx'
import { groupText, periodOf, rangeOptions, usageText } from './meter-text.ts'

const filters: readonly Filter[] = [
  { name: 'range', label: 'Range', options: rangeOptions, fallback: '30_days' },
  { name: 'customer_id', label: 'Customer', placeholder: 'customer_…', kind: 'customer' },
]

const series = [{ name: 'usage', color: 'ink2' }] as const

export function UsageReport({ meter }: { meter: Meter }) {
  const { filterValues } = useFilters(filters)
  const { range = '30_days', customer_id } = filterValues
  const report = useObject(
    ['meter', meter.id, 'report', range, customer_id],
    (api, signal) => {
      const query = { ...periodOf(range, Date.now()), ...(customer_id === undefined ? {} : { customer_id }) }
      return api.meters.report(meter.id, query, { signal })
    },
    { refetchInterval: 30_000 },
  )
  return (
    <>
      <Panel title="Usage" flush>
        <FilterBar filters={filters} />
        <Loaded query={report}>{(data) => <UsageOverTime report={data} />}</Loaded>
      </Panel>
      <Panel title="Usage by customer" flush>
        <Loaded query={report}>{(data) => <ByCustomer report={data} />}</Loaded>
      </Panel>
      {meter.dimensions.length > 0 && (
        <Panel title="Usage by dimensions" flush>
          <Loaded query={report}>{(data) => <ByDimensions report={data} names={meter.dimensions} />}</Loaded>
        </Panel>
      )}
    </>
  )
}

function UsageOverTime({ report: { value, current, interval, intervals } }: { report: MeterReport }) {
  const bars = intervals.map((one) => ({
    label: interval === 'hour' ? timeText(one.start_at, true).slice(0, 5) : dateText(one.start_at, true),
    values: [Math.max(0, Number(one.value))],
  }))
  return (
    <>
      <Figures>
        <Figure
          name="Usage in this period"
          value={usageText(value)}
          note={current ? 'All recorded events are included' : 'Recent events are still being added'}
        />
      </Figures>
      <div className="border-t border-line p-4">
        <StackedBars
          label={interval === 'hour' ? 'Usage by hour, UTC' : 'Usage by day, UTC'}
          series={series}
          bars={bars}
        />
      </div>
    </>
  )
}

function ByCustomer({ report: { customers } }: { report: MeterReport }) {
  return (
    <PlainTable
      label="Usage by customer"
      rows={customers}
      keyOf={({ customer_id: id }) => id}
      empty="No usage in this period."
      columns={[
        { title: 'Customer', cell: ({ customer_id: id }) => <CustomerName id={id} />, phone: true },
        { title: 'Usage', cell: ({ value }) => usageText(value), align: 'right', phone: true },
      ]}
    />
  )
}

function ByDimensions({ report: { groups }, names }: { report: MeterReport; names: readonly string[] }) {
  return (
    <PlainTable
      label="Usage by dimensions"
      rows={groups}
      keyOf={({ dimensions }) => groupText(names, dimensions)}
      empty="No usage in this period."
      columns={[
        { title: 'Dimensions', cell: ({ dimensions }) => groupText(names, dimensions), phone: true },
        { title: 'Usage', cell: ({ value }) => usageText(value), align: 'right', phone: true },
      ]}
    />
  )
}
