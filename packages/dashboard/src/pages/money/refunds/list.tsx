/** All refunds, the newest first. */
import type { ListRefunds } from '@switchyard/sdk'
import { useFresh } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { beside, periodFilters, periodOf } from '../period.ts'
import { refundColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  { name: 'payment_id', label: 'Payment', placeholder: 'payment_…' },
  ...periodFilters,
]

export function Page() {
  const { chosen } = useFilters(filters)
  const rows = useRows(['refund', chosen], (api, page) =>
    api.refunds.list({ ...beside<ListRefunds>(chosen), ...periodOf(chosen), ...page }),
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
          fresh={useFresh('refund')}
          empty={
            <NothingFound
              filters={filters}
              title="No refunds yet."
              action={<PageLink to="/payments">Choose a payment</PageLink>}
            >
              A refund is made on the page of its payment, or by POST /refunds.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}
