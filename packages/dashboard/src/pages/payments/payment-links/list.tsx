/** All payment links, the newest first. */
import type { ListPaymentLinks, PaymentLink } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Filter, FilterBar, useFilters } from '../../../ui/filters.tsx'
import { NothingFound } from '../../../ui/nothing-found.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { otherFilters, periodFilters, periodOf } from '../period.ts'
import { paidText, priceText } from './link-text.ts'
import { NewLink } from './new.tsx'

const filters: readonly Filter[] = [
  { name: 'status', label: 'Status', options: ['active', 'inactive', 'completed', 'expired'] },
  ...periodFilters,
]

const columns: readonly Column<PaymentLink>[] = [
  {
    title: 'Amount',
    phone: true,
    width: '200px',
    cell: (link) => <ObjectLink id={link.id}>{priceText(link)}</ObjectLink>,
  },
  { title: 'Status', width: '130px', phone: true, cell: ({ status }) => <Status status={status} /> },
  { title: 'Description', cell: ({ description }) => description },
  { title: 'Payments', width: '110px', cell: (link) => paidText(link) },
  { title: 'Expires', width: '130px', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'URL',
    width: '110px',
    align: 'right',
    phone: true,
    cell: ({ url }) => <CopyButton text={url} />,
  },
]

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const [isCreating, setCreating] = useState(false)
  const { filterValues } = useFilters(filters)
  const rows = useRows(['payment_link', filterValues], (api, page) =>
    api.paymentLinks.list({
      ...otherFilters<ListPaymentLinks>(filterValues),
      ...periodOf(filterValues),
      ...page,
    }),
  )
  const create = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('payment_links.create')}
      onClick={() => setCreating(true)}
    >
      Create payment link
    </Button>
  )
  return (
    <>
      <PageHead title="Payment links" actions={create} />
      <Panel flush>
        <FilterBar filters={filters} />
        <DataTable
          label="Payment links"
          columns={columns}
          rows={rows}
          to={({ id }) => `/payment-links/${id}`}
          newObjects={useNewObjects('payment_link')}
          empty={
            <NothingFound filters={filters} title="No payment links yet." action={create}>
              A payment link opens a hosted page where customers pay. Send the link, or show its QR code.
            </NothingFound>
          }
        />
      </Panel>
      {isCreating && <NewLink close={() => setCreating(false)} />}
    </>
  )
}
