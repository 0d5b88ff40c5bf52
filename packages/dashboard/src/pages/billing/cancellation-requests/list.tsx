/** Cancellations and withdrawals that subscribers submitted on the public page. */
import type { CancellationRequest, ListCancellationRequests } from '@switchyard/sdk'
import { useRows } from '../../../api/queries.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { otherFilters, periodFilters, periodOf } from '../../payments/period.ts'
import { typeText } from './type-text.ts'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['received', 'confirmed', 'completed', 'rejected'] },
  ...periodFilters,
]

const columns: readonly Column<CancellationRequest>[] = [
  {
    title: 'Subscriber',
    phone: true,
    cell: ({ id, name, email }) => <ObjectLink id={id}>{name ?? email ?? 'Erased'}</ObjectLink>,
  },
  { title: 'Status', width: '140px', phone: true, cell: ({ status }) => <Status status={status} /> },
  { title: 'Type', cell: ({ type }) => typeText(type) },
  { title: 'Email', wide: true, cell: ({ email }) => <span className="break-all">{email}</span> },
  {
    title: 'Subscription',
    cell: ({ subscription_id, contract }) =>
      subscription_id === null ? (contract ?? 'Not identified') : <ObjectLink id={subscription_id} />,
  },
  {
    title: 'Received',
    align: 'right',
    width: '130px',
    phone: true,
    cell: ({ received_at }) => <Time at={received_at} />,
  },
]

export function Page() {
  const { filterValues } = useFilters(filters)
  const rows = useRows(['cancellation_request', filterValues], (api, page) =>
    api.cancellationRequests.list({
      ...otherFilters<ListCancellationRequests>(filterValues),
      ...periodOf(filterValues),
      ...page,
    }),
  )
  return (
    <>
      <PageHead title="Cancellations" />
      <FilterBar filters={filters} />
      <DataTable
        label="Cancellations"
        columns={columns}
        rows={rows}
        to={({ id }) => `/cancellation-requests/${id}`}
        empty={
          <NothingFound filters={filters} title="No cancellations yet.">
            Subscribers cancel or withdraw on a public page, without signing in. See Customer portal for its
            URL.
          </NothingFound>
        }
      />
    </>
  )
}
