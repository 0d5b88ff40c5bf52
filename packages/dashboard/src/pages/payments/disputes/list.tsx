/** All disputes, the newest first, with the time that is left to respond. */
import type { ListDisputes } from '@switchyard/sdk'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { disputeColumns } from './columns.tsx'

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['needs_response', 'under_review', 'won', 'lost', 'closed'],
    isExclusive: true,
  },
  {
    name: 'overdue',
    label: 'Deadline',
    options: ['true', 'false'],
    optionText: (option) => (option === 'true' ? 'Overdue' : 'Not overdue'),
    isExclusive: true,
  },
  { name: 'payment_id', label: 'Payment', placeholder: 'payment_…', kind: 'payment', isExclusive: true },
]

export function Page() {
  const { filterValues } = useFilters(filters)
  const { overdue, ...others } = filterValues
  const overdueFilter = overdue === undefined ? {} : { overdue: overdue === 'true' }
  const rows = useRows(['dispute', filterValues], (api, page) =>
    api.disputes.list({ ...(others as ListDisputes), ...overdueFilter, ...page }),
  )
  return (
    <>
      <PageHead title="Disputes" />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Disputes"
          columns={disputeColumns}
          rows={rows}
          to={({ id }) => `/disputes/${id}`}
          newObjects={useNewObjects('dispute')}
          empty={
            <NothingFound filters={filters} title="No disputes yet.">
              A dispute appears here when a provider reports that a cardholder contests a payment.
            </NothingFound>
          }
        />
      </Panel>
    </>
  )
}
