/** All refunds, the newest first. */
import type { ListRefunds } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useTestClockFilter } from '../../../api/test-clocks.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { refundColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'payment_id', label: 'Payment', placeholder: 'payment_…', kind: 'payment' },
  ...periodFilters,
]

export function Page() {
  const { filterValues } = useFilters(filters)
  const clocks = useTestClockFilter(filterValues)
  const rows = useRows(['refund', filterValues, clocks], (api, page) =>
    api.refunds.list({
      ...otherFilters<ListRefunds>(filterValues),
      ...periodOf(filterValues),
      ...clocks,
      ...page,
    }),
  )
  return (
    <>
      <PageHead title="Refunds" />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Refunds"
          columns={refundColumns}
          rows={rows}
          to={({ id }) => `/refunds/${id}`}
          newObjects={useNewObjects('refund')}
          empty={
            <NothingFound
              hasTestClocks
              filters={filters}
              title="No refunds yet."
              action={<PageLink to="/payments">Choose a payment</PageLink>}
            >
              Create a refund on a payment’s page, or with POST /refunds.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}
